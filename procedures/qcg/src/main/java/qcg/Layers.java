package qcg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.QuestionVector;

/** What the statements of the layers are told: which layers count, the names in the question, and the question without them. */
final class Layers {
    private static final Map<String, String> WEIGHTS = new LinkedHashMap<>();

    static {
        WEIGHTS.put("Query", "queryWeight");
        WEIGHTS.put("Window", "windowWeight");
        WEIGHTS.put("Atom", "atomWeight");
        WEIGHTS.put("RELATED_TO", "tripleWeight");
        WEIGHTS.put("words", "fulltextWeight");
        WEIGHTS.put("expandedWords", "expandedWeight");
    }

    private Layers() {}

    /** Adds the values that are not settings: {@code layers}, and {@code asked} with questions, names and rest. */
    static void put(Map<String, Object> values, String text, Question.Asked asked, Corpus corpus, Transaction transaction) {
        List<Map<String, Object>> names = names(values, text, corpus, transaction);
        QuestionVector rest = asked.direction();
        for (Map<String, Object> name : names) {
            double[] vector = Vectors.of(name.get("vector"));
            rest = vector == null ? rest : rest.without(vector);
        }
        List<Double> left = Arrays.stream(rest.values()).boxed().toList();
        List<Map<String, Object>> questions = new ArrayList<>();
        questions.add(Map.of("vector", asked.vector(), "without", List.of()));
        if (!names.isEmpty() && (boolean) values.get("restAlone")) {
            questions.add(Map.of("vector", left, "without", words(names)));
        }
        values.put("asked", Map.of("questions", questions, "names", names, "rest", left));
        values.put("layers", WEIGHTS.keySet().stream().filter(layer -> weighs(values, WEIGHTS.get(layer))).toList());
    }

    /** The names in a question; only one with a capital letter inside may hold some. */
    private static List<Map<String, Object>> names(
            Map<String, Object> values, String text, Corpus corpus, Transaction transaction) {
        boolean follows = Stream.of("walkWeight", "chainWeight", "nameShare").allMatch(key -> weighs(values, key));
        if (!follows || text.codePoints().skip(1).noneMatch(Character::isUpperCase)) {
            return List.of();
        }
        Map<String, Object> asked = new LinkedHashMap<>(values);
        asked.put("question", text);
        return Statement.of("retrieve/names", corpus).rows(transaction, asked);
    }

    private static List<String> words(List<Map<String, Object>> names) {
        return names.stream().flatMap(name -> Stream.of(((String) name.get("name")).split(" "))).toList();
    }

    private static boolean weighs(Map<String, Object> values, String key) {
        return (double) values.get(key) > 0;
    }
}
