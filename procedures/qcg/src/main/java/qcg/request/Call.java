package qcg.request;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import qcg.config.Config;
import qcg.config.Refusal;

/**
 * A call of a procedure: its name, its checked configuration, the corpus that it asks, its transaction and database, what
 * ends it, and what counts its memory.
 */
public record Call<C extends Config>(
        String procedure,
        C config,
        Corpus corpus,
        Transaction transaction,
        GraphDatabaseService database,
        TerminationGuard guard,
        ProcedureMemory memory) {
    /** The rows of a statement for those of the values that it declares as parameters. */
    public List<Map<String, Object>> rows(String path, Map<String, Object> values) {
        return Statement.of(path, corpus).rows(transaction, values);
    }

    /** The nodes of an argument, each once, or an error where there is no list of them. */
    public Set<Node> nodes(String name, List<Node> given) {
        if (given == null || given.stream().anyMatch(Objects::isNull)) {
            throw refusal("%s %s, but must be a list of nodes.", name, given == null ? "is null" : "holds null");
        }
        return new LinkedHashSet<>(given);
    }

    /** An error that names the procedure. */
    public Refusal refusal(String problem, Object... values) {
        return new Refusal(procedure, problem, values);
    }
}
