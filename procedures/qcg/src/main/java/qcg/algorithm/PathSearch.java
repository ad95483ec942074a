package qcg.algorithm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Beam search for paths between nodes (KG-CQR, Algorithm 2). Every partial path goes on with the {@code width} best
 * relationships that leave its end for a node that it has not visited. A path to one target may lead through another:
 * the searches from one source to all targets make the same partial paths, so one search serves all. With a width that
 * no node exceeds it finds every path.
 */
public record PathSearch<N, R>(int width, int maxLength) {
    /** What a search sees of a graph; it is told what the search does, and may stop it by an exception. */
    public interface Network<N, R> {
        /** The relationships that lead on from a node, in any order; those without a score are left out. */
        List<Edge<N, R>> from(N node);

        /** A path is about to be extended by one more relationship. */
        void extension();

        /** A complete path is kept until the search ends. */
        void complete();
    }

    /** A relationship that leads on from a node: its id and its score for the question, and the node it leads to. */
    public record Edge<N, R>(R relationship, Id id, double score, N target) {}

    /** The id of a relationship, in an order that does not depend on where the database stores it: numbers before text. */
    public record Id(boolean isText, long number, String text) implements Comparable<Id> {
        private static final Comparator<Id> ORDER =
                Comparator.comparing(Id::isText).thenComparing(Id::number).thenComparing(Id::text);

        /** The id for a property's value; whole numbers stay numbers, everything else is compared as text. */
        public static Id of(Object value) {
            boolean whole =
                    value instanceof Long || value instanceof Integer || value instanceof Short || value instanceof Byte;
            return whole ? new Id(false, ((Number) value).longValue(), "") : new Id(true, 0, String.valueOf(value));
        }

        @Override
        public int compareTo(Id other) {
            return ORDER.compare(this, other);
        }
    }

    /**
     * A path from a source on: the path before, and the last relationship; both null at a source. Paths share what they
     * have in common.
     *
     * @param end the last node
     * @param length how many relationships there are
     * @param sum of their scores
     */
    public record Trail<N, R>(Trail<N, R> before, Edge<N, R> last, N end, int length, double sum) {
        private Trail<N, R> with(Edge<N, R> edge) {
            return new Trail<>(this, edge, edge.target, length + 1, sum + edge.score);
        }

        /** The mean score of the relationships. */
        public double score() {
            return sum / length;
        }

        private boolean visits(N node) {
            for (Trail<N, R> part = this; part != null; part = part.before) {
                if (part.end.equals(node)) {
                    return true;
                }
            }
            return false;
        }

        /** The nodes from the source on. */
        public List<N> nodes() {
            List<N> nodes = before == null ? new ArrayList<>() : before.nodes();
            nodes.add(end);
            return nodes;
        }

        /** The relationships from the source on. */
        public List<R> relationships() {
            return edges().stream().map(Edge::relationship).toList();
        }

        private Deque<Edge<N, R>> edges() {
            Deque<Edge<N, R>> edges = new ArrayDeque<>(length + 1);
            for (Trail<N, R> part = this; part.before != null; part = part.before) {
                edges.addFirst(part.last);
            }
            return edges;
        }

        private Id[] ids() {
            return edges().stream().map(Edge::id).toArray(Id[]::new);
        }

        private int compareIds(Trail<N, R> other) {
            return Arrays.compare(ids(), other.ids());
        }
    }

    /** The paths from all sources to all targets, best first; a source is no target of itself. A node is looked at once. */
    public List<Trail<N, R>> between(Set<N> sources, Set<N> targets, Network<N, R> network) {
        Comparator<Edge<N, R>> bestEdge =
                Comparator.<Edge<N, R>>comparingDouble(Edge::score).reversed().thenComparing(Edge::id);
        Map<N, List<Edge<N, R>>> known = new HashMap<>();
        Function<N, List<Edge<N, R>>> best = node ->
                known.computeIfAbsent(node, fresh -> network.from(fresh).stream().sorted(bestEdge).toList());
        List<Trail<N, R>> found = new ArrayList<>();
        for (N source : sources) {
            extend(new Trail<>(null, null, source, 0, 0), targets, best, network, found);
        }
        found.sort(Comparator.<Trail<N, R>>comparingDouble(Trail::score).reversed().thenComparing(Trail::compareIds));
        return found;
    }

    /** Depth first, so that only paths that have reached a target are kept. */
    private void extend(
            Trail<N, R> trail,
            Set<N> targets,
            Function<N, List<Edge<N, R>>> best,
            Network<N, R> network,
            List<Trail<N, R>> found) {
        int taken = 0;
        for (Edge<N, R> edge : best.apply(trail.end)) {
            if (taken == width) {
                return;
            }
            if (trail.visits(edge.target)) {
                continue;
            }
            taken++;
            network.extension();
            Trail<N, R> longer = trail.with(edge);
            if (targets.contains(longer.end)) {
                network.complete();
                found.add(longer);
            }
            if (longer.length < maxLength) {
                extend(longer, targets, best, network, found);
            }
        }
    }
}
