package qcg;

import java.util.HashMap;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.ForwardPush;
import qcg.algorithm.PackedPush;

/** Forward push over the stored graph, within the limits of its transaction. */
record Push(String procedure, Transaction transaction, TerminationGuard guard, ProcedureMemory memory) {
    private static final long BYTES_PER_PLACE = 40; // seed, score, what is left, its bound, its turn

    /**
     * What the walk from these seeds comes to, by the configuration of {@code qcg.pageRank.push}, over what these documents
     * state; null for all.
     */
    ForwardPush<Node> from(Map<Node, Double> seeds, Map<String, Object> configuration, Object documents) {
        Map<String, Object> restricted = new HashMap<>(configuration);
        restricted.put("permitted", documents);
        Limit limit = new Limit((long) configuration.get("maxPushes"));
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            Permission permission = Permission.of(restricted, transaction, guard);
            WeightedNetwork network = new WeightedNetwork(procedure, configuration, permission, guard, tracker);
            double damping = (double) configuration.get("damping");
            double tolerance = (double) configuration.get("tolerance");
            ForwardPush<Node> found = new ForwardPush<>(damping, tolerance, network, () -> limit.told(1));
            found.spread(seeds);
            return found;
        }
    }

    /** The score of every place of a network in memory, from what the walk begins with at each. */
    double[] over(EntityNetwork network, double[] seeds, Map<String, Object> configuration, boolean synonyms) {
        double damping = (double) configuration.get("damping");
        double tolerance = (double) configuration.get("tolerance");
        Limit limit = new Limit((long) configuration.getOrDefault("maxPushes", Long.MAX_VALUE));
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            tracker.allocateHeap(BYTES_PER_PLACE * seeds.length);
            return PackedPush.scores(network.graph(), seeds, damping, tolerance, synonyms, limit::told);
        }
    }

    /** Counts pushes, and refuses more than so many. */
    private final class Limit {
        private final long most;
        private long pushes;

        private Limit(long most) {
            this.most = most;
        }

        private void told(int more) {
            guard.check();
            pushes += more;
            if (pushes > most) {
                throw new Refusal(procedure, "more than maxPushes = %d would be needed. Raise it, or raise tolerance.", most);
            }
        }
    }
}
