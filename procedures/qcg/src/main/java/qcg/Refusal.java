package qcg;

/** What a caller has given does not fit; the message says where, what it is, and what would fit. */
final class Refusal extends IllegalArgumentException {
    private static final long serialVersionUID = 1;

    Refusal(String procedure, String problem, Object... values) {
        super(procedure + ": " + problem.formatted(values));
    }

    /** A word for the type of a value. */
    static String typeOf(Object value) {
        return value == null ? "null" : "of the type " + value.getClass().getSimpleName();
    }
}
