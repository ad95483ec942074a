package qcg.method.paths;

import java.util.List;
import java.util.Set;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.Edge;
import qcg.algorithm.PathSearch;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.Work;
import qcg.config.PathConfig;
import qcg.request.Call;
import qcg.request.Permission;
import qcg.request.Vectors;

/** One call of a procedure of {@code qcg.paths}: its checked arguments, and what its search has done. */
public final class PathCall implements Work {
    private static final long BYTES_PER_PATH = 240; // up to three links that it does not share, and its row

    private final Call<? extends PathConfig> call;
    private final int width;
    private final long limit;
    private final ProcedureMemoryTracker memory;
    private long extensions;

    /** A path with its score. */
    public record Found(double score, Node source, List<Relationship> relationships) {}

    /** {@code width} is that of the beam; {@code limit} is how many extensions of paths may be looked at. */
    public PathCall(Call<? extends PathConfig> call, long width, long limit, ProcedureMemoryTracker memory) {
        this.call = call;
        this.width = (int) width;
        this.limit = limit;
        this.memory = memory;
    }

    /** The paths, best first. */
    public List<Found> paths(List<Node> sources, List<Node> targets, Object vector) {
        Set<Node> from = call.nodes("sources", sources);
        Set<Node> to = call.nodes("targets", targets);
        QuestionVector question = Vectors.direction(call, Vectors.given(call, vector));
        Permission permission = new Permission(call.config().permitted(), call);
        StoredNetwork network = new StoredNetwork(call, question, permission, memory);
        var search = new PathSearch<Node, Relationship>(width, (int) call.config().maxLength());
        return search.between(from, to, network, this).stream()
                .map(trail -> new Found(
                        trail.score(), trail.source(), trail.edges().stream().map(Edge::relationship).toList()))
                .toList();
    }

    @Override
    public void extension() {
        call.guard().check();
        extensions++;
        if (extensions > limit) {
            throw call.refusal(
                    "more than maxExpansions = %d paths would have to be looked at."
                            + " Raise it, lower maxLength, or use qcg.paths.beam.",
                    limit);
        }
    }

    @Override
    public void complete() {
        memory.allocateHeap(BYTES_PER_PATH);
    }
}
