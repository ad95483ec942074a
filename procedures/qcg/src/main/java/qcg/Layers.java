package qcg;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.LayeredSum.Part;
import qcg.algorithm.LayeredSum.Scored;

/** Scores chunks by all layers of the graph together: the same as the statement retrieve/layers, in less time. */
public class Layers {
    private static final String NAME = "qcg.score.layers";

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
                            + " chunk has none and counts as the worst candidate), seed (where the walk came from),"
                            + " score, share (score times weight).")
                    List<Map<String, Object>> layers) {}

    @Procedure(NAME)
    @Description("The best chunks for a question by all layers of the graph together, with what each layer adds.")
    public Stream<ScoredRow> score(
            @Name(value = "question", description = Retrieve.TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.LAYER_SCORE_KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Map<String, Object> chosen = Options.chosen(NAME, configuration);
        Question given = Question.of(NAME, question);
        Object vector = given.neededVector(transaction);
        LayerGraph graph = new LayerGraph(transaction, guard, Vectors.direction(NAME, Vectors.given(NAME, vector, transaction)));
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            LayerSearch search = new LayerSearch(transaction, LayerSearch.words(given.neededText()), vector, chosen, graph);
            return search.best(tracker).stream().map(Layers::row).toList().stream();
        }
    }

    private static ScoredRow row(Scored<Layer, Node, Entity> found) {
        List<Map<String, Object>> parts = found.parts().stream().map(Layers::shown).toList();
        return new ScoredRow(found.chunk(), found.score(), parts);
    }

    private static Map<String, Object> shown(Part<Layer, Node, Entity> part) {
        Map<String, Object> shown = new HashMap<>();
        shown.put("layer", part.layer().title);
        shown.put("hit", part.hit() == null ? null : part.hit().entry());
        shown.put("seed", part.hit() == null ? null : part.hit().seed());
        shown.put("score", part.score());
        shown.put("share", part.share());
        return shown;
    }
}
