package qcg.procedure;

import java.util.Map;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import qcg.config.Config;
import qcg.request.Call;
import qcg.request.Corpus;

/** What the server gives to each call of a procedure. */
public abstract class OnServer {
    @Context
    public Transaction transaction;

    @Context
    public GraphDatabaseService database;

    @Context
    public TerminationGuard guard;

    @Context
    public ProcedureMemory memory;

    /** A call; refuses a configuration that does not fit, and a corpus that the database lacks. */
    <C extends Record & Config> Call<C> call(Class<C> kind, String procedure, Map<String, Object> configuration) {
        C config = Config.of(kind, procedure, configuration);
        Corpus corpus = Corpus.checked(procedure, config.corpus(), transaction);
        return new Call<>(procedure, config, corpus, transaction, database, guard, memory);
    }
}
