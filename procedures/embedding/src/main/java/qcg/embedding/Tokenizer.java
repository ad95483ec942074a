package qcg.embedding;

import ai.djl.huggingface.tokenizers.Encoding;
import ai.djl.huggingface.tokenizers.HuggingFaceTokenizer;
import ai.djl.huggingface.tokenizers.jni.CharSpan;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Stream;

/** The model's tokenizer, without truncation and padding; several threads may use it at once. */
final class Tokenizer {
    private static final Map<String, String> OPTIONS = Map.of("truncation", "do_not_truncate", "padding", "do_not_pad");

    private final HuggingFaceTokenizer tokenizer;

    Tokenizer(InputStream json) throws IOException {
        // The library fetches nothing and tells nobody; both must be set before its first class is loaded.
        System.setProperty("ai.djl.offline", "true");
        System.setProperty("OPT_OUT_TRACKING", "true");
        // It unpacks its native part into a folder that stays, by default in the home of the server's user.
        Path folder = System.getProperty("ENGINE_CACHE_DIR") == null && System.getenv("ENGINE_CACHE_DIR") == null
                ? Files.createTempDirectory("qcg-tokenizer")
                : null;
        if (folder != null) {
            System.setProperty("ENGINE_CACHE_DIR", folder.toString());
        }
        tokenizer = HuggingFaceTokenizer.newInstance(json, OPTIONS);
        if (folder != null) {
            deleteAtTheEnd(folder);
        }
    }

    private static void deleteAtTheEnd(Path folder) throws IOException {
        try (Stream<Path> paths = Files.walk(folder)) {
            paths.forEach(path -> path.toFile().deleteOnExit()); // the JVM deletes in reverse order
        }
    }

    /** The tokens of a text. */
    Tokens encode(String text) {
        Encoding encoding = tokenizer.encode(checked(text), true, false);
        int[] places = characters(text);
        int count = encoding.getIds().length - 2; // without the special tokens at both ends
        int[] starts = new int[count];
        int[] ends = new int[count];
        CharSpan[] spans = encoding.getCharTokenSpans();
        for (int token = 0; token < count; token++) {
            CharSpan span = spans[token + 1];
            starts[token] = places[span.getStart()];
            ends[token] = places[span.getEnd()];
        }
        long[] words = Arrays.copyOfRange(encoding.getWordIds(), 1, count + 1);
        return new Tokens(text, encoding.getIds(), starts, ends, words);
    }

    /** Where each code point begins, for the tokenizer counts these. */
    private static int[] characters(String text) {
        int number = text.codePointCount(0, text.length());
        int[] places = new int[number + 1];
        for (int point = 0; point < number; point++) {
            places[point + 1] = text.offsetByCodePoints(places[point], 1);
        }
        return places;
    }

    /** The text, if each of its characters is whole; the tokenizer's native part takes no others. */
    static String checked(String text) {
        for (int place = 0, point; place < text.length(); place += Character.charCount(point)) {
            point = text.codePointAt(place);
            if (Character.getType(point) == Character.SURROGATE) {
                throw new IllegalArgumentException(
                        "The text contains an unpaired surrogate (U+%04X) at offset %d; correct it first.".formatted(point, place));
            }
        }
        return text;
    }
}
