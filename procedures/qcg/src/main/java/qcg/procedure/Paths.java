package qcg.procedure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.config.Configs.BeamConfig;
import qcg.method.paths.PathCall;
import qcg.request.Call;
import qcg.store.StoredPath;

/** Paths between entities, scored by how near their relationships are to a question (KG-CQR, Algorithms 1 and 2). */
public class Paths extends OnServer {
    private static final String SOURCES = "The nodes where paths begin.";
    private static final String TARGETS = "The nodes where paths end; a node is no target of itself.";
    private static final String VECTOR = "The question's embedding: a list of numbers, or a VECTOR.";

    /** A found path. */
    public record PathRow(
            @Description("From a source to a target; no node twice.") Path path,
            @Description("The mean cosine of the question and the relationships.") double score) {}

    @Procedure(name = "qcg.paths.beam", mode = Mode.READ)
    @Description("The paths from sources to targets by beam search, best first: every partial path goes on with the"
            + " beamWidth best relationships at its end. A path to one target may lead through another.")
    public Stream<PathRow> beam(
            @Name(value = "sources", description = SOURCES) List<Node> sources,
            @Name(value = "targets", description = TARGETS) List<Node> targets,
            @Name(value = "questionVector", description = VECTOR) Object questionVector,
            @Name(value = "configuration", description = BeamConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<BeamConfig> call = call(BeamConfig.class, "qcg.paths.beam", configuration);
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            return PathCall.paths(call, sources, targets, questionVector, tracker).stream()
                    .map(found -> new PathRow(new StoredPath(found.nodes(), found.relationships()), found.score()));
        }
    }
}
