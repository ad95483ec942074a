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
    private static final Map<String, Statement> READ = new ConcurrentHashMap<>();

    /** The statement of a path such as {@code retrieve/qcg}. */
    static Statement of(String path) {
        return READ.computeIfAbsent(path, Statement::read);
    }

    private static Statement read(String path) {
        try (InputStream stream = Statement.class.getResourceAsStream("/cypher/" + path + ".cypher")) {
            String text = new String(stream.readAllBytes(), StandardCharsets.UTF_8);
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
