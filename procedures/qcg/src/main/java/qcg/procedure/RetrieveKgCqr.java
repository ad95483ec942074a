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
import qcg.method.kgcqr.KgCqr;
import qcg.request.Call;

/** KG-CQR's retrieval, as {@link Retrieve} has that of the other methods. */
public class RetrieveKgCqr extends OnServer {
    /** KG-CQR's evidence as values. */
    public record EvidenceRow(
            @Description("The rows of the chunks, best first, however long they are.") List<Map<String, Object>> passages,
            @Description("The triples of the subgraph, in the order of the context.") List<Map<String, Object>> triples,
            @Description("The paths of the subgraph: score, and ids of the triples.") List<Map<String, Object>> paths,
            @Description("What was fused with the question.") String context) {}

    @Procedure(name = "qcg.retrieve.kgCqr", mode = Mode.READ)
    @Description("The best chunks for a question and the context of its completed subgraph (KG-CQR), with its triples.")
    public Stream<PassageRow> kgCqr(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(value = "configuration", description = Declared.KG_CQR, defaultValue = "{}") Map<String, Object> configuration) {
        Call call = call("qcg.retrieve.kgCqr", configuration);
        KgCqr found = KgCqr.of(call, question);
        return Evidence.asGraph(found.within(call.config().whole("contextTokens")), call, found.filter());
    }

    @Procedure(name = "qcg.evidence.kgCqr", mode = Mode.READ)
    @Description("What qcg.retrieve.kgCqr finds, as values for programs, in one row.")
    public Stream<EvidenceRow> evidence(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(value = "configuration", description = Declared.KG_CQR, defaultValue = "{}") Map<String, Object> configuration) {
        KgCqr found = KgCqr.of(call("qcg.evidence.kgCqr", configuration), question);
        return Stream.of(new EvidenceRow(found.passages(), found.triples(), found.paths(), found.context()));
    }
}
