package qcg.method.layers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import qcg.algorithm.QuestionVector;
import qcg.config.Config;
import qcg.config.Configs.HybridConfig;
import qcg.config.Configs.LayersConfig;
import qcg.method.Evidence;
import qcg.request.Call;
import qcg.request.Filter;
import qcg.request.Question;
import qcg.request.Vectors;

/** The layers of the graph: which of them count, the names in the question, and the question without them. */
public final class Layers {
    private static final String STATEMENT = "retrieve/words | retrieve/layers/hits | retrieve/layers/seeds"
            + " | retrieve/layers/walk | retrieve/layers/walk | retrieve/layers" + Evidence.PASSAGES;
    private static final Map<String, Object> TWO_LAYERS = Map.of(
            "queryWeight", 0.0, "atomWeight", 0.0, "tripleWeight", 0.0, "expandedWeight", 0.0, "dateWeight", 0.0,
            "walkWeight", 0.0);

    private Layers() {}

    /** What hybrid is: two of the layers, and no walk. */
    public static LayersConfig ofHybrid(Call<HybridConfig> call) {
        Map<String, Object> values = call.config().values();
        values.putAll(TWO_LAYERS);
        return Config.of(LayersConfig.class, "qcg.retrieve.layers", values);
    }

    /** The rows of the best chunks. */
    public static List<Map<String, Object>> rows(Call<?> call, LayersConfig config, Filter filter, Question question) {
        long candidates = config.candidateFactor() * config.passages();
        Map<String, Object> values = config.values();
        values.put("permitted", filter.documents());
        values.put("candidates", filter.candidates(candidates));
        values.put("hits", Math.max(config.hits(), candidates));
        String text = question.neededText();
        Question.Asked asked = question.asked();
        List<Map<String, Object>> names = names(call, config, text, values);
        QuestionVector rest = asked.direction();
        for (Map<String, Object> name : names) {
            double[] vector = Vectors.of(name.get("vector"));
            rest = vector == null ? rest : rest.without(vector);
        }
        List<Double> left = Arrays.stream(rest.values()).boxed().toList();
        List<Map<String, Object>> questions = new ArrayList<>();
        questions.add(Map.of("vector", asked.vector(), "without", List.of()));
        if (!names.isEmpty() && config.restAlone()) {
            questions.add(Map.of("vector", left, "without", words(names)));
        }
        values.put("texts", List.of(text));
        values.put("asked", Map.of("questions", questions, "names", names, "dates", Days.in(text), "rest", left));
        values.put("layers", layers(config));
        return call.rows(STATEMENT, values);
    }

    private static List<String> layers(LayersConfig config) {
        return Stream.of(
                        Map.entry("Query", config.queryWeight()),
                        Map.entry("Window", config.windowWeight()),
                        Map.entry("Atom", config.atomWeight()),
                        Map.entry("RELATED_TO", config.tripleWeight()),
                        Map.entry("words", config.fulltextWeight()),
                        Map.entry("expandedWords", config.expandedWeight()),
                        Map.entry("dates", config.dateWeight()))
                .filter(layer -> layer.getValue() > 0)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** The names in a question. */
    private static List<Map<String, Object>> names(
            Call<?> call, LayersConfig config, String text, Map<String, Object> values) {
        boolean follows = config.walkWeight() > 0 && config.chainWeight() > 0 && config.nameShare() > 0;
        if (!follows || !mayHoldName(text)) {
            return List.of();
        }
        Map<String, Object> asked = new HashMap<>(values);
        asked.put("question", text);
        return call.rows("retrieve/layers/names", asked);
    }

    /** Whether a question has a capital letter inside, or letters of a script that has none. */
    private static boolean mayHoldName(String text) {
        return text.codePoints().skip(1).anyMatch(Character::isUpperCase)
                || text.codePoints().anyMatch(sign -> Character.getType(sign) == Character.OTHER_LETTER);
    }

    private static List<String> words(List<Map<String, Object>> names) {
        return names.stream().flatMap(name -> Stream.of(((String) name.get("name")).split(" "))).toList();
    }
}
