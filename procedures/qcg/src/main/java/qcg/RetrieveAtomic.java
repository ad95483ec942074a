package qcg;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** AtomicRAG's retrieval, as {@link Retrieve} has that of the other methods. */
public class RetrieveAtomic {
    private static final String NAME = "qcg.retrieve.atomic";

    @Context
    public Transaction transaction;

    @Procedure(NAME)
    @Description("The best chunks for a question by the atoms that personalized PageRank finds (AtomicRAG), with why.")
    public Stream<Retrieve.PassageRow> atomic(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(
                            value = "configuration",
                            description = "atomWeight 0.1, atomSeeds 0 (all), entityFloor 0.3, entitySeeds 20,"
                                    + " damping 0.3, tolerance 1e-8, synonyms true, atoms 25, "
                                    + Retrieve.SHARED_KEYS,
                            defaultValue = "{}")
                    Map<String, Object> configuration) {
        Map<String, Object> chosen = Atomic.OPTIONS.read(NAME, configuration);
        List<Map<String, Object>> rows = Atomic.passages(Question.of(NAME, question), chosen, transaction);
        return Retrieve.asGraph(Retrieve.within(rows, (long) chosen.get("contextTokens")), transaction);
    }
}
