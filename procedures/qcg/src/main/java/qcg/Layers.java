package qcg;

import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/** Scores chunks by all layers of the graph together: the same as the statement retrieve/layers, in less time. */
public class Layers {
    static final Options OPTIONS = Options.of(
            Option.whole("passages", 5, 1, 1000L),
            Option.whole("candidateFactor", 4, 1, 100L),
            Option.whole("layerCandidates", 5, 1, 1000L),
            Option.real("queryWeight", 1.0, 0.0, null),
            Option.real("windowWeight", 1.0, 0.0, null),
            Option.real("atomWeight", 1.0, 0.0, null),
            Option.real("tripleWeight", 1.0, 0.0, null),
            Option.real("fulltextWeight", 1.0, 0.0, null),
            Option.real("expandedWeight", 1.0, 0.0, null),
            Option.real("walkWeight", 3.0, 0.0, null),
            Option.whole("walkSeeds", 3, 1, 1000L),
            Option.whole("walkChunks", 10, 0, 1000L),
            Option.whole("maxEntityDegree", 1000, 1, null));
    static final String KEYS = "layerCandidates 5, queryWeight 1.0, windowWeight 1.0, atomWeight 1.0, tripleWeight 1.0,"
            + " fulltextWeight 1.0, expandedWeight 1.0, walkWeight 3.0, walkSeeds 3, walkChunks 10, maxEntityDegree 1000,"
            + " passages 5, candidateFactor 4";

    private static final String NAME = "qcg.score.layers";
    private static final Pattern SIGNS = Pattern.compile("[+\\-&|!(){}\\[\\]^\"~*?:/\\\\<>=@#_'’ ]+");
    private static final int MOST_WORDS = 1000;

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
            @Name(value = "configuration", description = KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Map<String, Object> chosen = OPTIONS.read(NAME, configuration);
        Question given = Question.of(NAME, question);
        Object vector = given.neededVector(transaction);
        LayerGraph graph = new LayerGraph(transaction, guard, Vectors.direction(NAME, Vectors.given(NAME, vector, transaction)));
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            return scored(words(given.neededText()), vector, chosen, graph, tracker).stream();
        }
    }

    private List<ScoredRow> scored(
            String words, Object vector, Map<String, Object> chosen, LayerGraph graph, ProcedureMemoryTracker tracker) {
        Map<Layer, Double> weights = weights(chosen);
        LayerProposals proposed =
                new LayerProposals(proposals(words, vector, chosen, weights), graph, weights, (long) chosen.get("layerCandidates"));
        LayerWalk walk = new LayerWalk(graph, tracker);
        if (weights.containsKey(Layer.WALK)) {
            walk.from(proposed.first((long) chosen.get("walkSeeds")), (long) chosen.get("maxEntityDegree"));
        }
        Set<Node> chunks = new LinkedHashSet<>(proposed.chunks());
        chunks.addAll(walk.best((long) chosen.get("walkChunks")));
        LayerScores scores = new LayerScores(chunks, weights, proposed, graph);
        scores.addWords(bm25(words, proposed.layers(), chunks, graph));
        scores.addWalk(walk);
        return scores.best((long) chosen.get("passages"));
    }

    /** The layers that take part, with their weights. */
    private static Map<Layer, Double> weights(Map<String, Object> chosen) {
        Map<Layer, Double> weights = new EnumMap<>(Layer.class);
        for (Layer layer : Layer.values()) {
            double weight = (double) chosen.get(layer.weight);
            if (weight > 0) {
                weights.put(layer, weight);
            }
        }
        return weights;
    }

    private List<Map<String, Object>> proposals(
            String words, Object vector, Map<String, Object> chosen, Map<Layer, Double> weights) {
        long perLayer = (long) chosen.get("layerCandidates");
        return Statement.of("retrieve/layers_proposals").rows(transaction, Map.of(
                "question", words,
                "questionVector", vector,
                "layers", weights.keySet().stream().map(layer -> layer.title).toList(),
                "candidates", (long) chosen.get("candidateFactor") * perLayer,
                "layerCandidates", perLayer));
    }

    private List<Map<String, Object>> bm25(
            String words, Collection<Layer> proposing, Set<Node> chunks, LayerGraph graph) {
        List<String> layers = proposing.stream()
                .filter(layer -> layer.kind == Layer.Kind.WORDS)
                .map(layer -> layer.title)
                .toList();
        return layers.isEmpty() ? List.of() : Statement.of("retrieve/layers_words").rows(transaction, Map.of(
                "question", words, "layers", layers, "ids", chunks.stream().map(graph::id).toList()));
    }

    /** The words without any sign that Lucene would read. */
    static String words(String question) {
        return Stream.of(SIGNS.split(question.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .limit(MOST_WORDS)
                .collect(Collectors.joining(" "));
    }
}
