package qcg.config;

import java.lang.reflect.RecordComponent;
import java.util.List;
import java.util.Map;

/** A key of a configuration as a record declares it: its type, its default, its range or its choices, its meaning. */
public record Option(
        String name, Type type, Object standard, Number minimum, Number maximum, List<String> choices, String meaning) {
    /** The types of values. */
    public enum Type {
        INTEGER,
        FLOAT,
        BOOLEAN,
        STRING,
        TEXTS,
        MAP
    }

    private static final Map<Class<?>, Type> TYPES = Map.of(
            long.class, Type.INTEGER,
            double.class, Type.FLOAT,
            boolean.class, Type.BOOLEAN,
            String.class, Type.STRING,
            List.class, Type.TEXTS,
            Object.class, Type.MAP);

    static Option of(RecordComponent component) {
        Key key = component.getAnnotation(Key.class);
        Type type = TYPES.get(component.getType());
        return new Option(
                component.getName(),
                type,
                standard(type, key.standard()),
                limit(type, key.minimum()),
                limit(type, key.maximum()),
                key.choices().length == 0 ? null : List.of(key.choices()),
                key.meaning());
    }

    private static Object standard(Type type, String[] texts) {
        if (texts.length == 0) {
            return null;
        }
        return switch (type) {
            case INTEGER -> Long.valueOf(texts[0]);
            case FLOAT -> Double.valueOf(texts[0]);
            case BOOLEAN -> Boolean.valueOf(texts[0]);
            case STRING -> texts[0];
            default -> List.of(texts);
        };
    }

    private static Number limit(Type type, double limit) {
        if (Double.isInfinite(limit)) {
            return null;
        }
        return type == Type.FLOAT ? (Number) limit : (Number) (long) limit;
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
