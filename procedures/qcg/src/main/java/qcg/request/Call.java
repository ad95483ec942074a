package qcg.request;

import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import qcg.config.Config;
import qcg.config.Reading;
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

    /** The configuration as values of parameters. */
    public Map<String, Object> values() {
        return Reading.values((Record) config);
    }

    /** An error that names the procedure. */
    public Refusal refusal(String problem, Object... values) {
        return new Refusal(procedure, problem, values);
    }
}
