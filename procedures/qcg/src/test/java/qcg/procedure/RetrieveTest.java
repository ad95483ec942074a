package qcg.procedure;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;
import org.neo4j.harness.Neo4j;

/** On a server without Graph Data Science. */
@TestInstance(Lifecycle.PER_CLASS)
class RetrieveTest {
    private static final String INDEX = "CREATE VECTOR INDEX %s FOR (node:%s) ON (node.embedding)"
            + " OPTIONS {indexConfig: {`vector.dimensions`: 2, `vector.similarity_function`: 'cosine'}}";
    private static final String ATOMS = "CALL qcg.evidence.atomic({text: $question, vector: [1.0, 0.0]}, null, $keys)"
            + " YIELD atoms UNWIND atoms AS atom RETURN atom.id AS id, size(atom.paths) AS ways";
    private Neo4j server;

    @BeforeAll
    void start() {
        server = WithoutConnectors.builder()
                .withProcedure(Retrieve.class)
                .withProcedure(PageRank.class)
                .withProcedure(About.class)
                .withFixture(INDEX.formatted("qcg_atom_embedding", "QcgAtom"))
                .withFixture(INDEX.formatted("qcg_entity_embedding", "QcgEntity"))
                .withFixture("CREATE FULLTEXT INDEX qcg_entity_name FOR (node:QcgEntity) ON EACH [node.name]")
                .withFixture("CREATE (chunk:QcgChunk {id: 'c', text: '', index: 0, tokenCount: 1})"
                        + "-[:FROM_DOCUMENT]->(:QcgDocument {id: 'd'}),"
                        + " (near:QcgAtom {id: 'near', text: 'near', embedding: [1.0, 0.0]})-[:FROM_CHUNK]->(chunk),"
                        + " (far:QcgAtom {id: 'far', text: 'far', embedding: [0.0, 1.0]})-[:FROM_CHUNK]->(chunk),"
                        + " (far)-[:MENTIONS]->(:QcgEntity {id: 'ann', name: 'Ann', embedding: [0.0, 1.0]})")
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

    private List<Object> found(String question, Map<String, Object> keys) {
        return rows(ATOMS, Map.of("question", question, "keys", keys)).stream()
                .map(row -> row.get("id"))
                .toList();
    }

    @Test
    void pushNeedsNoFurtherPlugIn() {
        assertEquals(List.of("near"), found("who", Map.of()));
        assertEquals(List.of("far", "near"), found("what did ann do", Map.of("atomWeight", 0.1)));
        assertEquals(List.of("near", "far"), found("what did ann do", Map.of("atomWeight", 10)));
        assertEquals(List.of("far"), found("what did ann do", Map.of("atomWeight", 0)));
    }

    @Test
    void whatIsNotCommittedCostsOthersNoCopy() {
        found("who", Map.of());
        try (Transaction writing = server.defaultDatabaseService().beginTx()) {
            writing.execute("CREATE (:QcgEntity {id: 'new', name: 'New'})").close();
            writing.execute("MATCH (node:QcgEntity) WITH collect(node) AS seeds CALL qcg.pageRank.push(seeds) YIELD score"
                    + " RETURN score").close();
        }
        List<Map<String, Object>> copies = rows("CALL qcg.snapshot() YIELD condition, current", Map.of());
        assertEquals(Map.of("condition", "ready", "current", true), copies.get(0));
    }

    @Test
    void withoutGraphDataScienceTheRemedyIsNamed() {
        QueryExecutionException error =
                assertThrows(QueryExecutionException.class, () -> found("who", Map.of("propagation", "gds")));
        assertTrue(error.getMessage().contains("needs Graph Data Science, which this server lacks. Use 'push'."));
    }
}
