package qcg;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.LayeredSum.Part;
import qcg.algorithm.LayeredSum.Scored;
import qcg.algorithm.SharedWalk.Reached;
import qcg.algorithm.SharedWalk.Seed;

/** Scores chunks by all layers of the graph together: the same as the statement retrieve/layers, in less time. */
public class Layers {
    private static final String NAME = "qcg.score.layers";

    @Context
    public GraphDatabaseService database;

    @Context
    public Transaction transaction;

    @Context
    public TerminationGuard guard;

    @Context
    public ProcedureMemory memory;

    /** A chunk, and what every layer adds to its score. */
    public record ScoredRow(
            @Description("The chunk.") Node chunk,
            @Description("The sum of the layers' shares; higher is better.") double score,
            @Description("The layers, that first which adds most: layer, hit (its node or relationship; null where the"
                            + " chunk has none and counts as the worst candidate), seed (where the walk came from), name (the"
                            + " entity that led there), stated (the triple that it followed), score, share (score times weight).")
                    List<Map<String, Object>> layers) {}

    @Procedure(name = NAME, mode = Mode.READ)
    @Description("The best chunks for a question by all layers of the graph together, with what each layer adds.")
    public Stream<ScoredRow> score(
            @Name(value = "question", description = Retrieve.TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.LAYER_SCORING_KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Map<String, Object> chosen = Options.chosen(NAME, configuration, transaction);
        Question given = Question.of(NAME, question, chosen);
        Question.Asked asked = given.asked(transaction);
        Permission permission = Permission.of(chosen, transaction, guard);
        Corpus corpus = Corpus.of(chosen);
        LayerVectors vectors = (boolean) chosen.get("snapshot") ? LayerVectors.of(database, corpus, transaction) : null;
        LayerGraph graph = new LayerGraph(transaction, corpus, guard, asked.direction(), permission, vectors);
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            LayerSearch search = new LayerSearch(transaction, given.neededText(), asked.vector(), chosen, graph);
            LayerSearch.Walked walked = search.best(tracker);
            return walked.found().stream().map(found -> row(found, walked)).toList().stream();
        }
    }

    private static ScoredRow row(Scored<Layer, Node, Entity> found, LayerSearch.Walked walked) {
        List<Map<String, Object>> parts =
                found.parts().stream().map(part -> shown(part, walked.walk().of(found.chunk()))).toList();
        return new ScoredRow(found.chunk(), found.score(), parts);
    }

    private static Map<String, Object> shown(Part<Layer, Node, Entity> part, Reached<Node, Node, Relationship> reached) {
        Map<String, Object> shown = new HashMap<>();
        Seed<Node, Node> seed = part.layer() == Layer.WALK && reached != null ? reached.seed() : null;
        shown.put("layer", part.layer().title);
        shown.put("hit", part.hit() == null ? null : part.hit().entry());
        shown.put("seed", seed == null ? null : seed.chunk());
        shown.put("name", seed == null ? null : seed.name());
        shown.put("stated", seed == null ? null : reached.stated());
        shown.put("score", part.score());
        shown.put("share", part.share());
        return shown;
    }
}
