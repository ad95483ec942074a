package qcg.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Every path up to a length, the comparison for the beam. A path to one target may pass through another. */
public record AllPaths<N, R>(int maxLength) implements PathSearch<N, R> {
    @Override
    public List<Trail<N, R>> from(N source, Set<N> targets, Network<N, R> network, Work work) {
        List<Trail<N, R>> complete = new ArrayList<>();
        extend(Trail.at(source), targets, network, work, complete);
        return complete;
    }

    /** Depth first, so that only complete paths have to be kept. */
    private void extend(
            Trail<N, R> trail, Set<N> targets, Network<N, R> network, Work work, List<Trail<N, R>> complete) {
        for (Edge<N, R> edge : network.from(trail.end())) {
            if (trail.visits(edge.target())) {
                continue;
            }
            work.extension();
            Trail<N, R> longer = trail.with(edge);
            if (targets.contains(edge.target())) {
                work.complete();
                complete.add(longer);
            }
            if (longer.length() < maxLength) {
                extend(longer, targets, network, work, complete);
            }
        }
    }
}
