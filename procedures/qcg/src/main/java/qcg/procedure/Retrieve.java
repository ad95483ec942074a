package qcg.procedure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Config;
import qcg.config.Declared;
import qcg.method.Atomic;
import qcg.method.Evidence;
import qcg.method.Evidence.PassageRow;
import qcg.method.KgCqr;
import qcg.method.Layers;
import qcg.request.Call;
import qcg.request.Question;
import qcg.request.Statement;

/** The retrieval methods: each runs the statements of the Python package and shows its evidence as a graph, or as values. */
public class Retrieve extends OnServer {
    private static final String QUESTION = "The question: a text, its vector, or {text: …, vector: …}.";
    private static final String TEXT = "The question as text.";
    private static final String TEXT_OR_BOTH = "The question: a text, or {text: …, vector: …}.";

    /** AtomicRAG's evidence as values. */
    public record AtomsRow(
            @Description("The atoms, best first, with their chunks and why they were found.") List<Map<String, Object>> atoms,
            @Description("Whether qcg build has joined synonyms.") boolean synonymsBuilt,
            @Description("How many nearest atoms were seeds; 0 for all.") long atomSeeds) {}

    /** KG-CQR's evidence as values. */
    public record SubgraphRow(
            @Description("The rows of the chunks, best first, however long they are.") List<Map<String, Object>> passages,
            @Description("The triples of the subgraph, in the order of the context.") List<Map<String, Object>> triples,
            @Description("The paths of the subgraph: score, and ids of the triples.") List<Map<String, Object>> paths,
            @Description("What was fused with the question.") String context) {}

    @Procedure(name = "qcg.retrieve.qcg", mode = Mode.READ)
    @Description("The best chunks for a question by the query-centric graph (QCG-RAG), with the paths to them.")
    public Stream<PassageRow> qcg(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.QCG, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.qcg", configuration);
        return nearest(call, "retrieve/qcg", "Query", call.config().whole("queries"), question);
    }

    @Procedure(name = "qcg.retrieve.vector", mode = Mode.READ)
    @Description("The chunks whose vectors are nearest to the question's: by their best window, or by their mean.")
    public Stream<PassageRow> vector(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.VECTOR, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.vector", configuration);
        return overChunks(call, call.config().text("scoring").equals("mean") ? "embedding" : "Window", question);
    }

    @Procedure(name = "qcg.retrieve.fulltext", mode = Mode.READ)
    @Description("The chunks that share the most telling words with the question (BM25).")
    public Stream<PassageRow> fulltext(
            @Name(value = "question", description = TEXT) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.fulltext", configuration);
        return evidence(call, "retrieve/words | retrieve/fulltext" + Evidence.PASSAGES, call.config().whole("passages"), question);
    }

    @Procedure(name = "qcg.retrieve.hybrid", mode = Mode.READ)
    @Description("The best chunks by best window and BM25 together.")
    public Stream<PassageRow> hybrid(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.HYBRID, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.hybrid", configuration);
        Config config = Layers.ofHybrid(call);
        return Evidence.found(call, filter -> Layers.rows(call, config, filter, Question.of(call, question)));
    }

    @Procedure(name = "qcg.retrieve.layers", mode = Mode.READ)
    @Description("The best chunks by all layers of the graph together, and by a walk over shared entities.")
    public Stream<PassageRow> layers(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = Declared.LAYERS, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.layers", configuration);
        return Evidence.found(call, filter -> Layers.rows(call, call.config(), filter, Question.of(call, question)));
    }

    @Procedure(name = "qcg.retrieve.d2q", mode = Mode.READ)
    @Description("The chunks whose text with all generated queries is nearest to the question (D2Q).")
    public Stream<PassageRow> d2q(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE, defaultValue = "{}") Map<String, Object> configuration) {
        return overChunks(call("qcg.retrieve.d2q", configuration), "d2qAllEmbedding", question);
    }

    @Procedure(name = "qcg.retrieve.d2qFiltered", mode = Mode.READ)
    @Description("The chunks whose text with the kept queries is nearest to the question (D2Q--).")
    public Stream<PassageRow> d2qFiltered(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.RETRIEVE, defaultValue = "{}") Map<String, Object> configuration) {
        return overChunks(call("qcg.retrieve.d2qFiltered", configuration), "d2qKeptEmbedding", question);
    }

    @Procedure(name = "qcg.retrieve.graphragLocal", mode = Mode.READ)
    @Description("The best chunks of the entities nearest to a question (GraphRAG, local search).")
    public Stream<PassageRow> graphragLocal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.GRAPHRAG_LOCAL, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.graphragLocal", configuration);
        return evidence(call, "retrieve/graphrag_local", call.config().whole("entities"), question);
    }

    @Procedure(name = "qcg.retrieve.graphragGlobal", mode = Mode.READ)
    @Description("The chunks behind the reports of a level of communities that are nearest to a question (GraphRAG).")
    public Stream<PassageRow> graphragGlobal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.GRAPHRAG_GLOBAL, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.graphragGlobal", configuration);
        return evidence(call, "retrieve/graphrag_global", call.config().whole("passages"), question);
    }

    @Procedure(name = "qcg.retrieve.atomic", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that personalized PageRank finds (AtomicRAG), with why.")
    public Stream<PassageRow> atomic(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.ATOMIC, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.atomic", configuration);
        Atomic found = Atomic.of(call, question, null);
        return Evidence.shown(Evidence.stating(found.atoms(), call.config().whole("passages")), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.atomic", mode = Mode.READ)
    @Description("The best atoms for a question by personalized PageRank (AtomicRAG), as values for programs, in one row.")
    public Stream<AtomsRow> atomicEvidence(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "names", description = "Vectors of the names in it; null to look for names of the graph in its text.")
                    List<Object> names,
            @Name(value = "configuration", description = Declared.ATOMIC, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.evidence.atomic", configuration);
        Atomic found = Atomic.of(call, question, names);
        return Stream.of(new AtomsRow(found.atoms(), found.synonymsBuilt(), found.atomSeeds()));
    }

    @Procedure(name = "qcg.retrieve.lp", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that the graph's link predictor ranks best (LP-RAG).")
    public Stream<PassageRow> lp(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.LP, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.lp", configuration);
        return Evidence.found(call, filter -> {
            Object vector = Question.of(call, question).asked().vector();
            long ranked = call.config().whole("candidates");
            Map<String, Object> values =
                    Map.of("questionVector", vector, "ranked", ranked, "candidates", filter.candidates(ranked));
            String path = "retrieve/lp/ranked | retrieve/lp/scores | retrieve/atoms";
            List<Map<String, Object>> atoms =
                    Evidence.near(call, filter, path, Map.of("Atom", vector), call.config().whole("atoms"), values);
            return Evidence.stating(atoms, call.config().whole("passages"));
        });
    }

    @Procedure(name = "qcg.retrieve.kgCqr", mode = Mode.READ)
    @Description("The best chunks for a question and the context of its completed subgraph (KG-CQR), with its triples.")
    public Stream<PassageRow> kgCqr(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.KG_CQR, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.kgCqr", configuration);
        KgCqr found = KgCqr.of(call, question);
        return Evidence.asGraph(found.within(call.config().whole("contextTokens")), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.kgCqr", mode = Mode.READ)
    @Description("What qcg.retrieve.kgCqr finds, as values for programs, in one row.")
    public Stream<SubgraphRow> kgCqrEvidence(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = Declared.KG_CQR, defaultValue = "{}") Map<String, Object> configuration) {
        KgCqr found = KgCqr.of(call("qcg.evidence.kgCqr", configuration), question);
        return Stream.of(new SubgraphRow(found.passages(), found.triples(), found.paths(), found.context()));
    }

    private static Stream<PassageRow> overChunks(Call call, String layer, Object question) {
        return nearest(call, "retrieve/windows", layer, call.config().whole("passages"), question);
    }

    /** The evidence of a statement over so many wanted entries of a layer. */
    private static Stream<PassageRow> nearest(Call call, String path, String layer, long wanted, Object given) {
        return Evidence.found(call, filter -> {
            Object vector = Question.of(call, given).asked().vector();
            Map<String, Object> values = Map.of("questionVector", vector);
            return Evidence.near(call, filter, path + Evidence.PASSAGES, Map.of(layer, vector), wanted, values);
        });
    }

    /** The evidence of a statement; {@code wanted} is how many hits are wanted of an index. */
    private static Stream<PassageRow> evidence(Call call, String path, long wanted, Object given) {
        return Evidence.found(call, filter -> {
            Question question = Question.of(call, given);
            Statement statement = Statement.of(path, call.corpus());
            Map<String, Object> values = call.values();
            values.put("permitted", filter.documents());
            values.put("candidates", filter.candidates(call.config().whole("candidateFactor") * wanted));
            if (statement.parameters().contains("texts")) {
                values.put("texts", List.of(question.neededText()));
                values.put("boost", 1.0);
            } else {
                values.put("questionVector", question.asked().vector());
            }
            List<Map<String, Object>> rows = statement.rows(call.transaction(), values);
            boolean isInOneRow = rows.size() == 1 && rows.get(0).get("passages") instanceof List<?>;
            return isInOneRow ? Statement.asRows(rows.get(0).get("passages")) : rows;
        });
    }
}
