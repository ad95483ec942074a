package qcg;

import java.util.HashMap;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.ForwardPush;

/** Forward push over the stored graph, within the limits of its transaction. */
record Push(String procedure, Transaction transaction, TerminationGuard guard, ProcedureMemory memory) {
    /**
     * What the walk from these seeds comes to, by the configuration of {@code qcg.pageRank.push}, over what these documents
     * state; null for all.
     */
    ForwardPush<Node> from(Map<Node, Double> seeds, Map<String, Object> configuration, Object documents) {
        Map<String, Object> restricted = new HashMap<>(configuration);
        restricted.put("permitted", documents);
        Runnable work = work((long) configuration.get("maxPushes"));
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            Permission permission = Permission.of(restricted, transaction, guard);
            WeightedNetwork network = new WeightedNetwork(procedure, configuration, permission, guard, tracker);
            double damping = (double) configuration.get("damping");
            double tolerance = (double) configuration.get("tolerance");
            ForwardPush<Node> found = new ForwardPush<>(damping, tolerance, network, work);
            found.spread(seeds);
            return found;
        }
    }

    /** Told of every push; refuses more than so many. */
    Runnable work(long most) {
        long[] pushes = {0};
        return () -> {
            guard.check();
            if (++pushes[0] > most) {
                throw new Refusal(
                        procedure, "more than maxPushes = %d would be needed. Raise it, or raise tolerance.", most);
            }
        };
    }
}
