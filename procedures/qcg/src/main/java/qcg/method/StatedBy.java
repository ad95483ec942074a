package qcg.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import qcg.request.Statement;

/** A chunk with the atoms of an answer that it states. */
public final class StatedBy {
    private final Map<String, Object> chunk;
    private final double best;
    private final List<Object> paths = new ArrayList<>();
    private double sum;

    private StatedBy(Map<String, Object> chunk, double best) {
        this.chunk = chunk;
        this.best = best;
    }

    /** The rows of so many chunks: by their best atom, then by the sum over their atoms. */
    public static List<Map<String, Object>> rows(List<Map<String, Object>> atoms, long passages) {
        Map<Object, StatedBy> chunks = new LinkedHashMap<>();
        for (Map<String, Object> atom : atoms) {
            double score = ((Number) atom.get("score")).doubleValue();
            for (Map<String, Object> chunk : Statement.asRows(atom.get("chunks"))) {
                if (Evidence.isWhole(chunk)) {
                    StatedBy found = chunks.computeIfAbsent(chunk.get("id"), fresh -> new StatedBy(chunk, score));
                    found.sum += score;
                    found.paths.addAll((List<?>) atom.get("paths"));
                }
            }
        }
        return chunks.values().stream()
                .sorted(Comparator.comparingDouble((StatedBy each) -> -each.best)
                        .thenComparingDouble(each -> -each.sum)
                        .thenComparing(each -> (String) each.chunk.get("id")))
                .limit(passages)
                .map(StatedBy::asRow)
                .toList();
    }

    private Map<String, Object> asRow() {
        Map<String, Object> row = new HashMap<>(chunk);
        row.put("score", best);
        row.put("paths", paths);
        return row;
    }
}
