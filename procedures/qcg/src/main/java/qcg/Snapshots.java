package qcg;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;

/**
 * Parts of graphs in memory: made in the background when a question comes that could use one, never of more bytes
 * together than {@code qcg.memory.snapshot} says, and used only while the graph is in the state that it was made from.
 * Who finds none reads from the store, which gives the same.
 */
final class Snapshots {
    private static final String LIMIT = "qcg.memory.snapshot";
    private static final long SHARE_OF_HEAP = 8;
    private static final long QUIET_MILLISECONDS = 200; // without a commit, before what is exact is worth its making
    private static final Map<Place, Held> HELD = new LinkedHashMap<>(8, 0.75f, true); // guarded by itself
    private static final ScheduledExecutorService MAKER = Executors.newSingleThreadScheduledExecutor(work -> {
        Thread thread = new Thread(work, "qcg snapshots");
        thread.setDaemon(true);
        return thread;
    });

    private record Place(String database, Corpus corpus, Part<?> part) {}

    /** What is known of a part: its state, the last commit with that state, what it came to, and the copy if there is one. */
    private record Held(String state, long commit, String condition, Part.Copy copy) {
        static final Held NONE = new Held("", Commits.UNKNOWN, "none", null);

        boolean isOf(long seen) {
            return seen != Commits.UNKNOWN && seen == commit;
        }

        long bytes() {
            return copy == null ? 0 : copy.bytes();
        }
    }

    private record State(String name, long commit, Part.Size size) {
        static State of(Part<?> part, Corpus corpus, long commit, Transaction transaction) {
            if (part.estimate() == null) {
                return new State(String.valueOf(commit), commit, null);
            }
            Map<String, Object> row = Statement.of("retrieve/parts/atomic_state", corpus).rows(transaction, Map.of()).get(0);
            Part.Size size = new Part.Size(
                    (long) row.get("atoms"),
                    (long) row.get("entities"),
                    (long) row.get("mentions"),
                    (long) row.get("triples"),
                    (long) row.get("synonyms"),
                    (long) row.get("dimension"));
            return new State(part.isExact() ? String.valueOf(commit) : (String) row.get("state"), commit, size);
        }
    }

    private Snapshots() {}

    /** The copy of the present state; null while there is none, which is then made unless it would be too large. */
    @SuppressWarnings("unchecked")
    static <C extends Part.Copy> C of(
            Part<C> part, GraphDatabaseService database, Corpus corpus, Transaction transaction) {
        Place place = new Place(database.databaseName(), corpus, part);
        long commit = Commits.seen(database, transaction);
        Held held = held(place);
        if (held.isOf(commit)) {
            return (C) held.copy;
        }
        if (part.isExact() && commit == Commits.UNKNOWN) {
            return null;
        }
        State present = State.of(part, corpus, commit, transaction);
        return (C) ofPresent(place, database, present);
    }

    /** What is held of a part, for people. */
    static Snapshot.SnapshotRow row(
            Part<?> part, GraphDatabaseService database, Corpus corpus, Transaction transaction) {
        long commit = Commits.seen(database, transaction);
        Held held = held(new Place(database.databaseName(), corpus, part));
        boolean isCurrent = held.isOf(commit)
                || !part.isExact() && held.state.equals(State.of(part, corpus, commit, transaction).name);
        return new Snapshot.SnapshotRow(part.name(), held.condition, isCurrent, held.bytes(), limit());
    }

    private static Held held(Place place) {
        synchronized (HELD) {
            return HELD.getOrDefault(place, Held.NONE);
        }
    }

    private static Part.Copy ofPresent(Place place, GraphDatabaseService database, State present) {
        boolean isTooLarge = present.size != null && place.part.estimate().of(present.size) > limit();
        synchronized (HELD) {
            Held held = HELD.getOrDefault(place, Held.NONE);
            if (held.state.equals(present.name)) {
                HELD.put(place, new Held(held.state, present.commit, held.condition, held.copy));
                return held.copy;
            }
            HELD.put(place, new Held(present.name, present.commit, isTooLarge ? "too large" : "being made", null));
        }
        if (!isTooLarge) {
            long delay = place.part.isExact() ? QUIET_MILLISECONDS : 0;
            MAKER.schedule(() -> make(place, database, present), delay, TimeUnit.MILLISECONDS);
        }
        return null;
    }

    private static void make(Place place, GraphDatabaseService database, State present) {
        if (!held(place).state.equals(present.name)) {
            return; // the graph has changed since, and another one is to be made
        }
        try (Transaction transaction = database.beginTx()) {
            boolean isPresent = isOf(present, place, database, transaction);
            Part.Copy made = isPresent ? place.part.maker().of(place.corpus, transaction, present.size) : null;
            // A writer raises the revision where it writes: what is unchanged now was so all the while.
            keep(place, present, isOf(present, place, database, transaction) ? made : null);
        } catch (RuntimeException | OutOfMemoryError error) {
            synchronized (HELD) {
                HELD.put(place, new Held(present.name, present.commit, "failed: " + error.getMessage(), null));
            }
        }
    }

    private static boolean isOf(State state, Place place, GraphDatabaseService database, Transaction transaction) {
        long commit = Commits.seen(database, transaction);
        return State.of(place.part, place.corpus, commit, transaction).name.equals(state.name);
    }

    private static void keep(Place place, State state, Part.Copy made) {
        synchronized (HELD) {
            Held asked = HELD.get(place);
            if (asked == null || !asked.state.equals(state.name)) {
                return;
            }
            HELD.remove(place);
            if (made == null) {
                return; // it has changed as well; the next question asks again
            }
            long left = limit() - made.bytes();
            if (left < 0) {
                HELD.put(place, new Held(state.name, asked.commit, "too large", null));
                return;
            }
            for (var others = HELD.values().iterator(); others.hasNext() && left < bytes(); ) {
                if (others.next().bytes() > 0) {
                    others.remove();
                }
            }
            HELD.put(place, new Held(state.name, asked.commit, "ready", made));
        }
    }

    private static long bytes() {
        return HELD.values().stream().mapToLong(Held::bytes).sum();
    }

    /** Lets what is filled little by little take so many bytes, where all copies together may. */
    static boolean grow(LayerVectors copy, long bytes) {
        synchronized (HELD) {
            boolean isHeld = HELD.values().stream().anyMatch(held -> held.copy == copy);
            boolean mayGrow = isHeld && bytes() - copy.bytes() + bytes <= limit();
            if (mayGrow) {
                copy.growTo(Math.max(bytes, copy.bytes()));
            }
            return mayGrow;
        }
    }

    /** Refuses what takes more bytes than all copies may. */
    static void checkLimit(long bytes) {
        if (bytes > limit()) {
            throw new IllegalStateException("it would be too large");
        }
    }

    private static long limit() {
        return Long.getLong(LIMIT, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }
}
