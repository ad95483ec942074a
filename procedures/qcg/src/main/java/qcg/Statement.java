package qcg;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.neo4j.graphdb.Transaction;

/** A Cypher statement that this jar carries, the same file that the Python package runs. */
record Statement(String text, Set<String> parameters) {
    private static final Pattern DECLARED = Pattern.compile("^// \\$(\\w+): ", Pattern.MULTILINE);
    private static final Map<Place, Statement> READ = new ConcurrentHashMap<>();

    private record Place(String path, Corpus corpus) {}

    /** The statement of a path such as {@code retrieve/qcg}, for a corpus. */
    static Statement of(String path, Corpus corpus) {
        return READ.computeIfAbsent(new Place(path, corpus), Statement::read);
    }

    /** Whether the jar has a statement of that path. */
    static boolean isThere(String path) {
        return path.matches("retrieve/[a-z0-9_/]+") && Statement.class.getResource(resource(path)) != null;
    }

    private static String resource(String path) {
        return "/cypher/" + path + ".cypher";
    }

    private static Statement read(Place place) {
        try (InputStream stream = Statement.class.getResourceAsStream(resource(place.path))) {
            String text = place.corpus.translated(new String(stream.readAllBytes(), StandardCharsets.UTF_8));
            Set<String> names = DECLARED.matcher(text)
                    .results()
                    .map((MatchResult found) -> found.group(1))
                    .collect(Collectors.toUnmodifiableSet());
            return new Statement(text, names);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** The rows for those of the values that the statement declares as parameters. */
    List<Map<String, Object>> rows(Transaction transaction, Map<String, Object> values) {
        Map<String, Object> chosen = new LinkedHashMap<>(values);
        chosen.keySet().retainAll(parameters);
        try (var result = transaction.execute(text, chosen)) {
            return result.stream().toList();
        }
    }
}
