package qcg.procedure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Configs.AtomicConfig;
import qcg.config.Configs.BaseConfig;
import qcg.config.Configs.GraphragGlobalConfig;
import qcg.config.Configs.GraphragLocalConfig;
import qcg.config.Configs.HybridConfig;
import qcg.config.Configs.KgCqrConfig;
import qcg.config.Configs.LayersConfig;
import qcg.config.Configs.LpConfig;
import qcg.config.Configs.QcgConfig;
import qcg.config.Configs.VectorConfig;
import qcg.config.RetrieveConfig;
import qcg.method.Evidence;
import qcg.method.Evidence.PassageRow;
import qcg.method.atomic.Atomic;
import qcg.method.kgcqr.KgCqr;
import qcg.method.layers.Layers;
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
            @Name(value = "configuration", description = QcgConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<QcgConfig> call = call(QcgConfig.class, "qcg.retrieve.qcg", configuration);
        return nearest(call, "retrieve/qcg", "Query", call.config().queries(), question);
    }

    @Procedure(name = "qcg.retrieve.vector", mode = Mode.READ)
    @Description("The chunks whose vectors are nearest to the question's: by their best window, or by their mean.")
    public Stream<PassageRow> vector(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = VectorConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<VectorConfig> call = call(VectorConfig.class, "qcg.retrieve.vector", configuration);
        return overChunks(call, call.config().scoring().equals("mean") ? "embedding" : "Window", question);
    }

    @Procedure(name = "qcg.retrieve.fulltext", mode = Mode.READ)
    @Description("The chunks that share the most telling words with the question (BM25).")
    public Stream<PassageRow> fulltext(
            @Name(value = "question", description = TEXT) Object question,
            @Name(value = "configuration", description = BaseConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<BaseConfig> call = call(BaseConfig.class, "qcg.retrieve.fulltext", configuration);
        return evidence(call, "retrieve/words | retrieve/fulltext" + Evidence.PASSAGES, call.config().passages(), question);
    }

    @Procedure(name = "qcg.retrieve.hybrid", mode = Mode.READ)
    @Description("The best chunks by best window and BM25 together.")
    public Stream<PassageRow> hybrid(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = HybridConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<HybridConfig> call = call(HybridConfig.class, "qcg.retrieve.hybrid", configuration);
        LayersConfig config = Layers.ofHybrid(call);
        return Evidence.found(call, filter -> Layers.rows(call, config, filter, Question.of(call, question)));
    }

    @Procedure(name = "qcg.retrieve.layers", mode = Mode.READ)
    @Description("The best chunks by all layers of the graph together, and by a walk over shared entities.")
    public Stream<PassageRow> layers(
            @Name(value = "question", description = TEXT_OR_BOTH) Object question,
            @Name(value = "configuration", description = LayersConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<LayersConfig> call = call(LayersConfig.class, "qcg.retrieve.layers", configuration);
        return Evidence.found(call, filter -> Layers.rows(call, call.config(), filter, Question.of(call, question)));
    }

    @Procedure(name = "qcg.retrieve.d2q", mode = Mode.READ)
    @Description("The chunks whose text with all generated queries is nearest to the question (D2Q).")
    public Stream<PassageRow> d2q(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = BaseConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        return overChunks(call(BaseConfig.class, "qcg.retrieve.d2q", configuration), "d2qAllEmbedding", question);
    }

    @Procedure(name = "qcg.retrieve.d2qFiltered", mode = Mode.READ)
    @Description("The chunks whose text with the kept queries is nearest to the question (D2Q--).")
    public Stream<PassageRow> d2qFiltered(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = BaseConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        return overChunks(call(BaseConfig.class, "qcg.retrieve.d2qFiltered", configuration), "d2qKeptEmbedding", question);
    }

    @Procedure(name = "qcg.retrieve.graphragLocal", mode = Mode.READ)
    @Description("The best chunks of the entities nearest to a question (GraphRAG, local search).")
    public Stream<PassageRow> graphragLocal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = GraphragLocalConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<GraphragLocalConfig> call = call(GraphragLocalConfig.class, "qcg.retrieve.graphragLocal", configuration);
        return evidence(call, "retrieve/graphrag_local", call.config().entities(), question);
    }

    @Procedure(name = "qcg.retrieve.graphragGlobal", mode = Mode.READ)
    @Description("The chunks behind the reports of a level of communities that are nearest to a question (GraphRAG).")
    public Stream<PassageRow> graphragGlobal(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = GraphragGlobalConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<GraphragGlobalConfig> call = call(GraphragGlobalConfig.class, "qcg.retrieve.graphragGlobal", configuration);
        return evidence(call, "retrieve/graphrag_global", call.config().passages(), question);
    }

    @Procedure(name = "qcg.retrieve.atomic", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that personalized PageRank finds (AtomicRAG), with why.")
    public Stream<PassageRow> atomic(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = AtomicConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<AtomicConfig> call = call(AtomicConfig.class, "qcg.retrieve.atomic", configuration);
        Atomic found = Atomic.of(call, question, null);
        return Evidence.shown(Evidence.stating(found.atoms(), call.config().passages()), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.atomic", mode = Mode.READ)
    @Description("The best atoms for a question by personalized PageRank (AtomicRAG), as values for programs, in one row.")
    public Stream<AtomsRow> atomicEvidence(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "names", description = "Vectors of the names in it; null to look for names of the graph in its text.")
                    List<Object> names,
            @Name(value = "configuration", description = AtomicConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<AtomicConfig> call = call(AtomicConfig.class, "qcg.evidence.atomic", configuration);
        Atomic found = Atomic.of(call, question, names);
        return Stream.of(new AtomsRow(found.atoms(), found.synonymsBuilt(), found.atomSeeds()));
    }

    @Procedure(name = "qcg.retrieve.lp", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that the graph's link predictor ranks best (LP-RAG).")
    public Stream<PassageRow> lp(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = LpConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<LpConfig> call = call(LpConfig.class, "qcg.retrieve.lp", configuration);
        return Evidence.found(call, filter -> {
            Object vector = Question.of(call, question).asked().vector();
            long ranked = call.config().candidates();
            Map<String, Object> values =
                    Map.of("questionVector", vector, "ranked", ranked, "candidates", filter.candidates(ranked));
            String path = "retrieve/lp/ranked | retrieve/lp/scores | retrieve/atoms";
            List<Map<String, Object>> atoms =
                    Evidence.near(call, filter, path, Map.of("Atom", vector), call.config().atoms(), values);
            return Evidence.stating(atoms, call.config().passages());
        });
    }

    @Procedure(name = "qcg.retrieve.kgCqr", mode = Mode.READ)
    @Description("The best chunks for a question and the context of its completed subgraph (KG-CQR), with its triples.")
    public Stream<PassageRow> kgCqr(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = KgCqrConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<KgCqrConfig> call = call(KgCqrConfig.class, "qcg.retrieve.kgCqr", configuration);
        KgCqr found = KgCqr.of(call, question);
        return Evidence.asGraph(found.within(call.config().contextTokens()), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.kgCqr", mode = Mode.READ)
    @Description("What qcg.retrieve.kgCqr finds, as values for programs, in one row.")
    public Stream<SubgraphRow> kgCqrEvidence(
            @Name(value = "question", description = QUESTION) Object question,
            @Name(value = "configuration", description = KgCqrConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        KgCqr found = KgCqr.of(call(KgCqrConfig.class, "qcg.evidence.kgCqr", configuration), question);
        return Stream.of(new SubgraphRow(found.passages(), found.triples(), found.paths(), found.context()));
    }

    private static Stream<PassageRow> overChunks(Call<? extends RetrieveConfig> call, String layer, Object question) {
        return nearest(call, "retrieve/windows", layer, call.config().passages(), question);
    }

    /** The evidence of a statement over so many wanted entries of a layer. */
    private static Stream<PassageRow> nearest(Call<? extends RetrieveConfig> call, String path, String layer, long wanted, Object given) {
        return Evidence.found(call, filter -> {
            Object vector = Question.of(call, given).asked().vector();
            Map<String, Object> values = Map.of("questionVector", vector);
            return Evidence.near(call, filter, path + Evidence.PASSAGES, Map.of(layer, vector), wanted, values);
        });
    }

    /** The evidence of a statement; {@code wanted} is how many hits are wanted of an index. */
    private static Stream<PassageRow> evidence(Call<? extends RetrieveConfig> call, String path, long wanted, Object given) {
        return Evidence.found(call, filter -> {
            Question question = Question.of(call, given);
            Statement statement = Statement.of(path, call.corpus());
            Map<String, Object> values = call.config().values();
            values.put("permitted", filter.documents());
            values.put("candidates", filter.candidates(call.config().candidateFactor() * wanted));
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
