package qcg.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import qcg.store.Resource;

/** A key of a configuration as Python declares it: its type, its default, its range or its choices, its meaning. */
public record Option(
        String name, Type type, Object standard, Number minimum, Number maximum, List<String> choices, String meaning) {
    /** The keys of each procedure that has a configuration; procedures/options.py has written the table. */
    public static final Map<String, List<Option>> ALL = Resource.table("/options.tsv").stream()
            .collect(Collectors.groupingBy(
                    cells -> cells[0], TreeMap::new, Collectors.mapping(Option::of, Collectors.toList())));

    /** The types of values. */
    public enum Type {
        INTEGER,
        FLOAT,
        BOOLEAN,
        STRING,
        TEXTS,
        MAP
    }

    /** The option of a line: after the procedure its name, type, default, minimum, maximum, choices and meaning. */
    private static Option of(String[] cells) {
        Type type = Type.valueOf(cells[2]);
        List<String> choices = cells[6].isEmpty() ? null : List.of(cells[6].split(" "));
        return new Option(cells[1], type, value(type, cells[3]), limit(type, cells[4]), limit(type, cells[5]), choices, cells[7]);
    }

    private static Object value(Type type, String text) {
        if (text.isEmpty()) {
            return null;
        }
        return switch (type) {
            case INTEGER -> Long.valueOf(text);
            case FLOAT -> Double.valueOf(text);
            case BOOLEAN -> Boolean.valueOf(text);
            case TEXTS -> List.of(text.split(" "));
            case STRING, MAP -> text;
        };
    }

    private static Number limit(Type type, String text) {
        return (Number) value(type == Type.FLOAT ? type : Type.INTEGER, text);
    }

    /** The type of the value in Cypher. */
    public String cypherType() {
        return type == Type.TEXTS ? "LIST<STRING>" : type.name();
    }

    /** The value as the procedures use it, or an error that says what would fit. */
    Object checked(String procedure, Object value) {
        if (standard == null && value == null) {
            return null;
        }
        Object fitting = fitting(value);
        if (fitting == null) {
            throw new Refusal(procedure, "%s is %s, but must be %s.", name, Refusal.shown(value), expected());
        }
        return fitting;
    }

    private Object fitting(Object value) {
        boolean fits = switch (type) {
            case INTEGER -> value instanceof Long number && inRange(number);
            case FLOAT -> value instanceof Number number && inRange(number.doubleValue());
            case BOOLEAN -> value instanceof Boolean;
            case STRING -> value instanceof String text && (choices == null ? !text.isEmpty() : choices.contains(text));
            case TEXTS -> value instanceof List<?> items
                    && (minimum == null || items.size() >= minimum.intValue())
                    && items.stream().allMatch(item -> item instanceof String text && !text.isEmpty());
            case MAP -> value instanceof Map || value instanceof List;
        };
        if (!fits) {
            return null;
        }
        return type == Type.FLOAT ? (Object) ((Number) value).doubleValue() : value;
    }

    private boolean inRange(double value) {
        return Double.isFinite(value)
                && (minimum == null || value >= minimum.doubleValue())
                && (maximum == null || value <= maximum.doubleValue());
    }

    private String expected() {
        if (choices != null) {
            return "one of " + String.join(", ", choices);
        }
        return switch (type) {
            case INTEGER -> "a whole number, " + range();
            case FLOAT -> "a number, " + range();
            case BOOLEAN -> "true or false";
            case STRING -> "a text that is not empty";
            case TEXTS -> "a list of texts";
            case MAP -> "a map such as {author: 'Wu', year: {`$gte`: 2025}}";
        };
    }

    private String range() {
        return maximum == null ? "at least " + minimum : minimum + " to " + maximum;
    }
}
