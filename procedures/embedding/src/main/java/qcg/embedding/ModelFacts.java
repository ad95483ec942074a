package qcg.embedding;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * Which model it is, and where its files are.
 *
 * @param name the name that graphs record
 * @param dimension how many numbers a vector has
 * @param windowTokens how many tokens the model reads, special ones not counted
 * @param pooling {@code mean} of the states of tokens, or the {@code first} one
 * @param model the ONNX file: a path where {@code isFile}, else the name of a resource
 * @param tokenizer the {@code tokenizer.json}, likewise
 * @param isFile whether both are files of a folder rather than of a jar
 */
record ModelFacts(
        String name, int dimension, int windowTokens, String pooling, String model, String tokenizer, boolean isFile) {
    private static final String PROPERTY = "qcg.embedding.";
    private static final String KNOWN = "/qcg/embedding/models.tsv"; // written from the Python package

    /** The model that this server has: that of the properties, else the known one whose jar is there. */
    static ModelFacts installed() throws IOException {
        if (System.getProperty(PROPERTY + "name") != null) {
            return new ModelFacts(
                    property("name"),
                    Integer.parseInt(property("dimension")),
                    Integer.parseInt(property("windowTokens")),
                    property("pooling"),
                    property("model"),
                    property("tokenizer"),
                    true);
        }
        List<ModelFacts> present = known().stream()
                .filter(one -> ModelFacts.class.getResource(one.model()) != null)
                .toList();
        if (present.size() > 1) {
            List<String> names = present.stream().map(ModelFacts::name).toList();
            throw new IllegalStateException(
                    "The folder of plug-ins has several models: %s. Leave one there.".formatted(String.join(", ", names)));
        }
        return present.isEmpty() ? known().get(0) : present.get(0); // the first is the default; its loading explains
    }

    private static String property(String key) {
        String value = System.getProperty(PROPERTY + key);
        if (value == null) {
            throw new IllegalStateException("The option -D%s%s of the JVM is missing.".formatted(PROPERTY, key));
        }
        return value;
    }

    /** The models that have a jar, the default first. */
    static List<ModelFacts> known() throws IOException {
        try (InputStream file = ModelFacts.class.getResourceAsStream(KNOWN)) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8).lines().map(ModelFacts::ofLine).toList();
        }
    }

    private static ModelFacts ofLine(String line) {
        String[] parts = line.split("\t");
        String file = "/" + parts[4];
        int dimension = Integer.parseInt(parts[1]);
        int window = Integer.parseInt(parts[2]);
        return new ModelFacts(parts[0], dimension, window, parts[3], file + ".onnx", file + "-tokenizer.json", false);
    }

    /** Opens one of the two files. */
    InputStream open(String file) throws IOException {
        if (isFile) {
            return Files.newInputStream(Path.of(file));
        }
        InputStream found = ModelFacts.class.getResourceAsStream(file);
        if (found == null) {
            throw new FileNotFoundException(file + " is missing");
        }
        return found;
    }
}
