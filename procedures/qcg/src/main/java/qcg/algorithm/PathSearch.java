package qcg.algorithm;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** A way to find paths from a source to targets. */
@FunctionalInterface
public interface PathSearch<N, R> {
    /** The complete paths of one source; the source itself is no target. */
    List<Trail<N, R>> from(N source, Set<N> targets, Network<N, R> network, Work work);

    /** The complete paths of all sources to all targets, best first; on a tie, earlier sources first. */
    default List<Trail<N, R>> between(Set<N> sources, Set<N> targets, Network<N, R> network, Work work) {
        List<Trail<N, R>> found = new ArrayList<>();
        for (N source : sources) {
            found.addAll(from(source, targets, network, work));
        }
        found.sort(Trail.bestFirst());
        return found;
    }
}
