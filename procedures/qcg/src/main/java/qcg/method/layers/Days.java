package qcg.method.layers;

import java.time.DateTimeException;
import java.time.LocalDate;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import qcg.store.Resource;

/** Days that a question names, read by the forms and names of months that Python reads them by. */
final class Days {
    private static final String FORM = "form";
    private static final List<String[]> LINES = Resource.table("/days.tsv"); // procedures/options.py has written it
    private static final List<Pattern> FORMS = LINES.stream()
            .filter(parts -> parts[0].equals(FORM))
            .map(parts -> Pattern.compile(parts[1], Pattern.UNICODE_CHARACTER_CLASS))
            .toList();
    private static final Map<String, Integer> MONTHS = LINES.stream()
            .filter(parts -> !parts[0].equals(FORM))
            .collect(Collectors.toMap(parts -> parts[0], parts -> Integer.parseInt(parts[1])));

    private Days() {}

    /** The days of a text in ISO 8601, each once, in order. */
    static List<String> in(String text) {
        TreeSet<String> days = new TreeSet<>();
        for (Pattern form : FORMS) {
            for (Matcher found = form.matcher(text); found.find(); ) {
                try {
                    days.add(day(found).toString());
                } catch (DateTimeException noDay) {
                    continue;
                }
            }
        }
        return List.copyOf(days);
    }

    private static LocalDate day(Matcher found) {
        String month = found.group("month");
        int number = Character.isDigit(month.charAt(0))
                ? Integer.parseInt(month)
                : MONTHS.getOrDefault(month.toLowerCase(Locale.ROOT), 0);
        return LocalDate.of(Integer.parseInt(found.group("year")), number, Integer.parseInt(found.group("day")));
    }
}
