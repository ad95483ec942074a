package qcg;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * A key of a configuration: its default, its range or its choices, what it means. The kind of the value is that of the
 * default; the range of texts is that of how many there are.
 */
record Option(String name, Object standard, Number minimum, Number maximum, List<String> choices, String meaning) {
    static Option whole(String name, Long standard, Long minimum, Long maximum, String meaning) {
        return new Option(name, standard, minimum, maximum, null, meaning);
    }

    static Option real(String name, Double standard, Double minimum, Double maximum, String meaning) {
        return new Option(name, standard, minimum, maximum, null, meaning);
    }

    /** One of several words; without choices any text that is not empty. */
    static Option text(String name, String standard, List<String> choices, String meaning) {
        return new Option(name, standard, null, null, choices.isEmpty() ? null : choices, meaning);
    }

    static Option flag(String name, Boolean standard, String meaning) {
        return new Option(name, standard, null, null, null, meaning);
    }

    /** Names with what each weighs: a number that is at least 0, or the name of a property. */
    static Option weights(String name, Map<String, Object> standard, Long minimum, String meaning) {
        return new Option(name, new TreeMap<>(standard), minimum, null, null, meaning);
    }

    static Option texts(String name, List<String> standard, Long minimum, String meaning) {
        return new Option(name, standard, minimum, null, null, meaning);
    }

    /** What may be left out, and means nothing then: a filter (a map), or the ids of documents. */
    static Option maybe(String name, String type, String meaning) {
        return new Option(name, new Absent(type), null, null, null, meaning);
    }

    /** The default of what may be left out, and the type of what may be given. */
    private record Absent(String type) {}

    /** The value without the key; nothing for what may be left out. */
    public Object standard() {
        return standard instanceof Absent ? null : standard;
    }

    /** The value as the procedures use it, or an error that says what would fit. */
    Object checked(String procedure, Object value) {
        if (standard instanceof Absent && value == null) {
            return null;
        }
        Object fitting = converted(value);
        if (fitting == null) {
            throw new Refusal(procedure, "%s is %s, but must be %s.", name, Refusal.shown(value), expected());
        }
        return fitting;
    }

    private Object converted(Object value) {
        if (standard instanceof Long) {
            return value instanceof Long number && inRange(number) ? number : null;
        }
        if (standard instanceof Double) {
            boolean fits = value instanceof Number number && inRange(number.doubleValue());
            return fits ? ((Number) value).doubleValue() : null;
        }
        if (standard instanceof String) {
            return value instanceof String text && isChoice(text) ? text : null;
        }
        if (standard instanceof Boolean) {
            return value instanceof Boolean ? value : null;
        }
        if (standard instanceof Map) {
            boolean fits = value instanceof Map<?, ?> map
                    && map.size() >= minimum.intValue()
                    && map.values().stream().allMatch(Option::weighs);
            return fits ? value : null;
        }
        if (standard instanceof Absent absent && absent.type.equals("MAP")) {
            return value instanceof Map || value instanceof List ? value : null;
        }
        boolean isTexts = value instanceof List<?> items
                && (minimum == null || items.size() >= minimum.intValue())
                && items.stream().allMatch(item -> item instanceof String text && !text.isEmpty());
        return isTexts ? value : null;
    }

    private static boolean weighs(Object value) {
        return value instanceof String text
                ? !text.isEmpty()
                : value instanceof Number number && number.doubleValue() >= 0 && Double.isFinite(number.doubleValue());
    }

    private boolean inRange(double value) {
        return Double.isFinite(value)
                && value >= minimum.doubleValue()
                && (maximum == null || value <= maximum.doubleValue());
    }

    private boolean isChoice(String text) {
        return choices == null ? !text.isEmpty() : choices.contains(text);
    }

    private String expected() {
        if (choices != null) {
            return "one of " + String.join(", ", choices);
        }
        if (standard instanceof String) {
            return "a text that is not empty";
        }
        if (standard instanceof Absent absent && absent.type.equals("MAP")) {
            return "a map such as {author: 'Wu', year: {`$gte`: 2025}}";
        }
        if (standard instanceof List || standard instanceof Absent) {
            return "a list of texts";
        }
        if (standard instanceof Boolean) {
            return "true or false";
        }
        if (standard instanceof Map) {
            return "a map whose values are numbers that are at least 0, or names of properties";
        }
        String kind = standard instanceof Long ? "a whole number, " : "a number, ";
        return kind + (maximum == null ? "at least " + minimum : minimum + " to " + maximum);
    }

    /** The Cypher type of the value. */
    String type() {
        if (standard instanceof Absent absent) {
            return absent.type;
        }
        if (standard instanceof Boolean || standard instanceof Map) {
            return standard instanceof Boolean ? "BOOLEAN" : "MAP";
        }
        return standard instanceof Long
                ? "INTEGER"
                : standard instanceof Double ? "FLOAT" : standard instanceof String ? "STRING" : "LIST<STRING>";
    }
}
