package qcg.method.kgcqr;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import qcg.config.Configs.KgCqrConfig;
import qcg.method.Evidence;
import qcg.request.Call;
import qcg.request.Filter;
import qcg.request.Question;
import qcg.request.Statement;

/**
 * KG-CQR without a language model: the question's subgraph, completed; its texts as context; both fused and searched for.
 * It runs the statements that the Python package runs one by one, in one call.
 */
public record KgCqr(
        List<Map<String, Object>> passages,
        List<Map<String, Object>> triples,
        List<Map<String, Object>> paths,
        String context,
        Filter filter) {
    /** The evidence for a question. */
    public static KgCqr of(Call<KgCqrConfig> call, Object given) {
        Question question = Question.of(call, given);
        Filter filter = Filter.of(call);
        if (filter.isEmpty()) {
            return new KgCqr(List.of(), List.of(), List.of(), "", filter);
        }
        Question.Asked asked = question.asked();
        Map<String, Object> values = call.config().values();
        values.put("permitted", filter.documents());
        values.put("questionVector", asked.vector());
        Map<String, Object> found = subgraph(call, filter, values);
        List<Map<String, Object>> triples = Statement.asRows(found.get("triples"));
        String context = call.config().context().equals("none")
                ? ""
                : triples.stream().map(triple -> (String) triple.get("ttr")).collect(Collectors.joining("\n"));
        List<Map<String, Object>> passages = search(call, filter, question, asked.direction().values(), context, values);
        return new KgCqr(passages, triples, Statement.asRows(found.get("paths")), context, filter);
    }

    private static Map<String, Object> subgraph(Call<KgCqrConfig> call, Filter filter, Map<String, Object> values) {
        Map<String, ?> vectors = Map.of("RELATED_TO", values.get("questionVector"));
        List<Map<String, Object>> nearest =
                Evidence.near(call, filter, "retrieve/kg_cqr/triples", vectors, call.config().triples(), Map.of());
        values.put("hits", nearest.stream().map(triple -> triple.get("id")).toList());
        values.put("paths", call.rows("retrieve/kg_cqr/paths", values));
        return call.rows("retrieve/kg_cqr/subgraph", values).get(0);
    }

    private static List<Map<String, Object>> search(
            Call<KgCqrConfig> call,
            Filter filter,
            Question question,
            double[] vector,
            String context,
            Map<String, Object> values) {
        KgCqrConfig config = call.config();
        double alpha = config.alpha();
        if (config.search().equals("fulltext")) {
            String words = alpha < 1 ? context : "";
            values.put("texts", List.of(alpha > 0 || words.isEmpty() ? question.neededText() : "", words));
            values.put("boost", alpha > 0 && alpha < 1 ? alpha / (1 - alpha) : 1.0);
            return call.rows("retrieve/words | retrieve/fulltext" + Evidence.PASSAGES, values);
        }
        List<Double> fused = Arrays.stream(vector).boxed().toList();
        if (!context.isEmpty() && alpha < 1) {
            String otherwise = "leave the context out: {context: 'none'}";
            fused = fused(vector, new Question(call, context, null).asked(otherwise).direction().values(), alpha);
        }
        if (config.search().equals("layers")) {
            values.put("windowVector", fused);
            Map<String, ?> vectors = Map.of("Window", fused, "RELATED_TO", values.get("questionVector"));
            String path = "retrieve/kg_cqr/layers" + Evidence.PASSAGES;
            return Evidence.near(call, filter, path, vectors, config.layerCandidates(), values);
        }
        String path = "retrieve/windows" + Evidence.PASSAGES;
        return Evidence.near(call, filter, path, Map.of("Window", fused), config.passages(), Map.of());
    }

    /** {@code alpha · question + (1 − alpha) · context}, of unit length. */
    static List<Double> fused(double[] question, double[] context, double alpha) {
        double[] mixed = new double[question.length];
        double squares = 0;
        for (int place = 0; place < mixed.length; place++) {
            mixed[place] = alpha * question[place] + (1 - alpha) * context[place];
            squares += mixed[place] * mixed[place];
        }
        double length = Math.sqrt(squares);
        DoubleStream unit = length < 1e-12 ? Arrays.stream(question) : Arrays.stream(mixed).map(number -> number / length);
        return unit.boxed().toList();
    }

    /** The passages within so many tokens, each with a path for every triple of its own that it has none for yet. */
    public List<Map<String, Object>> within(long tokens) {
        List<Map<String, Object>> shown = new ArrayList<>();
        for (Map<String, Object> row : Evidence.within(passages, tokens)) {
            List<List<Map<String, Object>>> known = ((List<?>) row.get("paths")).stream().map(Statement::asRows).toList();
            Set<Object> ends = known.stream().map(path -> path.get(path.size() - 1).get("id")).collect(Collectors.toSet());
            List<Object> ways = new ArrayList<>();
            triples.stream()
                    .filter(triple -> triple.get("chunk").equals(row.get("id")) && !ends.contains(triple.get("id")))
                    .forEach(triple -> ways.add(way(triple)));
            ways.addAll(known);
            Map<String, Object> with = new HashMap<>(row);
            with.put("paths", ways);
            shown.add(with);
        }
        return shown;
    }

    /** The best path up to an added triple; one that the question hit is reached at once. */
    private List<Map<String, Object>> way(Map<String, Object> triple) {
        List<Object> alone = List.of(triple.get("id"));
        List<?> ids = paths.stream()
                .<List<?>>map(path -> (List<?>) path.get("triples"))
                .filter(path -> (boolean) triple.get("added") && path.contains(triple.get("id")))
                .findFirst()
                .orElse(alone);
        return ids.subList(0, ids.indexOf(triple.get("id")) + 1).stream()
                .map(id -> Map.<String, Object>of("label", "RELATED_TO", "id", id))
                .toList();
    }
}
