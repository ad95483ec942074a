package qcg.procedure;

import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import qcg.request.Server;

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

    Server server() {
        return new Server(database, guard, memory);
    }
}
