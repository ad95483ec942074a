package qcg.request;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import qcg.algorithm.Spelling;

/**
 * A filter on documents as a map, {@code {author: 'Wu', year: {`$gte`: 2025}}}, as the steps that {@code retrieve/permitted}
 * evaluates; the package's {@code core/filters/conditions.py} reads the same.
 */
record Where(Call<?> call) {
    private static final Map<String, String> OPERATORS = Map.ofEntries(
            Map.entry("$eq", "="),
            Map.entry("$ne", "!="),
            Map.entry("$lt", "<"),
            Map.entry("$lte", "<="),
            Map.entry("$gt", ">"),
            Map.entry("$gte", ">="),
            Map.entry("$has", "has"),
            Map.entry("$prefix", "prefix"),
            Map.entry("$contains", "contains"),
            Map.entry("$like", "contains"),
            Map.entry("$ilike", "icontains"));
    private static final Set<String> ON_TEXT = Set.of("prefix", "contains", "icontains");
    private static final Set<String> ORDERING = Set.of("<", "<=", ">", ">=");
    private static final Set<String> COMPARING = Set.of("=", "!=", "<", "<=", ">", ">=", "in");
    private static final String PUBLISHED = "publishedAt";
    private static final Map<String, String> ALIASES = Map.of("published", PUBLISHED, "published_at", PUBLISHED);
    private static final Pattern MOMENT = Pattern.compile(
            "\\d{4}-\\d{2}(-\\d{2}([T ]\\d{2}:\\d{2}(:\\d{2}(\\.\\d+)?)?(Z|[+-]\\d{2}:?\\d{2})?)?)?");

    /** The steps of a filter; of one that is given as steps, as the package does, these. */
    List<Map<String, Object>> steps(Object given) {
        boolean areSteps = given instanceof List<?> items && !items.isEmpty() && items.stream().allMatch(Where::isStep);
        return areSteps ? Statement.asRows(given) : all(given);
    }

    private static boolean isStep(Object item) {
        return item instanceof Map<?, ?> step && step.get("operator") instanceof String;
    }

    /** What a map says: all of its entries must hold. */
    private List<Map<String, Object>> all(Object given) {
        if (!(given instanceof Map<?, ?> map) || map.isEmpty()) {
            throw call.refusal("where is %s, but must be a map such as {author: 'Wu', year: {`$gte`: 2025}}.", given);
        }
        return joined("and", map.entrySet(), entry -> entry((String) entry.getKey(), entry.getValue()));
    }

    /** The steps of several parts; a word joins each but the first to those before it. */
    private static <T> List<Map<String, Object>> joined(
            String word, Collection<T> parts, Function<T, List<Map<String, Object>>> read) {
        List<Map<String, Object>> steps = new ArrayList<>();
        for (T part : parts) {
            boolean isFirst = steps.isEmpty();
            steps.addAll(read.apply(part));
            if (!isFirst) {
                steps.add(Map.of("operator", word));
            }
        }
        return steps;
    }

    private static List<Map<String, Object>> negated(List<Map<String, Object>> steps) {
        List<Map<String, Object>> negated = new ArrayList<>(steps);
        negated.add(Map.of("operator", "not"));
        return negated;
    }

    private List<Map<String, Object>> entry(String key, Object value) {
        String word = key.toLowerCase(Locale.ROOT);
        if (word.equals("$not")) {
            return negated(all(value));
        }
        if (word.equals("$and") || word.equals("$or")) {
            if (!(value instanceof List<?> parts) || parts.isEmpty()) {
                throw call.refusal("%s of where is %s, but must be a list of maps.", word, value);
            }
            return joined(word.substring(1), parts, this::all);
        }
        if (word.startsWith("$")) {
            throw call.refusal("where has '%s' where a property is expected.", key);
        }
        String name = ALIASES.getOrDefault(key, key);
        if (!(value instanceof Map<?, ?> tests)) {
            return test(name, "$eq", value);
        }
        if (tests.isEmpty()) {
            throw call.refusal("'%s' of where has no operator.", key);
        }
        return joined("and", tests.entrySet(), one -> test(name, ((String) one.getKey()).toLowerCase(Locale.ROOT), one.getValue()));
    }

    private List<Map<String, Object>> test(String name, String operator, Object value) {
        return switch (operator) {
            case "$null" -> {
                List<Map<String, Object>> isNull = List.of(step(name, "is null", null));
                yield Boolean.TRUE.equals(value) ? isNull : negated(isNull);
            }
            case "$between" -> {
                List<?> ends = items(name, operator, value);
                if (ends.size() != 2) {
                    throw call.refusal("$between of '%s' is %s, but must be a list of 2 values.", name, value);
                }
                yield joined("and", List.of(0, 1), end -> compared(name, end == 0 ? ">=" : "<=", ends.get(end)));
            }
            case "$in" -> among(name, items(name, operator, value));
            case "$nin" -> negated(among(name, items(name, operator, value)));
            default -> compared(name, known(operator), operator.endsWith("like") ? withoutEnd(value) : value);
        };
    }

    private String known(String operator) {
        if (!OPERATORS.containsKey(operator)) {
            Set<String> all = new TreeSet<>(OPERATORS.keySet());
            all.addAll(Set.of("$between", "$in", "$nin", "$null"));
            throw call.refusal("where has no operator '%s'. %s", operator, Spelling.hint(operator, all));
        }
        return OPERATORS.get(operator);
    }

    private static Object withoutEnd(Object value) {
        return value instanceof String text ? text.replaceAll("%+$", "") : value;
    }

    private List<?> items(String name, String operator, Object value) {
        if (value instanceof List<?> items) {
            return items;
        }
        throw call.refusal("%s of '%s' is %s, but must be a list.", operator, name, value);
    }

    /** Of a list with times each is compared as far as it is told. */
    private List<Map<String, Object>> among(String name, List<?> items) {
        List<Object> meant = items.stream().map(item -> meant(name, "in", item)).toList();
        return meant.stream().anyMatch(Moment.class::isInstance)
                ? joined("or", meant, item -> List.of(step(name, "=", item)))
                : List.of(step(name, "in", meant));
    }

    private List<Map<String, Object>> compared(String name, String operator, Object value) {
        Object meant = meant(name, operator, value);
        if (ON_TEXT.contains(operator) && !(meant instanceof String)) {
            throw call.refusal("where asks whether '%s' %s %s, which is no text.", name, operator, value);
        }
        return List.of(step(name, operator, meant));
    }

    /** A time as ISO text, as far as it is told. */
    private record Moment(String text) {}

    private Object meant(String name, String operator, Object value) {
        if (value instanceof LocalDate || value instanceof LocalDateTime || value instanceof OffsetDateTime) {
            return new Moment(value.toString());
        }
        if (value instanceof ZonedDateTime zoned) {
            return new Moment(zoned.toOffsetDateTime().toString());
        }
        boolean isPublished = name.equals(PUBLISHED) && COMPARING.contains(operator);
        if (isPublished && value instanceof Long year && year >= 1000 && year <= 9999) {
            return new Moment(year.toString());
        }
        if (value instanceof String text && ORDERING.contains(operator) && MOMENT.matcher(text).matches()) {
            return new Moment(text.replace(' ', 'T'));
        }
        if (value instanceof String || value instanceof Number || value instanceof Boolean) {
            return value;
        }
        throw call.refusal("where compares '%s' with %s, but must with texts, numbers, dates, true or false.", name, value);
    }

    private static Map<String, Object> step(String name, String operator, Object meant) {
        Map<String, Object> step = new HashMap<>();
        step.put("name", name);
        step.put("operator", operator);
        step.put("value", meant instanceof Moment moment ? moment.text : meant);
        step.put("moment", meant instanceof Moment);
        return step;
    }
}
