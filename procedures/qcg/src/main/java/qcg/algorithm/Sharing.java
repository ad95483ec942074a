package qcg.algorithm;

import java.util.List;

/** What a walk over shared entities sees of a graph; weights are of any sum. */
public interface Sharing<C, E, R> {
    /** A way out of a chunk: an entity that it names, and what it states about it, if that was looked at. */
    record Leaving<E, R>(E entity, double weight, R stated) {}

    /** A way into a chunk from an entity that it names. */
    record Arriving<C>(C chunk, double weight) {}

    /** The ways out of a chunk. */
    List<Leaving<E, R>> from(C chunk);

    /** The chunks that name an entity; none where it is not to be followed. */
    List<Arriving<C>> to(E entity);
}
