package qcg.request;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.QueryExecutionException;
import qcg.algorithm.QuestionVector;
import qcg.config.Refusal;

/** A question of a call as somebody gave it: as text, as vector, or both; either is null where it is missing. */
public record Question(Call<?> call, String text, Object vector) {
    private static final int LONGEST = 20_000;
    private static final String SHAPE = "must be a text, a vector, or {text: …, vector: …}.";
    private static final String EMBED = "CALL qcg.embedding.model() YIELD name"
            + " OPTIONAL MATCH (corpus:QcgCorpus) WITH name, corpus.embeddingModel AS recorded,"
            + " coalesce(corpus.questionPrefix, '') AS prefix RETURN name, recorded,"
            + " CASE WHEN recorded IS NULL OR recorded = name THEN qcg.embed($text, prefix) END AS vector";

    /** What a caller gave as the question. */
    public static Question of(Call<?> call, Object given) {
        if (given instanceof String text) {
            return new Question(call, checked(call, text), null);
        }
        if (given instanceof Map<?, ?> both) {
            if (!Set.of("text", "vector").equals(both.keySet()) || !(both.get("text") instanceof String text)) {
                throw call.refusal("a question that is a map must be {text: …, vector: …}.");
            }
            return new Question(call, checked(call, text), vector(call, both.get("vector")));
        }
        return new Question(call, null, vector(call, given));
    }

    /** The text, or an error where there is none. */
    public String neededText() {
        if (text == null) {
            throw call.refusal("this method searches for words, so it needs the question as text.");
        }
        return text;
    }

    /** A question's vector in the form in which indexes take it, and its direction. */
    public record Asked(Object vector, QuestionVector direction) {}

    /** The vector, made from the text where it is missing; refuses one that the graph cannot be searched with. */
    public Asked asked() {
        return asked("give the question as its vector, or as {text: …, vector: …}");
    }

    /** The same of a text; {@code otherwise} is what to do where the server cannot embed it. */
    public Asked asked(String otherwise) {
        Object taken = vector == null ? embedded(otherwise) : vector;
        double[] values = Vectors.given(call, taken);
        QuestionVector direction = Vectors.direction(call, values);
        Vectors.checkDimension(call, "the question's vector", values.length);
        return new Asked(taken, direction);
    }

    private Object embedded(String otherwise) {
        try (var rows = call.transaction().execute(call.corpus().translated(EMBED), Map.of("text", text))) {
            Map<String, Object> row = rows.next();
            if (row.get("vector") == null) {
                throw call.refusal(
                        "the graph was made with the embedding model %s, but this server embeds with %s."
                                + " Let the server embed by it (`qcg server start --database-model`), or %s.",
                        row.get("recorded"),
                        row.get("name"),
                        otherwise);
            }
            return row.get("vector");
        } catch (QueryExecutionException error) {
            if (error.getStatusCode().endsWith("ProcedureNotFound")) {
                throw call.refusal("a text is embedded by the plug-in qcg-embedding, which this server lacks."
                        + " Install it, or %s.", otherwise);
            }
            throw error;
        }
    }

    private static String checked(Call<?> call, String text) {
        String question = text.strip();
        if (question.isEmpty()) {
            throw call.refusal("the question is empty.");
        }
        int length = question.codePointCount(0, question.length());
        if (length > LONGEST) {
            throw call.refusal("the question has %d characters; at most %d are taken.", length, LONGEST);
        }
        return question;
    }

    private static Object vector(Call<?> call, Object given) {
        boolean fits = given instanceof List<?> values && !values.isEmpty() && Vectors.of(values) != null;
        if (!fits && !Vectors.mayBeVector(given)) {
            throw call.refusal("the question is %s, but %s", Refusal.typeOf(given), SHAPE);
        }
        return given;
    }
}
