package qcg.request;

import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/** What a call has of the server: the database, what ends the call, and what counts its memory. */
public record Server(GraphDatabaseService database, TerminationGuard guard, ProcedureMemory memory) {}
