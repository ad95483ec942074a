package qcg.algorithm;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.Set;

/**
 * Beam search (KG-CQR, Algorithm 2), with one beam for all targets of a source: at each step the best extensions of
 * all partial paths survive, and those of them that have reached a target are complete and leave the beam.
 */
public record BeamSearch<N, R>(int width, int maxLength) implements PathSearch<N, R> {
    @Override
    public List<Trail<N, R>> from(N source, Set<N> targets, Network<N, R> network, Work work) {
        List<Trail<N, R>> complete = new ArrayList<>();
        List<Trail<N, R>> beam = List.of(Trail.at(source));
        for (int step = 0; step < maxLength && !beam.isEmpty(); step++) {
            List<Trail<N, R>> partial = new ArrayList<>();
            for (Trail<N, R> trail : bestExtensions(beam, network, work)) {
                if (targets.contains(trail.end())) {
                    work.complete();
                    complete.add(trail);
                } else {
                    partial.add(trail);
                }
            }
            beam = partial;
        }
        return complete;
    }

    private List<Trail<N, R>> bestExtensions(List<Trail<N, R>> beam, Network<N, R> network, Work work) {
        Comparator<Trail<N, R>> bestFirst = Trail.bestFirst();
        PriorityQueue<Trail<N, R>> worstFirst = new PriorityQueue<>(bestFirst.reversed());
        for (Trail<N, R> trail : beam) {
            for (Edge<N, R> edge : network.from(trail.end())) {
                if (trail.visits(edge.target())) {
                    continue;
                }
                work.extension();
                worstFirst.add(trail.with(edge));
                if (worstFirst.size() > width) {
                    worstFirst.remove();
                }
            }
        }
        List<Trail<N, R>> best = new ArrayList<>(worstFirst);
        best.sort(bestFirst);
        return best;
    }
}
