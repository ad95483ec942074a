package qcg.embedding;

import ai.onnxruntime.OrtException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** The model with its tokenizer, loaded once, when the first text comes. */
final class Model {
    static final int MOST_ROWS = 32; // of a batch
    static final int MOST_TOKENS = 512; // of a batch; more rows of long texts were slower than two
    private static Model loaded;

    private final ModelFacts facts;
    private final Tokenizer tokenizer;
    private final Encoder encoder;

    private Model(ModelFacts facts) throws IOException, OrtException {
        this.facts = facts;
        try (InputStream json = facts.open(facts.tokenizer())) {
            tokenizer = new Tokenizer(json);
        }
        encoder = encoder(facts);
    }

    /** The runtime reads a file itself, so that the model's 90 MB and more do not pass through the heap. */
    private static Encoder encoder(ModelFacts facts) throws IOException, OrtException {
        if (facts.isFile()) {
            return new Encoder(Path.of(facts.model()), facts);
        }
        Path file = Files.createTempFile("qcg-model", ".onnx");
        try (InputStream model = facts.open(facts.model())) {
            Files.copy(model, file, StandardCopyOption.REPLACE_EXISTING);
            return new Encoder(file, facts);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** The model; the first call loads it, and others wait meanwhile. */
    static synchronized Model get() throws IOException, OrtException {
        if (loaded == null) {
            loaded = new Model(ModelFacts.installed());
        }
        return loaded;
    }

    /** The tokenizer's own file, for callers that count tokens themselves. */
    static String tokenizerJson() throws IOException {
        ModelFacts facts = ModelFacts.installed();
        try (InputStream json = facts.open(facts.tokenizer())) {
            return new String(json.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The vector of a text: of it with its prefix, or the mean of its windows where it is longer than the model reads. */
    float[] whole(String text, String prefix, Runnable guard) throws OrtException {
        Tokens tokens = tokenizer.encode(text);
        int window = Math.max(facts.windowTokens() - (prefix.isEmpty() ? 0 : tokenizer.encode(prefix).count()), 1);
        List<String> parts = new ArrayList<>();
        tokens.windows(window, window / 4).forEach(part -> parts.add(prefix + part));
        List<long[]> rows = beginnings(parts, guard);
        float[][] vectors = new float[rows.size()][];
        for (List<Integer> batch : batches(rows)) {
            guard.run();
            List<float[]> found = encode(rows, batch);
            for (int place = 0; place < batch.size(); place++) {
                vectors[batch.get(place)] = found.get(place);
            }
        }
        return Vectors.mean(List.of(vectors));
    }

    /** The ids of the texts' tokens, as far as the model reads. */
    List<long[]> beginnings(List<String> texts, Runnable guard) {
        List<long[]> rows = new ArrayList<>(texts.size());
        for (String text : texts) {
            guard.run();
            rows.add(tokenizer.encode(text).beginning(facts.windowTokens()));
        }
        return rows;
    }

    /**
     * Indexes of the rows that go through the model together: those of like length, short ones first, so that little is
     * padded. Padding included, a batch holds only so many tokens.
     */
    static List<List<Integer>> batches(List<long[]> rows) {
        List<Integer> sorted = IntStream.range(0, rows.size())
                .boxed()
                .sorted(Comparator.comparingInt(index -> rows.get(index).length))
                .toList();
        List<List<Integer>> batches = new ArrayList<>();
        int begin = 0;
        for (int end = 1; end <= sorted.size(); end++) {
            if (end == sorted.size() || !fits(end + 1 - begin, rows.get(sorted.get(end)).length)) {
                batches.add(sorted.subList(begin, end));
                begin = end;
            }
        }
        return batches;
    }

    private static boolean fits(int rows, int longest) {
        return rows <= MOST_ROWS && rows * longest <= MOST_TOKENS;
    }

    /** The vectors of those rows that a batch names. */
    List<float[]> encode(List<long[]> rows, List<Integer> batch) throws OrtException {
        return encoder.encode(batch.stream().map(rows::get).toList());
    }
}
