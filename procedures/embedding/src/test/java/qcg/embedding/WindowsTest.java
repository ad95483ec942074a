package qcg.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The windows of Python, which a test there writes and checks: window, overlap, tokens of each word, spans. */
class WindowsTest {
    static Stream<String[]> cases() throws IOException {
        try (BufferedReader lines = new BufferedReader(
                new InputStreamReader(WindowsTest.class.getResourceAsStream("/windows.tsv"), StandardCharsets.UTF_8))) {
            return lines.lines().map(line -> line.split("\t")).toList().stream();
        }
    }

    @ParameterizedTest
    @MethodSource("cases")
    void spansAreThoseOfPython(String size, String overlap, String lengths, String expected) {
        int[] words = Stream.of(lengths.split(" ")).mapToInt(Integer::parseInt).toArray();
        long[] wordOfToken = IntStream.range(0, words.length)
                .mapToObj(word -> LongStream.generate(() -> word).limit(words[word]))
                .flatMapToLong(stream -> stream)
                .toArray();
        String spans = Tokens.spans(wordOfToken, Integer.parseInt(size), Integer.parseInt(overlap)).stream()
                .map(span -> span.start() + "-" + span.end())
                .collect(Collectors.joining(" "));
        assertEquals(expected, spans);
    }
}
