package qcg.algorithm;

/** What a spreading search sees of an undirected, weighted graph. */
@FunctionalInterface
public interface Neighbourhood<N> {
    /** The neighbours of a node; asked for once per node. */
    Neighbours<N> of(N node);
}
