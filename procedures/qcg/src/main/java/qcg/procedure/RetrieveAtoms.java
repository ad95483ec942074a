package qcg.procedure;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Declared;
import qcg.method.Evidence.PassageRow;
import qcg.method.Evidence;
import qcg.method.StatedBy;
import qcg.method.atomic.Atomic;
import qcg.request.Call;
import qcg.request.Question;

/** The retrieval methods that find atoms: AtomicRAG and LP-RAG. */
public class RetrieveAtoms extends OnServer {
    /** AtomicRAG's evidence as values. */
    public record AtomsRow(
            @Description("The atoms, best first, with their chunks and why they were found.") List<Map<String, Object>> atoms,
            @Description("Whether qcg build has joined synonyms.") boolean synonymsBuilt,
            @Description("How many nearest atoms were seeds; 0 for all.") long atomSeeds) {}

    @Procedure(name = "qcg.retrieve.atomic", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that personalized PageRank finds (AtomicRAG), with why.")
    public Stream<PassageRow> atomic(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(value = "configuration", description = Declared.ATOMIC, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.atomic", configuration);
        Atomic found = Atomic.of(call, question, null);
        return Evidence.shown(StatedBy.rows(found.atoms(), call.config().whole("passages")), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.atomic", mode = Mode.READ)
    @Description("The best atoms for a question by personalized PageRank (AtomicRAG), as values for programs, in one row.")
    public Stream<AtomsRow> evidence(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(
                            value = "names",
                            description = "Vectors of the names in it; null to look for names of the graph in its text.")
                    List<Object> names,
            @Name(value = "configuration", description = Declared.ATOMIC, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.evidence.atomic", configuration);
        Atomic found = Atomic.of(call, question, names);
        return Stream.of(new AtomsRow(found.atoms(), found.synonymsBuilt(), found.atomSeeds()));
    }

    @Procedure(name = "qcg.retrieve.lp", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that the graph's link predictor ranks best (LP-RAG).")
    public Stream<PassageRow> lp(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
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
            return StatedBy.rows(atoms, call.config().whole("passages"));
        });
    }
}
