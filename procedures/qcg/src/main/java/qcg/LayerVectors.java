package qcg;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.QuestionVector;

/** The vectors of one state that questions have read; it begins empty, and takes what there is room for. */
final class LayerVectors implements Part.Copy {
    private static final String VECTOR = "embedding";
    private static final long BLOCK = 1L << 20; // bytes for which room is asked at once
    private static final long BYTES_OF_ENTRY = 240; // its name, its place, the heads of vector and array

    private final Map<String, Known> known = new ConcurrentHashMap<>();
    private final AtomicLong used = new AtomicLong();
    private volatile long room;
    private volatile boolean isFull;

    /** A vector and its length. */
    private record Known(float[] values, double length) {}

    /** Those of the present state; null while there are none, which then begin soon. */
    static LayerVectors of(GraphDatabaseService database, Corpus corpus, Transaction transaction) {
        return Snapshots.of(Part.VECTORS, database, corpus, transaction);
    }

    /** The cosine of an entity's embedding; no number where it has none of that many numbers. */
    double cosine(Entity entity, QuestionVector question) {
        String name = entity.getElementId();
        Known found = known.get(name);
        if (found == null) {
            if (!(Present.property(entity, VECTOR) instanceof float[] values)) {
                return cosineOfStored(entity, question);
            }
            found = new Known(values, QuestionVector.length(values));
            keep(name, found);
        }
        boolean isUsable = found.values.length == question.dimension() && found.length > 0 && Double.isFinite(found.length);
        return isUsable ? question.cosine(found.values, found.length) : Double.NaN;
    }

    /** The same, always from the store. */
    static double cosineOfStored(Entity entity, QuestionVector question) {
        Object stored = Present.property(entity, VECTOR);
        if (stored instanceof float[] values) {
            return question.cosine(values);
        }
        double[] values = Vectors.of(stored);
        return values != null && values.length == question.dimension() ? question.cosine(values) : Double.NaN;
    }

    private void keep(String name, Known fresh) {
        if (isFull) {
            return;
        }
        long after = used.addAndGet(BYTES_OF_ENTRY + (long) fresh.values.length * Float.BYTES);
        if (after <= room || Snapshots.grow(this, after + BLOCK)) {
            known.put(name, fresh);
        } else {
            isFull = true;
        }
    }

    /** It may take so many bytes. */
    void growTo(long bytes) {
        room = bytes;
    }

    @Override
    public long bytes() {
        return room;
    }
}
