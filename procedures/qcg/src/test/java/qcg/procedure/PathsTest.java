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
import org.neo4j.harness.Neo4j;

@TestInstance(Lifecycle.PER_CLASS)
class PathsTest {
    private static final String PATHS = "MATCH (one:Entity) WITH collect(one) AS entities CALL qcg.paths.beam(entities,"
            + " entities, %s, %s) YIELD path, score RETURN [step IN relationships(path) | step.id] AS ids, score,"
            + " [one IN nodes(path) | one.name] AS names";
    private Neo4j server;

    @BeforeAll
    void start() {
        server = WithoutConnectors.builder()
                .withProcedure(Paths.class)
                .withFunction(About.class)
                .withFixture("CREATE (a:Entity {name: 'a'}), (b:Entity {name: 'b'}), (c:Other {name: 'c'}),"
                        + " (a)-[:RELATED_TO {id: 'near', embedding: [1.0, 0.0]}]->(b),"
                        + " (a)-[:RELATED_TO {id: 'far', embedding: [0.0, 2.0]}]->(b),"
                        + " (a)-[:RELATED_TO {id: 'none'}]->(b),"
                        + " (a)-[:RELATED_TO {id: 'out', embedding: [3.0, 4.0]}]->(c),"
                        + " (c)-[:RELATED_TO {id: 'back', embedding: [3.0, 4.0]}]->(b)")
                .build();
    }

    @AfterAll
    void stop() {
        server.close();
    }

    private List<Map<String, Object>> rows(String statement) {
        return server.defaultDatabaseService().executeTransactionally(
                statement, Map.of(), result -> result.stream().toList());
    }

    private String refused(String vector, String configuration) {
        QueryExecutionException error = assertThrows(
                QueryExecutionException.class, () -> rows(PATHS.formatted(vector, configuration)));
        return error.getMessage();
    }

    @Test
    void parallelRelationshipsEachCount() {
        List<Map<String, Object>> found = rows(PATHS.formatted("[1, 0]", "{}"));
        assertEquals(
                List.of(List.of("near"), List.of("out", "back"), List.of("far")),
                found.stream().map(row -> row.get("ids")).toList());
        assertEquals(0.6, (double) found.get(1).get("score"), 1e-12);
        assertEquals(List.of("a", "c", "b"), found.get(1).get("names"));
    }

    @Test
    void theDirectionIsASetting() {
        assertEquals(3, rows(PATHS.formatted("[1, 0]", "{direction: 'incoming'}")).size());
        assertEquals(6, rows(PATHS.formatted("[1, 0]", "{direction: 'undirected'}")).size());
    }

    @Test
    void whatDoesNotFitIsRefused() {
        assertTrue(refused("[1]", "{}").contains("1 dimensions, but embedding of the relationship"));
        assertTrue(refused("[1, 0]", "{beamWith: 2}").contains("Did you mean 'beamWidth'?"));
        assertTrue(refused("'text'", "{}").contains("must be a list of numbers or a VECTOR"));
    }

    @Test
    void theVersionIsThatOfTheProject() {
        String version = (String) rows("RETURN qcg.version() AS version").get(0).get("version");
        assertTrue(version.matches("\\d+\\.\\d+\\.\\d+.*"), version);
    }
}
