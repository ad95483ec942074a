package qcg.store;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** Files that this jar carries. */
public final class Resource {
    private Resource() {}

    /** Whether there is a file of that path. */
    public static boolean isThere(String path) {
        return Resource.class.getResource(path) != null;
    }

    /** The text of a file. */
    public static String text(String path) {
        try (InputStream stream = Resource.class.getResourceAsStream(path)) {
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }

    /** The lines of a table, each as its cells. */
    public static List<String[]> table(String path) {
        return text(path).lines().map(line -> line.split("\t", -1)).toList();
    }
}
