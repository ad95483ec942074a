package qcg.algorithm;

/** The id of a relationship, in an order that does not depend on where the database stores it: numbers before text. */
public record Id(boolean isText, long number, String text) implements Comparable<Id> {
    /** The id for a property's value; whole numbers stay numbers, everything else is compared as text. */
    public static Id of(Object value) {
        boolean whole =
                value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
        return whole ? new Id(false, ((Number) value).longValue(), "") : new Id(true, 0, String.valueOf(value));
    }

    @Override
    public int compareTo(Id other) {
        if (isText != other.isText) {
            return isText ? 1 : -1;
        }
        return isText ? text.compareTo(other.text) : Long.compare(number, other.number);
    }
}
