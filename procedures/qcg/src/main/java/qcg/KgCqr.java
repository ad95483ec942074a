package qcg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.neo4j.graphdb.Transaction;

/**
 * KG-CQR without a language model: the question's subgraph, completed; its texts as context; both fused and searched for.
 * It runs the statements that the Python package runs one by one, in one call.
 */
record KgCqr(
        List<Map<String, Object>> passages, List<Map<String, Object>> triples, List<Map<String, Object>> paths, String context) {
    static KgCqr of(Question question, Map<String, Object> configuration, Transaction transaction) {
        Map<String, Object> chosen = new HashMap<>(configuration);
        if (!Permission.resolve(question.procedure(), chosen, transaction)) {
            return new KgCqr(List.of(), List.of(), List.of(), "");
        }
        Question.Asked asked = question.asked(transaction);
        chosen.put("questionVector", asked.vector());
        Map<String, Object> found = subgraph(question.corpus(), chosen, transaction);
        List<Map<String, Object>> triples = maps(found.get("triples"));
        String context = chosen.get("context").equals("none")
                ? ""
                : triples.stream().map(triple -> (String) triple.get("ttr")).collect(Collectors.joining("\n"));
        List<Map<String, Object>> passages = search(question, asked.values(), context, chosen, transaction);
        return new KgCqr(passages, triples, maps(found.get("paths")), context);
    }

    private static Map<String, Object> subgraph(Corpus corpus, Map<String, Object> chosen, Transaction transaction) {
        chosen.put("candidates", candidates("triples", chosen));
        List<Map<String, Object>> nearest =
                Statement.of("retrieve/parts/nearest_triples", corpus).rows(transaction, chosen);
        chosen.put("hits", nearest.stream().map(triple -> triple.get("id")).toList());
        String search = chosen.get("completion").equals("beam") ? "triple_beam" : "triple_paths";
        chosen.put("paths", Statement.of("retrieve/parts/" + search, corpus).rows(transaction, chosen));
        return Statement.of("retrieve/parts/subgraph", corpus).rows(transaction, chosen).get(0);
    }

    private static long candidates(String wanted, Map<String, Object> chosen) {
        return Permission.candidates((long) chosen.get("candidateFactor") * (long) chosen.get(wanted), chosen);
    }

    private static List<Map<String, Object>> search(
            Question question, double[] vector, String context, Map<String, Object> chosen, Transaction transaction) {
        double alpha = (double) chosen.get("alpha");
        if (chosen.get("search").equals("fulltext")) {
            String words = alpha < 1 ? context : "";
            chosen.put("texts", List.of(alpha > 0 || words.isEmpty() ? question.neededText() : "", words));
            chosen.put("boost", alpha > 0 && alpha < 1 ? alpha / (1 - alpha) : 1.0);
            String path = "retrieve/words | retrieve/parts/fulltext_context" + Method.PASSAGES;
            return Statement.of(path, question.corpus()).rows(transaction, chosen);
        }
        List<Double> fused = list(vector);
        if (!context.isEmpty() && alpha < 1) {
            Question text = new Question(question.procedure(), context, null, question.corpus());
            fused = fused(vector, Vectors.of(text.neededVector(transaction)), alpha);
        }
        boolean layers = chosen.get("search").equals("layers");
        chosen.put(layers ? "windowVector" : "questionVector", fused);
        chosen.put("candidates", candidates(layers ? "layerCandidates" : "passages", chosen));
        return Statement.of((layers ? "retrieve/parts/triple_layers" : "retrieve/windows") + Method.PASSAGES, question.corpus())
                .rows(transaction, chosen);
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
        return length < 1e-12 ? list(question) : IntStream.range(0, mixed.length).mapToObj(place -> mixed[place] / length).toList();
    }

    private static List<Double> list(double[] values) {
        return IntStream.range(0, values.length).mapToObj(place -> values[place]).toList();
    }

    /** The passages within so many tokens, each with a path for every triple of its own before those that it has. */
    List<Map<String, Object>> within(long tokens) {
        List<Map<String, Object>> shown = new ArrayList<>();
        for (Map<String, Object> row : Retrieve.within(passages, tokens)) {
            List<Object> ways = new ArrayList<>();
            triples.stream()
                    .filter(triple -> triple.get("chunk").equals(row.get("id")))
                    .forEach(triple -> ways.add(way(triple)));
            ways.addAll((List<?>) row.get("paths"));
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

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }
}
