package qcg.config;

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

    /** A word for the type of a value. */
    public static String typeOf(Object value) {
        return value == null ? "null" : "of the type " + value.getClass().getSimpleName();
    }
}
