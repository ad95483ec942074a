package qcg.config;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.neo4j.procedure.Description;
import qcg.store.Resource;

/** A key of a configuration as Python declares it, and as {@code qcg.configuration} shows it. */
public record Option(
        @Description("The procedure.") String procedure,
        @Description("The key in its configuration.") String key,
        @Description("The type of the value.") String type,
        @Description("The value without the key.") Object defaultValue,
        @Description("The least value; null without one.") Number minimum,
        @Description("The greatest value; null without one.") Number maximum,
        @Description("The values that are possible; null where others are too.") List<String> choices,
        @Description("What it means.") String meaning) {
    /** The keys of each procedure that has a configuration; procedures/options.py has written the table. */
    public static final Map<String, List<Option>> ALL = Resource.table("/options.tsv").stream()
            .map(Option::of)
            .collect(Collectors.groupingBy(Option::procedure, TreeMap::new, Collectors.toList()));

    /** The option of a line, whose cells are in the order of the fields. */
    private static Option of(String[] cells) {
        String type = cells[2];
        String ofLimits = type.equals("FLOAT") ? type : "INTEGER"; // those of a list are of its length
        return new Option(
                cells[0],
                cells[1],
                type,
                value(type, cells[3]),
                (Number) value(ofLimits, cells[4]),
                (Number) value(ofLimits, cells[5]),
                cells[6].isEmpty() ? null : List.of(cells[6].split(" ")),
                cells[7]);
    }

    private static Object value(String type, String text) {
        if (text.isEmpty()) {
            return null;
        }
        return switch (type) {
            case "INTEGER" -> Long.valueOf(text);
            case "FLOAT" -> Double.valueOf(text);
            case "BOOLEAN" -> Boolean.valueOf(text);
            case "LIST<STRING>" -> List.of(text.split(" "));
            default -> text;
        };
    }

    /** The value as the procedures use it, or an error that says what would fit. */
    Object checked(Object value) {
        if (defaultValue == null && value == null) {
            return null;
        }
        Object fitting = fitting(value);
        if (fitting == null) {
            throw new Refusal(procedure, "%s is %s, but must be %s.", key, Refusal.shown(value), expected());
        }
        return fitting;
    }

    private Object fitting(Object value) {
        boolean fits = switch (type) {
            case "INTEGER" -> value instanceof Long number && inRange(number);
            case "FLOAT" -> value instanceof Number number && inRange(number.doubleValue());
            case "BOOLEAN" -> value instanceof Boolean;
            case "STRING" -> value instanceof String text && (choices == null ? !text.isEmpty() : choices.contains(text));
            case "LIST<STRING>" -> value instanceof List<?> items
                    && (minimum == null || items.size() >= minimum.intValue())
                    && items.stream().allMatch(item -> item instanceof String text && !text.isEmpty());
            case "MAP" -> value instanceof Map || value instanceof List;
            default -> throw new IllegalStateException(type);
        };
        if (!fits) {
            return null;
        }
        return type.equals("FLOAT") ? (Object) ((Number) value).doubleValue() : value;
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
            case "INTEGER" -> "a whole number, " + range();
            case "FLOAT" -> "a number, " + range();
            case "BOOLEAN" -> "true or false";
            case "STRING" -> "a text that is not empty";
            case "LIST<STRING>" -> "a list of texts";
            case "MAP" -> "a map such as {author: 'Wu', year: {`$gte`: 2025}}";
            default -> throw new IllegalStateException(type);
        };
    }

    private String range() {
        return maximum == null ? "at least " + minimum : minimum + " to " + maximum;
    }
}
