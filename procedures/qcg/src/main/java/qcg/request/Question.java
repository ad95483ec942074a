package qcg.request;

import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.QuestionVector;
import qcg.config.Refusal;

/** A question to a corpus as somebody gave it: as text, as vector, or both; either is null where it is missing. */
public record Question(String procedure, String text, Object vector, Corpus corpus) {
    private static final int LONGEST = 20_000;
    private static final String SHAPE = "must be a text, a vector, or {text: …, vector: …}.";
    private static final String EMBED = "CALL qcg.embedding.model() YIELD name"
            + " OPTIONAL MATCH (corpus:QcgCorpus) WITH name, corpus.embeddingModel AS recorded,"
            + " coalesce(corpus.questionPrefix, '') AS prefix RETURN name, recorded,"
            + " CASE WHEN recorded IS NULL OR recorded = name THEN qcg.embed($text, prefix) END AS vector";

    /** What a caller gave as the question. */
    public static Question of(Call<?> call, Object given) {
        String procedure = call.procedure();
        Corpus corpus = call.corpus();
        if (given instanceof String text) {
            return new Question(procedure, checked(procedure, text), null, corpus);
        }
        if (given instanceof Map<?, ?> both) {
            if (!Set.of("text", "vector").equals(both.keySet()) || !(both.get("text") instanceof String text)) {
                throw new Refusal(procedure, "a question that is a map must be {text: …, vector: …}.");
            }
            return new Question(procedure, checked(procedure, text), vector(procedure, both.get("vector")), corpus);
        }
        return new Question(procedure, null, vector(procedure, given), corpus);
    }

    /** The text, or an error where there is none. */
    public String neededText() {
        if (text == null) {
            throw new Refusal(procedure, "this method searches for words, so it needs the question as text.");
        }
        return text;
    }

    /** A question's vector in the form in which indexes take it, with its values and its direction. */
    public record Asked(Object vector, double[] values, QuestionVector direction) {}

    /** The vector, made from the text where it is missing; refuses one that the graph cannot be searched with. */
    public Asked asked(Transaction transaction) {
        Object taken = vector == null ? embedded(transaction) : vector;
        double[] values = Vectors.given(procedure, taken, transaction);
        QuestionVector direction = Vectors.direction(procedure, values);
        Vectors.checkDimension(procedure, "the question's vector", values.length, corpus, transaction);
        return new Asked(taken, values, direction);
    }

    /** The same, of which only the vector is needed. */
    public Object neededVector(Transaction transaction) {
        return asked(transaction).vector();
    }

    private Object embedded(Transaction transaction) {
        try (var rows = transaction.execute(corpus.translated(EMBED), Map.of("text", text))) {
            Map<String, Object> row = rows.next();
            if (row.get("vector") == null) {
                throw new Refusal(
                        procedure,
                        "the graph was made with the embedding model %1$s, but this server embeds with %2$s."
                                + " Give the question as its vector by %1$s, or let the server embed by it"
                                + " (`qcg server start --database-model`).",
                        row.get("recorded"),
                        row.get("name"));
            }
            return row.get("vector");
        } catch (QueryExecutionException error) {
            if (error.getStatusCode().endsWith("ProcedureNotFound")) {
                throw new Refusal(
                        procedure,
                        "a question given as text is embedded by the plug-in qcg-embedding, which this server lacks."
                                + " Install it, or give the question as its vector, or as {text: …, vector: …}.");
            }
            throw error;
        }
    }

    private static String checked(String procedure, String text) {
        String question = text.strip();
        if (question.isEmpty()) {
            throw new Refusal(procedure, "the question is empty.");
        }
        int length = question.codePointCount(0, question.length());
        if (length > LONGEST) {
            throw new Refusal(procedure, "the question has %d characters; at most %d are taken.", length, LONGEST);
        }
        return question;
    }

    private static Object vector(String procedure, Object given) {
        boolean fits = given instanceof List<?> values && !values.isEmpty() && Vectors.of(values) != null;
        if (!fits && !Vectors.mayBeVector(given)) {
            throw new Refusal(procedure, "the question is %s, but %s", Refusal.typeOf(given), SHAPE);
        }
        return given;
    }
}
