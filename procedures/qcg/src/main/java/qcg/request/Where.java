package qcg.request;

import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZonedDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import qcg.algorithm.Spelling;
import qcg.config.Refusal;

/**
 * A filter on documents as a map, {@code {author: 'Wu', year: {`$gte`: 2025}}}, as the steps that {@code retrieve/permitted}
 * evaluates; the package's {@code core/filters/conditions.py} reads the same.
 */
record Where(String procedure) {
    private static final Map<String, String> OPERATORS = Map.ofEntries(
            Map.entry("$eq", "="),
            Map.entry("$ne", "!="),
            Map.entry("$lt", "<"),
            Map.entry("$lte", "<="),
            Map.entry("$gt", ">"),
            Map.entry("$gte", ">="),
            Map.entry("$in", "in"),
            Map.entry("$nin", "in"),
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
    @SuppressWarnings("unchecked")
    List<Map<String, Object>> steps(Object given) {
        List<Map<String, Object>> steps = new ArrayList<>();
        if (given instanceof List<?> ready && !ready.isEmpty() && ready.stream().allMatch(Where::isStep)) {
            ready.forEach(step -> steps.add((Map<String, Object>) step));
        } else {
            all(given, steps);
        }
        return steps;
    }

    private static boolean isStep(Object item) {
        return item instanceof Map<?, ?> step && step.get("operator") instanceof String;
    }

    /** What a map says: all of its entries must hold. */
    private void all(Object given, List<Map<String, Object>> steps) {
        if (!(given instanceof Map<?, ?> map) || map.isEmpty()) {
            throw new Refusal(
                    procedure, "where is %s, but must be a map such as {author: 'Wu', year: {`$gte`: 2025}}.", given);
        }
        boolean isFirst = true;
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            entry((String) entry.getKey(), entry.getValue(), steps);
            join(isFirst, "and", steps);
            isFirst = false;
        }
    }

    private static void join(boolean isFirst, String word, List<Map<String, Object>> steps) {
        if (!isFirst) {
            steps.add(Map.of("operator", word));
        }
    }

    private void entry(String key, Object value, List<Map<String, Object>> steps) {
        String word = key.toLowerCase(Locale.ROOT);
        if (word.equals("$not")) {
            all(value, steps);
            steps.add(Map.of("operator", "not"));
        } else if (word.equals("$and") || word.equals("$or")) {
            several(word, value, steps);
        } else if (word.startsWith("$")) {
            throw new Refusal(procedure, "where has '%s' where a property is expected.", key);
        } else if (value instanceof Map<?, ?> tests) {
            tests(key, tests, steps);
        } else {
            test(key, "$eq", value, steps);
        }
    }

    private void several(String word, Object value, List<Map<String, Object>> steps) {
        if (!(value instanceof List<?> parts) || parts.isEmpty()) {
            throw new Refusal(procedure, "%s of where is %s, but must be a list of maps.", word, value);
        }
        for (int place = 0; place < parts.size(); place++) {
            all(parts.get(place), steps);
            join(place == 0, word.substring(1), steps);
        }
    }

    private void tests(String name, Map<?, ?> tests, List<Map<String, Object>> steps) {
        if (tests.isEmpty()) {
            throw new Refusal(procedure, "'%s' of where has no operator.", name);
        }
        boolean isFirst = true;
        for (Map.Entry<?, ?> one : tests.entrySet()) {
            test(name, ((String) one.getKey()).toLowerCase(Locale.ROOT), one.getValue(), steps);
            join(isFirst, "and", steps);
            isFirst = false;
        }
    }

    private void test(String given, String operator, Object value, List<Map<String, Object>> steps) {
        String name = ALIASES.getOrDefault(given, given);
        switch (operator) {
            case "$null" -> {
                steps.add(step(name, "is null", null, false));
                negate(!Boolean.TRUE.equals(value), steps);
            }
            case "$between" -> {
                List<?> ends = items(name, operator, value);
                if (ends.size() != 2) {
                    throw new Refusal(procedure, "$between of '%s' is %s, but must be a list of 2 values.", name, value);
                }
                compare(name, ">=", ends.get(0), steps);
                compare(name, "<=", ends.get(1), steps);
                join(false, "and", steps);
            }
            case "$in", "$nin" -> {
                among(name, items(name, operator, value), steps);
                negate(operator.equals("$nin"), steps);
            }
            default -> compare(name, known(operator), operator.endsWith("like") ? withoutEnd(value) : value, steps);
        }
    }

    private String known(String operator) {
        if (!OPERATORS.containsKey(operator)) {
            Set<String> all = new TreeSet<>(OPERATORS.keySet());
            all.addAll(Set.of("$between", "$null"));
            throw new Refusal(procedure, "where has no operator '%s'. %s", operator, Spelling.hint(operator, all));
        }
        return OPERATORS.get(operator);
    }

    private static Object withoutEnd(Object value) {
        return value instanceof String text ? text.replaceAll("%+$", "") : value;
    }

    private static void negate(boolean isNegated, List<Map<String, Object>> steps) {
        if (isNegated) {
            steps.add(Map.of("operator", "not"));
        }
    }

    private List<?> items(String name, String operator, Object value) {
        if (value instanceof List<?> items) {
            return items;
        }
        throw new Refusal(procedure, "%s of '%s' is %s, but must be a list.", operator, name, value);
    }

    /** Of a list with times each is compared as far as it is told. */
    private void among(String name, List<?> items, List<Map<String, Object>> steps) {
        List<Object> meant = new ArrayList<>();
        items.forEach(item -> meant.add(meant(name, "in", item)));
        if (meant.stream().noneMatch(Moment.class::isInstance)) {
            steps.add(step(name, "in", meant, false));
            return;
        }
        for (int place = 0; place < meant.size(); place++) {
            push(name, "=", meant.get(place), steps);
            join(place == 0, "or", steps);
        }
    }

    private void compare(String name, String operator, Object value, List<Map<String, Object>> steps) {
        Object meant = meant(name, operator, value);
        if (ON_TEXT.contains(operator) && !(meant instanceof String)) {
            throw new Refusal(procedure, "where asks whether '%s' %s %s, which is no text.", name, operator, value);
        }
        push(name, operator, meant, steps);
    }

    private static void push(String name, String operator, Object meant, List<Map<String, Object>> steps) {
        boolean isMoment = meant instanceof Moment;
        steps.add(step(name, operator, isMoment ? ((Moment) meant).text : meant, isMoment));
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
        throw new Refusal(
                procedure,
                "where compares '%s' with %s, but must with texts, numbers, dates, true or false.",
                name,
                value);
    }

    private static Map<String, Object> step(String name, String operator, Object value, boolean isMoment) {
        Map<String, Object> step = new HashMap<>();
        step.put("name", name);
        step.put("operator", operator);
        step.put("value", value);
        step.put("moment", isMoment);
        return step;
    }
}
