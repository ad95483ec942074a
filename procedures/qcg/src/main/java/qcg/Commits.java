package qcg;

import java.lang.reflect.Method;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;

/**
 * Which state of the store a transaction sees, told by the number of its last commit. The public interface does not say
 * it, so it is looked for by name; where a server has other names, no state is known to be the same as another.
 */
final class Commits {
    /** No state that could be told from others. */
    static final long UNKNOWN = -1;

    private static final Names NAMES = Names.found();

    private record Names(
            Method resolver, Method resolve, Class<?> store, Method committed, Method closed, Method inside, Class<?> holder,
            Method hasWritten) {
        static Names found() {
            try {
                Class<?> resolver = Class.forName("org.neo4j.common.DependencyResolver");
                Class<?> store = Class.forName("org.neo4j.storageengine.api.TransactionIdStore");
                Class<?> holder = Class.forName("org.neo4j.kernel.api.txstate.TxStateHolder");
                return new Names(
                        Class.forName("org.neo4j.kernel.internal.GraphDatabaseAPI").getMethod("getDependencyResolver"),
                        resolver.getMethod("resolveDependency", Class.class),
                        store,
                        store.getMethod("getLastCommittedTransactionId"),
                        store.getMethod("getLastClosedTransactionId"),
                        Class.forName("org.neo4j.kernel.impl.coreapi.InternalTransaction").getMethod("kernelTransaction"),
                        holder,
                        holder.getMethod("hasTxStateWithChanges"));
            } catch (ReflectiveOperationException | LinkageError other) {
                return null;
            }
        }
    }

    private Commits() {}

    /** The number; unknown while a commit is being applied, and where the transaction has written itself. */
    static long seen(GraphDatabaseService database, Transaction transaction) {
        try {
            return NAMES == null || hasWritten(transaction) ? UNKNOWN : last(database);
        } catch (ReflectiveOperationException | IllegalArgumentException other) {
            return UNKNOWN;
        }
    }

    private static boolean hasWritten(Transaction transaction) throws ReflectiveOperationException {
        Object inside = NAMES.inside.invoke(transaction);
        return !NAMES.holder.isInstance(inside) || (boolean) NAMES.hasWritten.invoke(inside);
    }

    private static long last(GraphDatabaseService database) throws ReflectiveOperationException {
        Object store = NAMES.resolve.invoke(NAMES.resolver.invoke(database), NAMES.store);
        long committed = (long) NAMES.committed.invoke(store);
        return committed == (long) NAMES.closed.invoke(store) ? committed : UNKNOWN; // else it may be seen or not
    }
}
