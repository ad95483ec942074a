package qcg.algorithm;

import java.util.Comparator;

/** A relationship that leads on from a node: its id and its score for the question, and the node it leads to. */
public record Edge<N, R>(R relationship, Id id, double score, N target) {
    /** Best first: by score, then by id. */
    public static <N, R> Comparator<Edge<N, R>> bestFirst() {
        return Comparator.<Edge<N, R>>comparingDouble(Edge::score).reversed().thenComparing(Edge::id);
    }
}
