package qcg.request;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.neo4j.graphdb.Transaction;
import qcg.store.Resource;

/**
 * A Cypher statement that this jar carries, the same file that the Python package runs. Several joined by {@code " | "} are
 * one: each takes the rows of the one before it in place of its parameter {@code $found}.
 */
public record Statement(String text, Set<String> parameters) {
    private static final Pattern DECLARED = Pattern.compile("^// \\$(\\w+): ", Pattern.MULTILINE);
    private static final Pattern FOUND = Pattern.compile("^UNWIND \\$found AS found WITH .*$", Pattern.MULTILINE);
    private static final String HEADER = "(?s)^// [^\n]*\n(// \\$[^\n]*\n)*";
    private static final String PIPE = " \\| ";
    private static final Map<Place, Statement> READ = new ConcurrentHashMap<>();

    private record Place(String path, Corpus corpus) {}

    /** The statement of a path such as {@code retrieve/qcg}, for a corpus. */
    public static Statement of(String path, Corpus corpus) {
        return READ.computeIfAbsent(new Place(path, corpus), Statement::read);
    }

    /** The text of a statement that somebody has named, which is not kept; null where the jar has none of that path. */
    public static String textOf(String path, Corpus corpus) {
        boolean isThere = Stream.of(path.split(PIPE, -1))
                .allMatch(one -> one.matches("retrieve/[a-z0-9_/]+") && Resource.isThere(file(one)));
        return isThere ? read(new Place(path, corpus)).text : null;
    }

    private static String file(String path) {
        return "/cypher/" + path + ".cypher";
    }

    private static Statement read(Place place) {
        String joined = Stream.of(place.path.split(PIPE))
                .map(path -> Resource.text(file(path)))
                .reduce(Statement::joined)
                .orElseThrow();
        String text = place.corpus.translated(joined);
        Set<String> names = DECLARED.matcher(text)
                .results()
                .map((MatchResult found) -> found.group(1))
                .collect(Collectors.toUnmodifiableSet());
        return new Statement(text, names);
    }

    /** The rows of the first stand where the second takes those that were found; the head has the parameters of both. */
    private static String joined(String first, String second) {
        String inner = "CALL () {\n" + first.replaceFirst(HEADER, "").stripTrailing().indent(2) + "}";
        String body = FOUND.matcher(second.replaceFirst(HEADER, "")).replaceFirst(place -> Matcher.quoteReplacement(inner));
        Set<String> head = new LinkedHashSet<>(second.lines().takeWhile(line -> line.startsWith("//")).toList());
        head.addAll(first.lines().skip(1).takeWhile(line -> line.startsWith("// $")).toList());
        head.removeIf(line -> line.startsWith("// $found:"));
        return String.join("\n", head) + "\n" + body;
    }

    /** A value that is rows. */
    @SuppressWarnings("unchecked")
    public static List<Map<String, Object>> asRows(Object value) {
        return (List<Map<String, Object>>) value;
    }

    /** The rows for those of the values that the statement declares as parameters. */
    public List<Map<String, Object>> rows(Transaction transaction, Map<String, Object> values) {
        Map<String, Object> chosen = new LinkedHashMap<>(values);
        chosen.keySet().retainAll(parameters);
        try (var result = transaction.execute(text, chosen)) {
            return result.stream().toList();
        }
    }
}
