package qcg;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;

/**
 * Graphs in memory, one per corpus of a database: made in the background when a question comes that could use one, never of more
 * bytes together than {@code qcg.memory.snapshot} says, and used only while the graph is in the state that it was made
 * from. Who finds none reads from the store, which gives the same.
 */
final class Snapshots {
    private static final String LIMIT = "qcg.memory.snapshot";
    private static final long SHARE_OF_HEAP = 8;
    private static final Map<Place, Held> HELD = new LinkedHashMap<>(8, 0.75f, true); // guarded by itself
    private static final ExecutorService MAKER = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "qcg snapshots");
        thread.setDaemon(true);
        return thread;
    });

    private record Place(String database, Corpus corpus) {}

    /** What is known of a corpus: the state, what it came to, and the snapshot where there is one. */
    record Held(String state, String condition, AtomSnapshot snapshot) {}

    private record State(String name, long atoms, long entities, long edges, long dimension) {
        static State of(Corpus corpus, Transaction transaction) {
            Map<String, Object> row = Statement.of("retrieve/parts/atomic_state", corpus).rows(transaction, Map.of()).get(0);
            return new State(
                    (String) row.get("state"),
                    (long) row.get("atoms"),
                    (long) row.get("entities"),
                    (long) row.get("edges"),
                    (long) row.get("dimension"));
        }
    }

    private Snapshots() {}

    /** The snapshot of the present state; null while there is none, which is then made unless it would be too large. */
    static AtomSnapshot of(GraphDatabaseService database, Corpus corpus, Transaction transaction) {
        State present = State.of(corpus, transaction);
        if (present.dimension == 0) {
            return null; // nothing was made by a model that the graph remembers
        }
        Place place = new Place(database.databaseName(), corpus);
        synchronized (HELD) {
            Held held = HELD.get(place);
            if (held != null && held.state.equals(present.name)) {
                return held.snapshot;
            }
            long bytes = AtomSnapshot.bytes(present.atoms, present.entities, present.edges, present.dimension);
            if (bytes > limit()) {
                HELD.put(place, new Held(present.name, "too large", null));
                return null;
            }
            HELD.put(place, new Held(present.name, "being made", null));
        }
        MAKER.execute(() -> make(database, place, present));
        return null;
    }

    /** What is held of a database, for people. */
    static Snapshot.SnapshotRow row(GraphDatabaseService database, Corpus corpus, Transaction transaction) {
        String present = State.of(corpus, transaction).name;
        synchronized (HELD) {
            Held held = HELD.getOrDefault(new Place(database.databaseName(), corpus), new Held("", "none", null));
            long bytes = held.snapshot == null ? 0 : held.snapshot.bytes();
            return new Snapshot.SnapshotRow(held.condition, held.state.equals(present), bytes, limit());
        }
    }

    private static void make(GraphDatabaseService database, Place place, State present) {
        Corpus corpus = place.corpus;
        try (Transaction transaction = database.beginTx()) {
            AtomSnapshot made = AtomSnapshot.of(corpus, transaction, (int) present.dimension);
            // A writer raises the revision where it writes: what is unchanged now was so all the while.
            keep(place, present.name, State.of(corpus, transaction).equals(present) ? made : null);
        } catch (RuntimeException | OutOfMemoryError error) {
            synchronized (HELD) {
                HELD.put(place, new Held(present.name, "failed: " + error.getMessage(), null));
            }
        }
    }

    private static void keep(Place place, String state, AtomSnapshot made) {
        synchronized (HELD) {
            Held asked = HELD.get(place);
            if (asked == null || !asked.state.equals(state)) {
                return; // the graph has changed since, and another one is being made
            }
            HELD.remove(place);
            if (made == null) {
                return; // it has changed as well; the next question asks again
            }
            long left = limit() - made.bytes();
            for (var held = HELD.values().iterator(); held.hasNext() && left < bytes(); ) {
                held.next();
                held.remove();
            }
            HELD.put(place, new Held(state, "ready", made));
        }
    }

    private static long bytes() {
        return HELD.values().stream()
                .mapToLong(held -> held.snapshot == null ? 0 : held.snapshot.bytes())
                .sum();
    }

    private static long limit() {
        return Long.getLong(LIMIT, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }
}
