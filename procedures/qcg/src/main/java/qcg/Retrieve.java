package qcg;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** The retrieval methods: each runs the statement that the Python package runs, and shows its evidence as a graph. */
public class Retrieve {
    static final String QUESTION = "The question: a text, its vector, or {text: …, vector: …}.";
    private static final String TEXT = "The question as text.";
    static final String TEXT_OR_BOTH = "The question: a text, or {text: …, vector: …}.";
    @Context
    public Transaction transaction;

    /** A chunk of the evidence. */
    public record PassageRow(
            @Description("Place in the evidence, from 1.") long rank,
            @Description("The method's score; higher is better.") double score,
            @Description("The chunk.") Node chunk,
            @Description("Its document.") Node document,
            @Description("How the question led to it: over queries or a window.") List<Path> paths) {}

    @Procedure(name = "qcg.retrieve.qcg", mode = Mode.READ)
    @Description("The best chunks for a question by the query-centric graph (QCG-RAG), with the paths to them.")
    public Stream<PassageRow> qcg(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.QCG_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.qcg", Method.QCG, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.vector", mode = Mode.READ)
    @Description("The chunks whose vectors are nearest to the question's: by their best window, or by their mean.")
    public Stream<PassageRow> vector(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.VECTOR_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.vector", Method.VECTOR, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.fulltext", mode = Mode.READ)
    @Description("The chunks that share the most telling words with the question (BM25).")
    public Stream<PassageRow> fulltext(
            @Name(value = "question", description = TEXT) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.fulltext", Method.FULLTEXT, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.hybrid", mode = Mode.READ)
    @Description("The best chunks by best window and BM25 together.")
    public Stream<PassageRow> hybrid(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.HYBRID_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.hybrid", Method.HYBRID, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.layers", mode = Mode.READ)
    @Description("The best chunks by all layers of the graph together, and by a walk over shared entities.")
    public Stream<PassageRow> layers(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.LAYERS_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.layers", Method.LAYERS, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.d2q", mode = Mode.READ)
    @Description("The chunks whose text with all generated queries is nearest to the question (D2Q).")
    public Stream<PassageRow> d2q(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.d2q", Method.D2Q, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.d2qFiltered", mode = Mode.READ)
    @Description("The chunks whose text with the kept queries is nearest to the question (D2Q--).")
    public Stream<PassageRow> d2qFiltered(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.d2qFiltered", Method.D2Q_FILTERED, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.graphragLocal", mode = Mode.READ)
    @Description("The best chunks of the entities nearest to a question (GraphRAG, local search).")
    public Stream<PassageRow> graphragLocal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.GRAPHRAG_LOCAL_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.graphragLocal", Method.GRAPHRAG_LOCAL, question, configuration);
    }

    @Procedure(name = "qcg.retrieve.graphragGlobal", mode = Mode.READ)
    @Description("The chunks behind the reports of a level of communities that are nearest to a question (GraphRAG).")
    public Stream<PassageRow> graphragGlobal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.GRAPHRAG_GLOBAL_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return evidence("qcg.retrieve.graphragGlobal", Method.GRAPHRAG_GLOBAL, question, configuration);
    }

    private Stream<PassageRow> evidence(
            String name, Method method, Object given, Map<String, Object> configuration) {
        Map<String, Object> chosen = Options.chosen(name, configuration, transaction);
        boolean isFiltered = chosen.get("where") != null;
        if (!Permission.resolve(name, chosen, transaction)) {
            return Stream.empty();
        }
        Method run = method.chosen(chosen);
        Statement statement = Statement.of(run.statement(), Corpus.of(chosen));
        Map<String, Object> values = run.values(chosen);
        Question question = Question.of(name, given, chosen);
        if (statement.parameters().contains("texts")) {
            values.put("texts", List.of(question.neededText()));
        }
        if (statement.parameters().contains("questionVector")) {
            values.put("questionVector", question.neededVector(transaction));
        }
        if (statement.parameters().contains("asked")) {
            Layers.put(values, question.neededText(), question.asked(transaction), Corpus.of(chosen), transaction);
        }
        List<Map<String, Object>> found = passages(statement.rows(transaction, values));
        List<Map<String, Object>> rows = within(found, (long) chosen.get("contextTokens"));
        return asGraph(rows, isFiltered, Corpus.of(chosen), transaction);
    }

    /** The rows of the chunks; statements that find more than chunks give one row that holds them. */
    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> passages(List<Map<String, Object>> rows) {
        boolean inOneRow = rows.size() == 1 && rows.get(0).get("passages") instanceof List<?>;
        return inOneRow ? (List<Map<String, Object>>) rows.get(0).get("passages") : rows;
    }

    /**
     * The chunks of the rows as nodes, with their documents and the stored paths to them; with a filter only over nodes that
     * say nothing of other documents.
     */
    static Stream<PassageRow> asGraph(
            List<Map<String, Object>> rows, boolean isFiltered, Corpus corpus, Transaction transaction) {
        Map<String, Object> values = Map.of("rows", rows, "isFiltered", isFiltered);
        return Statement.of("retrieve/parts/as_graph", corpus).rows(transaction, values).stream()
                .map(shown -> row(rows, shown));
    }

    /** Whether the chunk of a row was there until all of it was read. */
    static boolean isWhole(Map<String, Object> row) {
        return row.get("id") != null && row.get("text") != null && row.get("tokenCount") != null;
    }

    /** The rows, in order, that fit into so many tokens together; the first one stays in any case. */
    static List<Map<String, Object>> within(List<Map<String, Object>> rows, long tokens) {
        List<Map<String, Object>> kept = new ArrayList<>();
        long left = tokens;
        for (Map<String, Object> row : rows.stream().filter(Retrieve::isWhole).toList()) {
            long size = ((Number) row.get("tokenCount")).longValue();
            if (kept.isEmpty() || size <= left) {
                kept.add(row);
                left -= size;
            }
        }
        return kept;
    }

    private static PassageRow row(List<Map<String, Object>> rows, Map<String, Object> shown) {
        long place = (long) shown.get("place");
        double score = ((Number) rows.get((int) place).get("score")).doubleValue();
        Path end = (Path) shown.get("end");
        List<Path> paths = ((List<?>) shown.get("paths"))
                .stream()
                        .<Path>map(path -> StoredPath.joined((Path) path, end))
                        .toList();
        return new PassageRow(place + 1, score, (Node) shown.get("chunk"), (Node) shown.get("document"), paths);
    }
}
