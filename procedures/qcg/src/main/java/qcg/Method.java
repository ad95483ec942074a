package qcg;

import java.util.HashMap;
import java.util.Map;

/**
 * A retrieval method: its statement, its options, and which of them says how many hits are wanted of a vector index.
 * What is fixed for a method stands in {@code fixed}.
 */
record Method(String statement, Options options, String wanted, Map<String, Object> fixed) {
    static final Options SHARED = Options.of(
            Option.whole("passages", 5, 1, 1000L),
            Option.whole("contextTokens", 6000, 1, null),
            Option.whole("candidateFactor", 4, 1, 100L));

    static final Method QCG = new Method(
            "retrieve/qcg",
            SHARED.and(
                    Option.whole("queries", 15, 1, 1000L),
                    Option.real("minimumScore", 1.0, 0.0, 2.0),
                    Option.whole("hops", 1, 0, 2L),
                    Option.whole("neighbours", 3, 1, 100L),
                    Option.text("aggregation", "mean", "mean", "max", "sum")),
            "queries",
            Map.of());
    static final Method VECTOR = new Method(
            "retrieve/windows", SHARED.and(Option.text("scoring", "windows", "windows", "mean")), "passages", Map.of());
    static final Method FULLTEXT = new Method("retrieve/fulltext", SHARED, "passages", Map.of());
    static final Method HYBRID = new Method(
            "retrieve/layers_scored",
            SHARED.and(
                    Option.whole("layerCandidates", 10, 1, 1000L),
                    Option.real("windowWeight", 1.0, 0.0, null),
                    Option.real("fulltextWeight", 1.0, 0.0, null)),
            "layerCandidates",
            Map.of("queryWeight", 0.0, "atomWeight", 0.0, "tripleWeight", 0.0, "expandedWeight", 0.0, "walkWeight", 0.0));
    static final Method LAYERS = new Method(
            "retrieve/layers_scored", Layers.OPTIONS.and(Option.whole("contextTokens", 6000, 1, null)), "layerCandidates", Map.of());
    static final Method GRAPHRAG_LOCAL = new Method(
            "retrieve/graphrag_local",
            SHARED.and(
                    Option.whole("entities", 10, 1, 1000L),
                    Option.text("ranking", "entity", "entity", "relation"),
                    Option.whole("relations", 100, 1, 1000L)),
            "entities",
            Map.of());
    static final Method GRAPHRAG_GLOBAL = new Method(
            "retrieve/graphrag_global",
            SHARED.and(Option.whole("level", 1, 0, null), Option.whole("reports", 5, 1, null)),
            "passages",
            Map.of());
    static final Method D2Q = overChunks("chunk_d2q_all", "d2qAllEmbedding");
    static final Method D2Q_FILTERED = overChunks("chunk_d2q_kept", "d2qKeptEmbedding");
    private static final Method MEAN = overChunks("chunk_embedding", "embedding");

    private static Method overChunks(String index, String property) {
        return new Method("retrieve/chunk_vector", SHARED, "passages", Map.of("index", index, "property", property));
    }

    /** The method that is run: the choice of a score may mean another statement. */
    Method chosen(Map<String, Object> configuration) {
        return "mean".equals(configuration.get("scoring")) ? MEAN : this;
    }

    /** The values of the statement's parameters, but for those of the question. */
    Map<String, Object> values(Map<String, Object> configuration) {
        Map<String, Object> values = new HashMap<>(configuration);
        values.putAll(fixed);
        values.put("candidates", (long) configuration.get("candidateFactor") * (long) configuration.get(wanted));
        Map<String, Object> scored = new HashMap<>(values);
        scored.keySet().retainAll(Layers.OPTIONS.names());
        values.put("configuration", scored); // what qcg.score.layers takes of it
        return values;
    }
}
