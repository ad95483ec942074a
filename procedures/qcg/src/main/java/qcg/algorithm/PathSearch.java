package qcg.algorithm;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Beam search for paths between nodes (KG-CQR, Algorithm 2). Every partial path goes on with the {@code width} best
 * relationships that leave its end for a node that it has not visited. A path to one target may lead through another:
 * the searches from one source to all targets make the same partial paths, so one search serves all. With a width that
 * no node exceeds it finds every path.
 */
public record PathSearch<N, R>(int width, int maxLength) {
    /** The width of a search for every path. */
    public static final int UNLIMITED = Integer.MAX_VALUE;

    /** The paths from all sources to all targets, best first; a source is no target of itself. A node is looked at once. */
    public List<Trail<N, R>> between(Set<N> sources, Set<N> targets, Network<N, R> network, Work work) {
        Map<N, List<Edge<N, R>>> known = new HashMap<>();
        Network<N, R> best = node -> known.computeIfAbsent(
                node, fresh -> network.from(fresh).stream().sorted(Edge.bestFirst()).toList());
        List<Trail<N, R>> found = new ArrayList<>();
        for (N source : sources) {
            extend(Trail.at(source), targets, best, work, found);
        }
        found.sort(Trail.bestFirst());
        return found;
    }

    /** Depth first, so that only paths that have reached a target are kept. */
    private void extend(Trail<N, R> trail, Set<N> targets, Network<N, R> network, Work work, List<Trail<N, R>> found) {
        int taken = 0;
        for (Edge<N, R> edge : network.from(trail.end())) {
            if (taken == width) {
                return;
            }
            if (trail.visits(edge.target())) {
                continue;
            }
            taken++;
            work.extension();
            Trail<N, R> longer = trail.with(edge);
            if (targets.contains(longer.end())) {
                work.complete();
                found.add(longer);
            }
            if (longer.length() < maxLength) {
                extend(longer, targets, network, work, found);
            }
        }
    }
}
