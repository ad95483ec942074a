package qcg.config;

import java.util.List;
import java.util.Objects;
import org.neo4j.graphdb.Node;

/** What a caller has given does not fit; the message says where, what it is, and what would fit. */
public final class Refusal extends IllegalArgumentException {
    private static final long serialVersionUID = 1;
    private static final int LONGEST = 100;

    public Refusal(String procedure, String problem, Object... values) {
        super(procedure + ": " + problem.formatted(values));
    }

    /** A value as a message shows it: a text in quotes, and nothing longer than a line. */
    public static String shown(Object value) {
        String text = value instanceof String given ? "'" + given + "'" : String.valueOf(value);
        return text.length() <= LONGEST ? text : text.substring(0, LONGEST) + "…";
    }

    /** The nodes, or an error where there is no list of them. */
    public static List<Node> nodes(String procedure, String name, List<Node> given) {
        if (given == null || given.stream().anyMatch(Objects::isNull)) {
            String what = given == null ? "is null" : "holds null";
            throw new Refusal(procedure, "%s %s, but must be a list of nodes.", name, what);
        }
        return given;
    }

    /** A word for the type of a value. */
    public static String typeOf(Object value) {
        return value == null ? "null" : "of the type " + value.getClass().getSimpleName();
    }
}
