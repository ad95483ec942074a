package qcg;

import java.util.HashMap;
import java.util.Map;

/**
 * A retrieval method: its statement, and which of its options says how many hits are wanted of a vector index. What is
 * fixed for a method stands in {@code fixed}.
 */
record Method(String statement, String wanted, Map<String, Object> fixed) {
    /** Behind the statement of a method: what is read of the chunks that it has found. */
    static final String PASSAGES = " | retrieve/passages";

    static final Method QCG = new Method("retrieve/qcg" + PASSAGES, "queries", Map.of());
    static final Method VECTOR = new Method("retrieve/windows" + PASSAGES, "passages", Map.of());
    static final Method FULLTEXT = new Method("retrieve/words | retrieve/fulltext" + PASSAGES, "passages", Map.of());
    private static final String ALL_LAYERS =
            "retrieve/words | retrieve/hits | retrieve/seeds | retrieve/walk | retrieve/walk | retrieve/layers" + PASSAGES;
    private static final Map<String, Object> TWO_LAYERS = Map.of(
            "queryWeight", 0.0, "atomWeight", 0.0, "tripleWeight", 0.0, "expandedWeight", 0.0, "walkWeight", 0.0);
    static final Method HYBRID = new Method(ALL_LAYERS, "passages", TWO_LAYERS);
    static final Method LAYERS = new Method(ALL_LAYERS, "passages", Map.of());
    static final Method GRAPHRAG_LOCAL = new Method("retrieve/graphrag_local", "entities", Map.of());
    static final Method GRAPHRAG_GLOBAL = new Method("retrieve/graphrag_global", "passages", Map.of());
    static final Method D2Q = overChunks("d2qAllEmbedding");
    static final Method D2Q_FILTERED = overChunks("d2qKeptEmbedding");
    private static final Method MEAN = overChunks("embedding");

    private static Method overChunks(String property) {
        return new Method("retrieve/chunk_vector" + PASSAGES, "passages", Map.of("property", property));
    }

    /** The method that is run: the choice of a score may mean another statement. */
    Method chosen(Map<String, Object> configuration) {
        return "mean".equals(configuration.get("scoring")) ? MEAN : this;
    }

    /** The values of the statement's parameters, but for those of the question. */
    Map<String, Object> values(Map<String, Object> configuration) {
        // The statement of the layers has more parameters than hybrid has keys: these are as they are for the layers.
        Map<String, Object> values = new HashMap<>(Declared.ALL.get("qcg.retrieve.layers").read("qcg.retrieve.layers", Map.of()));
        values.putAll(configuration);
        values.putAll(fixed);
        long candidates = (long) configuration.get("candidateFactor") * (long) configuration.get(wanted);
        values.put("candidates", Permission.candidates(candidates, configuration));
        values.computeIfPresent("hits", (key, hits) -> Math.max((long) hits, candidates));
        return values;
    }
}
