package qcg.procedure;

import org.neo4j.configuration.connectors.BoltConnector;
import org.neo4j.harness.Neo4jBuilder;
import org.neo4j.harness.Neo4jBuilders;

/** Databases for tests in their own process: a server of Bolt would only make each stop wait for ten seconds. */
final class WithoutConnectors {
    private WithoutConnectors() {}

    static Neo4jBuilder builder() {
        return Neo4jBuilders.newInProcessBuilder().withDisabledServer().withConfig(BoltConnector.enabled, false);
    }
}
