package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ForwardPushTest {
    private final Map<Integer, Map<Integer, Double>> edges = new HashMap<>();
    private int pushes;

    private void edge(int one, int other, double weight) {
        edges.computeIfAbsent(one, node -> new HashMap<>()).merge(other, weight, Double::sum);
        if (one != other) {
            edges.computeIfAbsent(other, node -> new HashMap<>()).merge(one, weight, Double::sum);
        }
    }

    private Neighbours<Integer> neighbours(int node) {
        Map<Integer, Double> found = edges.getOrDefault(node, Map.of());
        List<Integer> nodes = new ArrayList<>(found.keySet());
        return new Neighbours<>(nodes, nodes.stream().mapToDouble(found::get).toArray());
    }

    private Map<Integer, Double> pushed(double damping, double tolerance, Map<Integer, Double> seeds) {
        pushes = 0;
        ForwardPush<Integer> push = new ForwardPush<>(damping, tolerance, this::neighbours, () -> pushes++);
        push.spread(seeds);
        Map<Integer, Double> scores = new HashMap<>();
        push.scores(scores::put);
        assertEquals(pushes, push.pushes());
        return scores;
    }

    /** Power iteration until nothing moves; what a node without edges would pass on is lost. */
    private double[] exact(int nodes, double damping, Map<Integer, Double> seeds) {
        double[] rank = new double[nodes];
        for (int step = 0; step < 2000; step++) {
            double[] next = new double[nodes];
            seeds.forEach((node, weight) -> next[node] += (1 - damping) * weight);
            for (int node = 0; node < nodes; node++) {
                Neighbours<Integer> found = neighbours(node);
                for (int position = 0; position < found.weights().length; position++) {
                    next[found.nodes().get(position)] += damping * rank[node] * found.weights()[position] / found.degree();
                }
            }
            rank = next;
        }
        return rank;
    }

    @Test
    void theErrorIsWithinToleranceTimesDegree() {
        Random random = new Random(4);
        for (double damping : new double[] {0.1, 0.3, 0.85}) {
            for (double tolerance : new double[] {1e-2, 1e-4, 1e-12}) {
                edges.clear();
                int nodes = 60;
                for (int number = 0; number < 150; number++) {
                    edge(random.nextInt(nodes), random.nextInt(nodes), 0.1 + random.nextDouble());
                }
                Map<Integer, Double> seeds = Map.of(1, 0.5, 2, 0.25, 3, 0.25, 4, 0.0);
                Map<Integer, Double> found = pushed(damping, tolerance, seeds);
                double[] exact = exact(nodes, damping, seeds);
                for (int node = 0; node < nodes; node++) {
                    double error = exact[node] - found.getOrDefault(node, 0.0);
                    assertTrue(error >= -1e-12, () -> "more than the exact score");
                    assertTrue(error <= tolerance * neighbours(node).degree() + 1e-12, () -> "too far from it");
                }
            }
        }
    }

    @Test
    void whatIsFarFromTheSeedsIsNotRead() {
        for (int node = 0; node < 1000; node++) {
            edge(node, node + 1, 1);
        }
        assertTrue(pushed(0.3, 1e-4, Map.of(0, 1.0)).size() < 20);
    }

    @Test
    void aSeedWithoutEdgesKeepsItsPartAndTheRestIsLost() {
        assertEquals(Map.of(7, 0.75), pushed(0.25, 1e-9, Map.of(7, 1.0)));
        edge(1, 2, 0);
        assertEquals(Map.of(1, 0.75), pushed(0.25, 1e-9, Map.of(1, 1.0)));
    }

    @Test
    void anEdgeToItselfReturnsWhatItTakes() {
        edge(1, 1, 1);
        assertEquals(1.0, pushed(0.5, 1e-12, Map.of(1, 1.0)).get(1), 1e-9);
    }

    @Test
    void withoutSeedsThereIsNothing() {
        edge(1, 2, 1);
        assertEquals(Map.of(), pushed(0.3, 1e-9, Map.of()));
        assertEquals(Map.of(), pushed(0.3, 1e-9, Map.of(1, 0.0)));
    }

    @Test
    void whatFollowsNoEdgeStays() {
        edge(1, 2, 1);
        assertEquals(Map.of(1, 1.0), pushed(0, 1e-9, Map.of(1, 1.0)));
    }
}
