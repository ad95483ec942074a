package qcg.method;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.procedure.Description;
import qcg.config.RetrieveConfig;
import qcg.request.Call;
import qcg.request.Filter;
import qcg.request.Statement;
import qcg.store.StoredPath;

/** Passages as the statements give them, and as a graph to look at. */
public final class Evidence {
    /** A chunk of the evidence. */
    public record PassageRow(
            @Description("Place in the evidence, from 1.") long rank,
            @Description("The method's score; higher is better.") double score,
            @Description("The chunk.") Node chunk,
            @Description("Its document.") Node document,
            @Description("How the question led to it: over queries or a window.") List<Path> paths) {}

    /** Behind the statement of a method: what is read of the chunks that it has found. */
    public static final String PASSAGES = " | retrieve/passages";

    private Evidence() {}

    /** The rows of a statement over {@code retrieve/near}: so many entries of each layer are wanted, compared with its vector. */
    public static List<Map<String, Object>> near(
            Call<? extends RetrieveConfig> call,
            Filter filter,
            String path,
            Map<String, ?> vectors,
            long wanted,
            Map<String, Object> more) {
        Map<String, Object> values = call.config().values();
        values.put("permitted", filter.documents());
        values.put("vectors", vectors);
        values.put("wanted", wanted);
        values.put("candidates", filter.candidates(call.config().candidateFactor() * wanted));
        values.putAll(more);
        return call.rows("retrieve/near | " + path, values);
    }

    /** The rows that are found of what the filter of a call permits, shown; nothing where that is nothing. */
    public static Stream<PassageRow> found(
            Call<? extends RetrieveConfig> call, Function<Filter, List<Map<String, Object>>> rows) {
        Filter filter = Filter.of(call);
        return filter.isEmpty() ? Stream.empty() : shown(rows.apply(filter), call, filter);
    }

    /** Those of the rows, in order, that fit into the tokens of a call together, as a graph. */
    public static Stream<PassageRow> shown(
            List<Map<String, Object>> rows, Call<? extends RetrieveConfig> call, Filter filter) {
        return asGraph(within(rows, call.config().contextTokens()), call, filter);
    }

    /**
     * The chunks of the rows as nodes, with their documents and the stored paths to them; with a filter only over nodes that
     * say nothing of other documents.
     */
    public static Stream<PassageRow> asGraph(List<Map<String, Object>> rows, Call<?> call, Filter filter) {
        Map<String, Object> values = Map.of("rows", rows, "isFiltered", filter.isRestricted());
        return call.rows("retrieve/as_graph", values).stream().map(shown -> row(rows, shown));
    }

    /** The rows, in order, that fit into so many tokens together; the first one stays in any case. */
    public static List<Map<String, Object>> within(List<Map<String, Object>> rows, long tokens) {
        List<Map<String, Object>> kept = new ArrayList<>();
        long left = tokens;
        for (Map<String, Object> row : rows.stream().filter(Evidence::isWhole).toList()) {
            long size = ((Number) row.get("tokenCount")).longValue();
            if (kept.isEmpty() || size <= left) {
                kept.add(row);
                left -= size;
            }
        }
        return kept;
    }

    /** Whether the chunk of a row was there until all of it was read. */
    private static boolean isWhole(Map<String, Object> row) {
        return row.get("id") != null && row.get("text") != null && row.get("tokenCount") != null;
    }

    /** The rows of so many chunks that state atoms of an answer: by their best atom, then by the sum over their atoms. */
    public static List<Map<String, Object>> stating(List<Map<String, Object>> atoms, long passages) {
        Map<String, Map<String, Object>> rows = new HashMap<>();
        Map<String, Double> sums = new HashMap<>();
        Map<String, List<Object>> paths = new HashMap<>();
        for (Map<String, Object> atom : atoms) {
            double score = ((Number) atom.get("score")).doubleValue();
            for (Map<String, Object> chunk : Statement.asRows(atom.get("chunks"))) {
                if (isWhole(chunk)) {
                    String id = (String) chunk.get("id");
                    rows.computeIfAbsent(id, fresh -> new HashMap<>(chunk)).putIfAbsent("score", score);
                    sums.merge(id, score, Double::sum);
                    paths.computeIfAbsent(id, fresh -> new ArrayList<>()).addAll((List<?>) atom.get("paths"));
                }
            }
        }
        rows.forEach((id, row) -> row.put("paths", paths.get(id)));
        return rows.values().stream()
                .sorted(Comparator.comparingDouble((Map<String, Object> row) -> -(double) row.get("score"))
                        .thenComparingDouble(row -> -sums.get(row.get("id")))
                        .thenComparing(row -> (String) row.get("id")))
                .limit(passages)
                .toList();
    }

    private static PassageRow row(List<Map<String, Object>> rows, Map<String, Object> shown) {
        long place = (long) shown.get("place");
        double score = ((Number) rows.get((int) place).get("score")).doubleValue();
        Path end = (Path) shown.get("end");
        List<Path> paths = ((List<?>) shown.get("paths"))
                .stream().<Path>map(path -> StoredPath.joined((Path) path, end)).toList();
        return new PassageRow(place + 1, score, (Node) shown.get("chunk"), (Node) shown.get("document"), paths);
    }
}
