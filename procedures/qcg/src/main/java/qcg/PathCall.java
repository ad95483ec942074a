package qcg;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.AllPaths;
import qcg.algorithm.BeamSearch;
import qcg.algorithm.PathSearch;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.Trail;
import qcg.algorithm.Work;

/** One call of a procedure of {@code qcg.paths}: its checked arguments, and what its search has done. */
final class PathCall implements Work {
    private static final long BYTES_PER_PATH = 240; // up to three links that it does not share, and its row

    private final String procedure;
    private final Map<String, Object> configuration;
    private final TerminationGuard guard;
    private final ProcedureMemoryTracker memory;
    private final long limit;
    private final PathSearch<Node, Relationship> search;
    private StoredNetwork network;
    private long extensions;

    PathCall(
            String procedure,
            String algorithm,
            Map<String, Object> configuration,
            TerminationGuard guard,
            ProcedureMemoryTracker memory) {
        this.procedure = procedure;
        this.configuration = configuration;
        this.guard = guard;
        this.memory = memory;
        this.limit = algorithm.equals("all") ? (long) configuration.get("maxExpansions") : Long.MAX_VALUE;
        this.search = search(algorithm);
    }

    private PathSearch<Node, Relationship> search(String algorithm) {
        int length = ((Long) configuration.get("maxLength")).intValue();
        return algorithm.equals("all")
                ? new AllPaths<>(length)
                : new BeamSearch<>(((Long) configuration.get("beamWidth")).intValue(), length);
    }

    /** The paths, best first. */
    List<Trail<Node, Relationship>> paths(
            List<Node> sources, List<Node> targets, Object vector, Transaction transaction) {
        Set<Node> from = checked("sources", sources);
        Set<Node> to = checked("targets", targets);
        QuestionVector question = Vectors.direction(procedure, Vectors.given(procedure, vector, transaction));
        Permission permission = Permission.of(configuration, transaction, guard);
        network = new StoredNetwork(procedure, question, configuration, permission, guard, memory);
        return search.between(from, to, network, this);
    }

    /** How many extensions of paths the search has looked at. */
    long extensions() {
        return extensions;
    }

    /** How many relationships it has scored. */
    long scored() {
        return network.scored();
    }

    @Override
    public void extension() {
        guard.check();
        extensions++;
        if (extensions > limit) {
            throw new Refusal(
                    procedure,
                    "more than maxExpansions = %d paths would have to be looked at."
                            + " Raise it, lower maxLength, or use qcg.paths.beam.",
                    limit);
        }
    }

    @Override
    public void complete() {
        memory.allocateHeap(BYTES_PER_PATH);
    }

    private Set<Node> checked(String name, List<Node> nodes) {
        return new LinkedHashSet<>(Refusal.nodes(procedure, name, nodes));
    }
}
