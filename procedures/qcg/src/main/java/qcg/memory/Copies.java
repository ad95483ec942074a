package qcg.memory;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.TerminationGuard;
import qcg.request.Call;
import qcg.request.Corpus;
import qcg.request.Statement;

/**
 * Copies of atom-entity graphs in memory: one per corpus, made when a call first needs it, and made anew when a stage
 * has written to the graph since. All copies of a server together take at most as many bytes as {@code qcg.memory.snapshot} says.
 */
public final class Copies {
    private static final String LIMIT = "qcg.memory.snapshot";
    private static final long SHARE_OF_HEAP = 8;
    private static final long POLL_MILLISECONDS = 20; // whether the transaction of who waits still lasts
    private static final Map<Place, Held> HELD = new LinkedHashMap<>(8, 0.75f, true); // guarded by itself; least used first
    private static final ExecutorService MAKER = Executors.newSingleThreadExecutor(work -> {
        Thread thread = new Thread(work, "qcg copies");
        thread.setDaemon(true);
        return thread;
    });

    /** Why there is no copy. */
    public static final class NoCopy extends RuntimeException {
        private static final long serialVersionUID = 1;

        NoCopy(String reason, Object... values) {
            super(reason.formatted(values));
        }
    }

    /** What is known of a corpus's copy. */
    public record SnapshotRow(
            @Description("'none', 'being made', 'ready' or 'too large'.") String condition,
            @Description("Whether it is of the graph's present state.") boolean current,
            @Description("Bytes that it takes.") long bytes,
            @Description("Bytes that all copies of the server may take; -Dqcg.memory.snapshot=… sets it.") long limit) {}

    private record Place(String database, Corpus corpus) {}

    private record Held(String state, CompletableFuture<AtomGraph> copy) {
        private long bytes() {
            return copy.isDone() && !copy.isCompletedExceptionally() ? copy.join().bytes() : 0;
        }
    }

    /** What the graph remembers of the stages that write it, and how large it is. */
    record State(String name, long bytes, int dimension) {
        private static State of(Corpus corpus, Transaction transaction) {
            Map<String, Object> row = Statement.of("retrieve/atomic/state", corpus).rows(transaction, Map.of()).get(0);
            return new State((String) row.get("state"), AtomGraph.bytes(row), ((Number) row.get("dimension")).intValue());
        }
    }

    private Copies() {}

    /** The copy of the graph's present state; who asks first waits until it is made. */
    public static AtomGraph of(Call<?> call) {
        Place place = new Place(call.database().databaseName(), call.corpus());
        State present = State.of(call.corpus(), call.transaction());
        checkLimit(present.bytes);
        Held held;
        synchronized (HELD) {
            held = HELD.get(place);
            if (held == null || !held.state.equals(present.name)) {
                String state = present.name;
                Held before = held != null && held.copy.isDone() ? held : null; // what fails is not held any more
                held = new Held(state, CompletableFuture.supplyAsync(() -> made(place, call.database(), state, before), MAKER));
                HELD.put(place, held);
            }
        }
        return awaited(held.copy, call.guard());
    }

    /** What is held of a corpus, for people. */
    public static SnapshotRow known(Call<?> call) {
        State present = State.of(call.corpus(), call.transaction());
        Held held;
        synchronized (HELD) {
            held = HELD.get(new Place(call.database().databaseName(), call.corpus()));
        }
        if (held != null) {
            String condition = held.copy.isDone() ? "ready" : "being made";
            return new SnapshotRow(condition, held.state.equals(present.name), held.bytes(), limit());
        }
        boolean fits = present.bytes <= limit();
        return new SnapshotRow(fits ? "none" : "too large", false, 0, limit());
    }

    /** Refuses what takes more bytes than all copies together may. */
    static void checkLimit(long bytes) {
        if (bytes > limit()) {
            throw new NoCopy(
                    "the graph takes %,d MB in memory, and copies may take %,d MB. Give the server more memory,"
                            + " or start Java with -D%s=%d or more",
                    bytes >> 20, limit() >> 20, LIMIT, bytes);
        }
    }

    private static AtomGraph awaited(CompletableFuture<AtomGraph> copy, TerminationGuard guard) {
        while (true) {
            try {
                return copy.get(POLL_MILLISECONDS, TimeUnit.MILLISECONDS);
            } catch (TimeoutException unfinished) {
                guard.check();
            } catch (InterruptedException stopped) {
                Thread.currentThread().interrupt();
                throw new IllegalStateException(stopped);
            } catch (ExecutionException failed) {
                throw failed.getCause() instanceof NoCopy reason ? reason : new CompletionException(failed.getCause());
            }
        }
    }

    private static AtomGraph made(Place place, GraphDatabaseService database, String state, Held before) {
        boolean isPresent = false;
        Held instead = null; // of a copy that is not of the present state
        try (Transaction transaction = database.beginTx()) {
            State seen = State.of(place.corpus, transaction); // which the asker may see otherwise, by what it has written itself
            if (before != null && seen.name.equals(before.state)) {
                instead = before; // the asker has not committed what it sees
                makeRoom(place, before.bytes());
                return before.copy.join();
            }
            checkLimit(seen.bytes);
            AtomGraph copy = new AtomGraph(place.corpus, transaction, seen);
            isPresent = seen.name.equals(state) && State.of(place.corpus, transaction).name.equals(state);
            makeRoom(place, copy.bytes());
            return copy;
        } finally {
            if (!isPresent) {
                leave(place, state, instead);
            }
        }
    }

    /** Holds another copy, or none, instead of that of a state; what somebody has asked for since then stays. */
    private static void leave(Place place, String state, Held instead) {
        synchronized (HELD) {
            HELD.computeIfPresent(place, (same, held) -> held.state.equals(state) ? instead : held);
        }
    }

    /** Lets go of the copies that have not been used for longest. */
    private static void makeRoom(Place place, long bytes) {
        synchronized (HELD) {
            long left = limit() - bytes;
            long others = HELD.values().stream().mapToLong(Held::bytes).sum();
            for (var each = HELD.entrySet().iterator(); others > left && each.hasNext(); ) {
                Map.Entry<Place, Held> other = each.next();
                if (other.getValue().bytes() > 0 && !other.getKey().equals(place)) {
                    others -= other.getValue().bytes();
                    each.remove();
                }
            }
        }
    }

    private static long limit() {
        return Long.getLong(LIMIT, Runtime.getRuntime().maxMemory() / SHARE_OF_HEAP);
    }
}
