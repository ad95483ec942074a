package qcg;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/** Paths between entities, scored by how near their relationships are to a question (KG-CQR, Algorithms 1 and 2). */
public class Paths {
    private static final String SOURCES = "The nodes where paths begin.";
    private static final String TARGETS = "The nodes where paths end; a node is no target of itself.";
    private static final String VECTOR = "The question's embedding: a list of numbers, or a VECTOR.";
    @Context
    public Transaction transaction;

    @Context
    public GraphDatabaseService database;

    @Context
    public TerminationGuard guard;

    @Context
    public ProcedureMemory memory;

    /** A found path. */
    public record PathRow(
            @Description("From a source to a target; no node twice.") Path path,
            @Description("The mean cosine of the question and the relationships.") double score) {}

    /** What a search has done. */
    public record EffortRow(
            @Description("The search: beam or all.") String algorithm,
            @Description("How many complete paths it found.") long paths,
            @Description("How many extensions of paths it looked at.") long expansions,
            @Description("How many relationships it scored, each once.") long relationshipsScored,
            @Description("How long it took.") double milliseconds) {}

    @Procedure("qcg.paths.beam")
    @Description("The best paths from sources to targets by beam search, best first: at each step the beamWidth best"
            + " extensions of a source's partial paths survive, and a path that reaches a target is complete.")
    public Stream<PathRow> beam(
            @Name(value = "sources", description = SOURCES) List<Node> sources,
            @Name(value = "targets", description = TARGETS) List<Node> targets,
            @Name(value = "questionVector", description = VECTOR) Object questionVector,
            @Name(value = "configuration", description = Declared.BEAM_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.paths.beam";
        return rows(name, "beam", Options.chosen(name, configuration, transaction), sources, targets, questionVector);
    }

    @Procedure("qcg.paths.all")
    @Description("All paths from sources to targets up to a length, best first: the comparison for qcg.paths.beam."
            + " More than maxExpansions looked at is an error.")
    public Stream<PathRow> all(
            @Name(value = "sources", description = SOURCES) List<Node> sources,
            @Name(value = "targets", description = TARGETS) List<Node> targets,
            @Name(value = "questionVector", description = VECTOR) Object questionVector,
            @Name(value = "configuration", description = Declared.ALL_PATHS_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.paths.all";
        return rows(name, "all", Options.chosen(name, configuration, transaction), sources, targets, questionVector);
    }

    @Procedure("qcg.paths.effort")
    @Description("What a search for paths has to do, instead of the paths.")
    public Stream<EffortRow> effort(
            @Name(value = "sources", description = SOURCES) List<Node> sources,
            @Name(value = "targets", description = TARGETS) List<Node> targets,
            @Name(value = "questionVector", description = VECTOR) Object questionVector,
            @Name(value = "configuration", description = Declared.EFFORT_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.paths.effort";
        Map<String, Object> chosen = Options.chosen(name, configuration, transaction);
        String algorithm = (String) chosen.get("algorithm");
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            PathCall call = new PathCall(name, algorithm, chosen, guard, tracker);
            long start = System.nanoTime();
            int paths = call.paths(sources, targets, questionVector, database, transaction).size();
            double milliseconds = (System.nanoTime() - start) / 1e6;
            return Stream.of(new EffortRow(algorithm, paths, call.extensions(), call.scored(), milliseconds));
        }
    }

    private Stream<PathRow> rows(
            String name,
            String algorithm,
            Map<String, Object> chosen,
            List<Node> sources,
            List<Node> targets,
            Object vector) {
        ProcedureMemoryTracker tracker = memory.newTracker();
        try {
            PathCall call = new PathCall(name, algorithm, chosen, guard, tracker);
            return call.paths(sources, targets, vector, database, transaction).stream()
                    .map(found -> new PathRow(StoredPath.of(found.source(), found.relationships()), found.score()))
                    .onClose(tracker::close);
        } catch (RuntimeException error) {
            tracker.close();
            throw error;
        }
    }
}
