package qcg;

import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/** AtomicRAG's retrieval, as {@link Retrieve} has that of the other methods. */
public class RetrieveAtomic {
    @Context
    public Transaction transaction;

    @Context
    public GraphDatabaseService database;

    @Context
    public TerminationGuard guard;

    @Context
    public ProcedureMemory memory;

    /** AtomicRAG's evidence as values. */
    public record AtomsRow(
            @Description("The atoms, best first, with their chunks and why they were found.") List<Map<String, Object>> atoms,
            @Description("Whether qcg build has joined synonyms.") boolean synonymsBuilt) {}

    @Procedure(name = "qcg.retrieve.atomic", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that personalized PageRank finds (AtomicRAG), with why.")
    public Stream<Retrieve.PassageRow> atomic(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(value = "configuration", description = Declared.ATOMIC_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.retrieve.atomic";
        Map<String, Object> chosen = Options.chosen(name, configuration, transaction);
        Atomic found = found(name, question, null, chosen);
        List<Map<String, Object>> rows = StatedBy.rows(found.atoms(), (long) chosen.get("passages"));
        boolean isFiltered = chosen.get("where") != null;
        rows = Retrieve.within(rows, (long) chosen.get("contextTokens"));
        return Retrieve.asGraph(rows, isFiltered, Corpus.of(chosen), transaction);
    }

    @Procedure(name = "qcg.evidence.atomic", mode = Mode.READ)
    @Description("The best atoms for a question by personalized PageRank (AtomicRAG), as values for programs, in one row.")
    public Stream<AtomsRow> evidence(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(
                            value = "names",
                            description = "Vectors of the names in it; null to look for names of the graph in its text.")
                    List<Object> names,
            @Name(value = "configuration", description = Declared.ATOMIC_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.evidence.atomic";
        Atomic found = found(name, question, names, Options.chosen(name, configuration, transaction));
        return Stream.of(new AtomsRow(found.atoms(), found.synonymsBuilt()));
    }

    private Atomic found(String name, Object question, List<Object> names, Map<String, Object> chosen) {
        Atomic.Server server = new Atomic.Server(transaction, database, guard, memory);
        return Atomic.of(Question.of(name, question, chosen), names, chosen, server);
    }
}
