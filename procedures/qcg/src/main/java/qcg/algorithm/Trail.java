package qcg.algorithm;

import java.util.ArrayDeque;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;

/** A path from a source on: the path before, and the last relationship. Paths share what they have in common. */
public final class Trail<N, R> {
    private final Trail<N, R> before;
    private final Edge<N, R> last;
    private final N end;
    private final int length;
    private final double sum;

    private Trail(Trail<N, R> before, Edge<N, R> last, N end) {
        this.before = before;
        this.last = last;
        this.end = end;
        this.length = before == null ? 0 : before.length + 1;
        this.sum = before == null ? 0 : before.sum + last.score();
    }

    /** The path without relationships that stands at a source. */
    public static <N, R> Trail<N, R> at(N source) {
        return new Trail<>(null, null, source);
    }

    /** This path and one more relationship. */
    public Trail<N, R> with(Edge<N, R> edge) {
        return new Trail<>(this, edge, edge.target());
    }

    /** Best first: by score, then by the ids along the path. */
    public static <N, R> Comparator<Trail<N, R>> bestFirst() {
        return Comparator.<Trail<N, R>>comparingDouble(Trail::score).reversed().thenComparing(Trail::compareIds);
    }

    /** The mean score of the relationships. */
    public double score() {
        return sum / length;
    }

    /** How many relationships there are. */
    public int length() {
        return length;
    }

    /** The last node. */
    public N end() {
        return end;
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
