package qcg.algorithm;

import java.util.List;

/** What a walk over shared entities sees of a graph. */
public interface Sharing<C, E> {
    /** The entities that a chunk names. */
    List<E> entities(C chunk);

    /** The chunks that name an entity; none where it is not to be followed. */
    List<C> chunks(E entity);
}
