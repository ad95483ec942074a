package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class PackedPushTest {
    private static final int NODES = 60;
    private static final PackedGraph.Choice ALL = (one, other, mark) -> true;

    private final Random random = new Random(7);
    private final PackedGraph.Edges edges = new PackedGraph.Edges();
    private final List<double[]> known = new ArrayList<>(); // one end, the other, weight, kind

    private void join(int one, int other, double weight, boolean second) {
        edges.add(one, other, weight, second ? PackedGraph.Edges.SECOND : 0);
        known.add(new double[] {one, other, weight, second ? 1 : 0});
    }

    private double degree(int node, boolean whole) {
        return known.stream()
                .filter(edge -> (edge[0] == node || edge[1] == node) && (whole || edge[3] == 0))
                .mapToDouble(edge -> edge[2])
                .sum();
    }

    /** Power iteration until nothing moves. */
    private double[] exact(double[] seeds, double damping, boolean whole) {
        double[] rank = seeds.clone();
        for (int round = 0; round < 200; round++) {
            double[] next = new double[NODES];
            for (int node = 0; node < NODES; node++) {
                next[node] += (1 - damping) * seeds[node];
            }
            for (double[] edge : known) {
                int one = (int) edge[0];
                int other = (int) edge[1];
                if (whole || edge[3] == 0) {
                    next[other] += damping * rank[one] * edge[2] / degree(one, whole);
                    next[one] += damping * rank[other] * edge[2] / degree(other, whole);
                }
            }
            rank = next;
        }
        return rank;
    }

    private void someEdges() {
        for (int edge = 0; edge < 2000; edge++) { // more than fit into the first arrays
            int one = random.nextInt(NODES - 1); // the last node is alone
            join(one, (one + 1 + random.nextInt(NODES - 3)) % (NODES - 1), 0.1 + random.nextDouble(), edge % 3 == 0);
        }
    }

    @Test
    void isPageRank() {
        someEdges();
        PackedGraph graph = edges.packed(NODES, ALL);
        assertEquals(NODES, graph.nodes());
        assertEquals(known.size(), graph.neighbours.length / 2);
        for (boolean whole : new boolean[] {true, false}) {
            double[] seeds = new double[NODES];
            for (int place : new int[] {3, 17, NODES - 2}) {
                seeds[place] = random.nextDouble();
            }
            double[] scores = PackedPush.scores(graph, seeds, 0.5, 1e-12, whole, pushes -> {});
            assertArrayEquals(exact(seeds, 0.5, whole), scores, 1e-8);
        }
    }

    @Test
    void fallsShortByNoMoreThanItSays() {
        someEdges();
        PackedGraph graph = edges.packed(NODES, ALL);
        double[] seeds = new double[NODES];
        seeds[5] = 1;
        double[] exact = PackedPush.scores(graph, seeds, 0.8, 1e-15, true, pushes -> {});
        double[] found = PackedPush.scores(graph, seeds, 0.8, 1e-4, true, pushes -> {});
        for (int node = 0; node < NODES; node++) {
            double least = exact[node] - 1e-4 * degree(node, true) - 1e-12;
            assertTrue(found[node] <= exact[node] + 1e-12 && found[node] >= least);
        }
    }

    @Test
    void whatIsNotChosenIsNotThere() {
        join(0, 1, 1, false);
        edges.add(1, 2, 1, 7);
        assertEquals(1, edges.packed(3, (one, other, mark) -> mark != 7).neighbours.length / 2);
    }

    @Test
    void whatIsAloneKeepsWhatTheWalkEndsWith() {
        join(0, 1, 1, false);
        double[] scores = PackedPush.scores(edges.packed(3, ALL), new double[] {0, 0, 1}, 0.3, 1e-9, true, pushes -> {});
        assertArrayEquals(new double[] {0, 0, 0.7}, scores, 1e-12);
    }
}
