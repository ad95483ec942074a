package qcg;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Transaction;

/** AtomicRAG without a language model: the best atoms for a question, and so the chunks that state them. */
final class Atomic {
    static final Options OPTIONS = Method.SHARED.and(
            Option.real("atomWeight", 0.1, 0.0, 100.0),
            Option.whole("atomSeeds", 0, 0, 100_000L),
            Option.real("entityFloor", 0.3, -1.0, 1.0),
            Option.whole("entitySeeds", 20, 0, 1000L),
            Option.real("damping", 0.3, 0.0, 0.99),
            Option.real("tolerance", 1e-8, 1e-15, 1.0),
            Option.flag("synonyms", true),
            Option.whole("atoms", 25, 1, 1000L));

    private final Map<String, Object> chunk;
    private final double best;
    private final List<Object> paths = new ArrayList<>();
    private double sum;

    private Atomic(Map<String, Object> chunk, double best) {
        this.chunk = chunk;
        this.best = best;
    }

    /** The rows of the chunks: by their best atom, then by the sum over their atoms. */
    static List<Map<String, Object>> passages(
            Question question, Map<String, Object> configuration, Transaction transaction) {
        Map<String, Object> values = new HashMap<>(configuration);
        long factor = (long) configuration.get("candidateFactor");
        values.put("question", question.text() == null ? "" : question.text());
        values.put("questionVector", question.neededVector(transaction));
        values.put("entityVectors", List.of());
        values.put("atomCandidates", Math.max(1, factor * (long) configuration.get("atomSeeds")));
        values.put("entityCandidates", Math.max(1, factor * (long) configuration.get("entitySeeds")));
        Map<Object, Atomic> chunks = new LinkedHashMap<>();
        for (Map<String, Object> atom : Statement.of("retrieve/atomic").rows(transaction, values)) {
            double score = ((Number) atom.get("score")).doubleValue();
            for (Object stated : (List<?>) atom.get("chunks")) {
                Map<String, Object> chunk = row(stated);
                Atomic found = chunks.computeIfAbsent(chunk.get("id"), fresh -> new Atomic(chunk, score));
                found.sum += score;
                found.paths.addAll((List<?>) atom.get("paths"));
            }
        }
        return chunks.values().stream()
                .sorted(Comparator.comparingDouble((Atomic each) -> -each.best)
                        .thenComparingDouble(each -> -each.sum)
                        .thenComparing(each -> (String) each.chunk.get("id")))
                .limit((long) configuration.get("passages"))
                .map(Atomic::asRow)
                .toList();
    }

    private Map<String, Object> asRow() {
        Map<String, Object> row = new HashMap<>(chunk);
        row.put("score", best);
        row.put("paths", paths);
        return row;
    }

    @SuppressWarnings("unchecked")
    private static Map<String, Object> row(Object value) {
        return (Map<String, Object>) value;
    }
}
