package qcg;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.harness.Neo4j;
import qcg.algorithm.QuestionVector;

/** Three chunks: 'near' has an atom that says it, 'far' one that does not, and 'bare' has words alone. */
@TestInstance(Lifecycle.PER_CLASS)
class LayersTest {
    private static final String VECTORS = "CREATE VECTOR INDEX %s FOR %s ON (entry.embedding)"
            + " OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}";
    private static final String SCORE = "CALL qcg.score.layers({text: $question, vector: [1.0, 0.0]}, $keys)"
            + " YIELD chunk, score, layers RETURN chunk.id AS id, score,"
            + " [one IN layers WHERE one.layer = 'Atom' | [one.hit.id, one.share]] AS atoms";
    private Neo4j server;

    @BeforeAll
    void start() {
        server = WithoutConnectors.builder()
                .withProcedure(Layers.class)
                .withFixture("CREATE INDEX FOR (chunk:QcgChunk) ON (chunk.id)")
                .withFixture(VECTORS.formatted("qcg_query_embedding", "(entry:QcgQuery)"))
                .withFixture(VECTORS.formatted("qcg_atom_embedding", "(entry:QcgAtom)"))
                .withFixture(VECTORS.formatted("qcg_window_embedding", "(entry:QcgWindow)"))
                .withFixture(VECTORS.formatted("qcg_chunk_embedding", "(entry:QcgChunk)"))
                .withFixture(VECTORS.formatted("qcg_related_to_embedding", "()-[entry:RELATED_TO]-()"))
                .withFixture("CREATE FULLTEXT INDEX qcg_chunk_words FOR (chunk:QcgChunk) ON EACH [chunk.words, chunk.id]")
                .withFixture("CREATE FULLTEXT INDEX qcg_chunk_expanded_words FOR (chunk:QcgChunk)"
                        + " ON EACH [chunk.expandedWords, chunk.id]")
                .withFixture("CREATE (:QcgAtom {id: 'a', embedding: [0.8, 0.6]})-[:FROM_CHUNK]->"
                        + "(:QcgChunk {id: 'near', words: 'pool'}),"
                        + " (:QcgAtom {id: 'b', embedding: [0.0, 1.0]})-[:FROM_CHUNK]->(:QcgChunk {id: 'far', words: 'hall'}),"
                        + " (:QcgChunk {id: 'bare', words: 'the gym'})")
                .build();
        rows("CALL db.awaitIndexes(60)", Map.of());
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private List<Map<String, Object>> rows(String statement, Map<String, Object> values) {
        return server.defaultDatabaseService().executeTransactionally(
                statement, values, result -> result.stream().toList());
    }

    private List<Map<String, Object>> found(String question, Map<String, Object> keys) {
        return rows(SCORE, Map.of("question", question, "keys", keys));
    }

    @Test
    void whatHasNothingCountsAsTheWorstCandidate() {
        List<Map<String, Object>> rows = found("gym", Map.of("fulltextWeight", 0.5, "walkWeight", 0));
        assertEquals(List.of("near", "bare", "far"), rows.stream().map(row -> row.get("id")).toList());
        assertEquals(0.8, (double) rows.get(0).get("score"), 1e-6);
        assertEquals(0.5, (double) rows.get(1).get("score"), 1e-6);
        assertEquals(Arrays.asList(null, 0.0), ((List<?>) rows.get(1).get("atoms")).get(0));
    }

    @Test
    void aLayerWithoutWeightTakesNoPart() {
        assertEquals(List.of("bare"), found("gym", Map.of("atomWeight", 0, "walkWeight", 0)).stream().map(row -> row.get("id")).toList());
    }

    @Test
    void whatCannotComeAmongTheBestIsLeftOut() {
        assertEquals(List.of("near"), found("gym", Map.of("passages", 1L, "fulltextWeight", 0.5, "walkWeight", 0)).stream()
                .map(row -> row.get("id"))
                .toList());
    }

    @Test
    void whatWasJustDeletedTakesNoPart() {
        rows("CREATE (:QcgChunk {id: 'gone'})<-[:FROM_CHUNK]-(:QcgAtom {id: 'g', embedding: [1.0, 0.0]})"
                + "-[:RELATED_TO {chunkId: 'gone', embedding: [1.0, 0.0]}]->(:QcgAtom {id: 'h'})", Map.of());
        try (Transaction transaction = server.defaultDatabaseService().beginTx()) {
            Node chunk = transaction.findNode(new Corpus("default").mark("Chunk"), "id", "gone");
            Node atom = transaction.findNode(new Corpus("default").mark("Atom"), "id", "g");
            Relationship triple = atom.getSingleRelationship(RelationshipType.withName("RELATED_TO"), Direction.OUTGOING);
            rows("MATCH (node) WHERE node.id IN ['gone', 'g', 'h'] DETACH DELETE node", Map.of());
            Corpus corpus = new Corpus("default");
            LayerGraph graph = new LayerGraph(
                    transaction,
                    corpus,
                    () -> {},
                    new QuestionVector(new double[] {1, 0}),
                    Permission.of(Map.of("corpus", "default"), transaction, () -> {}),
                    null);
            for (Entity entry : List.of(chunk, atom, triple)) {
                assertTrue(Double.isNaN(graph.cosine(entry)));
                assertEquals(List.of(), graph.chunksOf(entry));
            }
            for (Layer layer : Layer.values()) {
                assertNull(graph.nearest(layer, chunk));
            }
            assertEquals(List.of(), LayerWays.alike(graph, 5).from(chunk));
            assertEquals(List.of(), LayerWays.alike(graph, 5).to(atom));
            assertFalse(Present.is(chunk));
        }
    }

    @Test
    void nothingThatLuceneWouldReadIsLeft() {
        assertEquals("what is li hua s and gym", LayerSearch.words("What is (Li_Hua's) AND\u2019 [gym]*?"));
        assertEquals("", LayerSearch.words(" ?! "));
    }
}
