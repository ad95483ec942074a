package qcg.algorithm;

import java.util.List;

/** What a search sees of a graph. */
@FunctionalInterface
public interface Network<N, R> {
    /** The relationships that lead on from a node, in any order; those without a score are left out. */
    List<Edge<N, R>> from(N node);
}
