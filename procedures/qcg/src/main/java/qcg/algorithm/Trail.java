package qcg.algorithm;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;

/**
 * A path from a source on: the path before, and the last relationship; both null at a source. Paths share what they have
 * in common.
 *
 * @param end the last node
 * @param length how many relationships there are
 * @param sum of their scores
 */
public record Trail<N, R>(Trail<N, R> before, Edge<N, R> last, N end, int length, double sum) {
    /** The path without relationships that stands at a source. */
    public static <N, R> Trail<N, R> at(N source) {
        return new Trail<>(null, null, source, 0, 0);
    }

    /** This path and one more relationship. */
    public Trail<N, R> with(Edge<N, R> edge) {
        return new Trail<>(this, edge, edge.target(), length + 1, sum + edge.score());
    }

    /** Best first: by score, then by the ids along the path. */
    public static <N, R> Comparator<Trail<N, R>> bestFirst() {
        return Comparator.<Trail<N, R>>comparingDouble(Trail::score).reversed().thenComparing(Trail::compareIds);
    }

    /** The mean score of the relationships. */
    public double score() {
        return sum / length;
    }

    /** Whether a node is on the path, the source included. */
    public boolean visits(N node) {
        for (Trail<N, R> part = this; part != null; part = part.before) {
            if (part.end.equals(node)) {
                return true;
            }
        }
        return false;
    }

    /** The first node. */
    public N source() {
        Trail<N, R> part = this;
        while (part.before != null) {
            part = part.before;
        }
        return part.end;
    }

    /** The relationships from the source on. */
    public Deque<Edge<N, R>> edges() {
        Deque<Edge<N, R>> edges = new ArrayDeque<>(length + 1);
        for (Trail<N, R> part = this; part.before != null; part = part.before) {
            edges.addFirst(part.last);
        }
        return edges;
    }

    private int compareIds(Trail<N, R> other) {
        Iterator<Edge<N, R>> mine = edges().iterator();
        Iterator<Edge<N, R>> others = other.edges().iterator();
        while (mine.hasNext() && others.hasNext()) {
            int order = mine.next().id().compareTo(others.next().id());
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(length, other.length);
    }
}
