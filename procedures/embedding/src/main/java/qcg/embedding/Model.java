package qcg.embedding;

import ai.onnxruntime.OrtException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/** The model with its tokenizer, loaded once, when the first text comes. */
final class Model {
    static final String NAME = "all-MiniLM-L6-v2";
    static final int DIMENSION = 384;
    static final int WINDOW_TOKENS = 254; // as sentence-transformers reads: 256 with the two special tokens

    private static final String FILE = "/all-minilm-l6-v2.onnx";
    private static final String TOKENIZER_FILE = "/all-minilm-l6-v2-tokenizer.json";
    private static final int QUESTION_OVERLAP = WINDOW_TOKENS / 4;

    private static Model loaded;

    private final Tokenizer tokenizer;
    private final Encoder encoder;

    private Model() throws IOException, OrtException {
        try (InputStream json = resource(TOKENIZER_FILE)) {
            tokenizer = new Tokenizer(json);
        }
        // The runtime reads a file itself, so that the model's 90 MB do not pass through the heap.
        Path file = Files.createTempFile("qcg-model", ".onnx");
        try (InputStream model = resource(FILE)) {
            Files.copy(model, file, StandardCopyOption.REPLACE_EXISTING);
            encoder = new Encoder(file);
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** The model; the first call loads it, and others wait meanwhile. */
    static synchronized Model get() throws IOException, OrtException {
        if (loaded == null) {
            loaded = new Model();
        }
        return loaded;
    }

    /** The tokenizer's own file, for callers that count tokens themselves. */
    static String tokenizerJson() throws IOException {
        try (InputStream json = resource(TOKENIZER_FILE)) {
            return new String(json.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static InputStream resource(String name) throws IOException {
        InputStream found = Model.class.getResourceAsStream(name);
        if (found == null) {
            throw new FileNotFoundException(name + " is missing");
        }
        return found;
    }

    /** The vector of a question: of its text, or the mean of its windows where it is longer than the model reads. */
    float[] question(String text, Runnable guard) throws OrtException {
        Tokens tokens = tokenizer.encode(text);
        if (tokens.count() <= WINDOW_TOKENS) {
            return encoder.encode(List.of(tokens.ids())).get(0);
        }
        List<long[]> rows = beginnings(tokens.windows(WINDOW_TOKENS, QUESTION_OVERLAP), guard);
        float[][] vectors = new float[rows.size()][];
        for (List<Integer> batch : Batches.plan(rows)) {
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
            rows.add(tokenizer.encode(text).beginning(WINDOW_TOKENS));
        }
        return rows;
    }

    /** The vectors of those rows that a batch names. */
    List<float[]> encode(List<long[]> rows, List<Integer> batch) throws OrtException {
        return encoder.encode(batch.stream().map(rows::get).toList());
    }
}
