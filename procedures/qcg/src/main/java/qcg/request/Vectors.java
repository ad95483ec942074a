package qcg.request;

import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.QuestionVector;
import qcg.config.Refusal;
import qcg.store.Present;

/** Vectors in the forms in which they come: arrays of a property, lists of a call, the newer servers' own type. */
public final class Vectors {
    private static final String UNPACK = "CYPHER 25 RETURN toFloatList($vector) AS vector";

    private Vectors() {}

    /** The values of an array or a list of numbers; null for anything else. */
    public static double[] of(Object value) {
        if (value instanceof float[] floats) {
            return IntStream.range(0, floats.length).mapToDouble(place -> floats[place]).toArray();
        }
        if (value instanceof List<?> items && items.stream().allMatch(Number.class::isInstance)) {
            return items.stream().mapToDouble(item -> ((Number) item).doubleValue()).toArray();
        }
        return value instanceof double[] doubles ? doubles : null;
    }

    /** The values as numbers of four bytes. */
    public static float[] floats(double[] values) {
        float[] found = new float[values.length];
        for (int place = 0; place < values.length; place++) {
            found[place] = (float) values[place];
        }
        return found;
    }

    /** The values of a question's vector, which may be of the type VECTOR too; refuses anything else. */
    public static double[] given(Call<?> call, Object value) {
        double[] values = of(value);
        if (values == null && mayBeVector(value)) {
            values = unpacked(value, call.transaction());
        }
        if (values == null) {
            throw call.refusal("the question's vector is %s, but must be a list of numbers or a VECTOR.", Refusal.typeOf(value));
        }
        return values;
    }

    /** Refuses a vector that has not as many numbers as those of the graph. */
    public static void checkDimension(Call<?> call, String what, int dimension) {
        try (var found = call.transaction().findNodes(call.corpus().mark("Corpus"))) {
            Object stored = found.hasNext() ? Present.property(found.next(), "dimension") : null;
            if (stored instanceof Number wanted && wanted.intValue() != dimension) {
                throw call.refusal(
                        "%s has %d numbers, but those of the graph have %d. Embed it with the graph's model.",
                        what,
                        dimension,
                        wanted.intValue());
            }
        }
    }

    /** The direction of a question's vector; refuses one that has none. */
    public static QuestionVector direction(Call<?> call, double[] values) {
        try {
            return new QuestionVector(values);
        } catch (IllegalArgumentException error) {
            throw call.refusal("%s", error.getMessage());
        }
    }

    /** Whether this is one of the classes of the type VECTOR: Float32Vector, Int8Vector … */
    public static boolean mayBeVector(Object value) {
        return value != null && value.getClass().getSimpleName().endsWith("Vector");
    }

    /** The type VECTOR is newer than the interface that this is compiled against, but Cypher can read it. */
    private static double[] unpacked(Object vector, Transaction transaction) {
        try (var rows = transaction.execute(UNPACK, Map.of("vector", vector))) {
            return of(rows.next().get("vector"));
        } catch (QueryExecutionException error) {
            return null;
        }
    }
}
