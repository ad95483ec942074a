package qcg.algorithm;

import java.util.function.IntConsumer;

/**
 * Personalized PageRank around seeds by forward push (Andersen, Chung, Lang, "Local Graph Partitioning using PageRank
 * Vectors", 2006), on an undirected, weighted graph in arrays.
 *
 * <p>The walk follows an edge with the probability {@code damping}, else it begins anew at a seed. Every node's score
 * is at most its exact PageRank, and falls short of it by at most {@code tolerance} times the node's weighted degree:
 * what is left at a node, at most tolerance times its degree, would reach another one as that one reaches it, times the
 * quotient of their degrees. What a node without edges would pass on is lost.
 *
 * <p>Nodes that have something to pass on wait in a queue. Where they are many, all nodes are gone through in their
 * order instead, which needs no queue and reads the arrays from front to back (Wu and others, "Unifying the Global and
 * Local Approaches", 2021).
 */
public final class PackedPush {
    private static final int FEW = 16; // a part of so many of all nodes is no longer many
    private static final int PUSHES_AT_ONCE = 256; // that are told together

    private final PackedGraph graph;
    private final double damping;
    private final boolean whole;
    private final IntConsumer work;
    private final double[] ranks;
    private final double[] rests;
    private final double[] degrees;
    private final double[] bounds; // what a node may keep
    private final int[] queue; // a ring: no node waits twice
    private final boolean[] waits;
    private int first;
    private int waiting;
    private int untold;

    private PackedPush(PackedGraph graph, double damping, double tolerance, boolean whole, IntConsumer work) {
        this.graph = graph;
        this.damping = damping;
        this.whole = whole;
        this.work = work;
        this.ranks = new double[graph.nodes()];
        this.rests = new double[graph.nodes()];
        this.degrees = whole ? graph.degrees : graph.firstDegrees;
        this.bounds = new double[graph.nodes()];
        this.queue = new int[graph.nodes()];
        this.waits = new boolean[graph.nodes()];
        for (int node = 0; node < bounds.length; node++) {
            bounds[node] = tolerance * degrees[node];
        }
    }

    /**
     * The score of every node.
     *
     * @param seeds what the walk begins with at each node
     * @param whole whether edges of the second kind are followed
     * @param work is told of pushes, of how many at a time
     */
    public static double[] scores(
            PackedGraph graph, double[] seeds, double damping, double tolerance, boolean whole, IntConsumer work) {
        PackedPush push = new PackedPush(graph, damping, tolerance, whole, work);
        push.spread(seeds);
        for (int node = 0; node < graph.nodes(); node++) {
            push.ranks[node] += (1 - damping) * push.rests[node];
        }
        return push.ranks;
    }

    private void spread(double[] seeds) {
        System.arraycopy(seeds, 0, rests, 0, rests.length);
        queueAll();
        while (waiting > 0) {
            if (waiting > queue.length / FEW) {
                goThrough();
                queueAll();
                continue;
            }
            int node = queue[first];
            first = first + 1 == queue.length ? 0 : first + 1;
            waiting--;
            waits[node] = false;
            pass(node);
        }
        work.accept(untold);
    }

    /** All nodes in turn until few of them have something to pass on. */
    private void goThrough() {
        int passed;
        do {
            passed = 0;
            for (int node = 0; node < rests.length; node++) {
                if (rests[node] > bounds[node]) {
                    passed++;
                    passUnqueued(node);
                }
            }
        } while (passed > rests.length / FEW);
    }

    private void queueAll() {
        first = 0;
        waiting = 0;
        for (int node = 0; node < rests.length; node++) {
            waits[node] = rests[node] > bounds[node];
            if (waits[node]) {
                queue[waiting++] = node;
            }
        }
    }

    private void pass(int node) {
        double share = taken(node);
        for (int edge = graph.begins[node]; edge < graph.end(node, whole); edge++) {
            int neighbour = graph.neighbours[edge];
            rests[neighbour] += share * graph.weights[edge];
            if (!waits[neighbour] && rests[neighbour] > bounds[neighbour]) {
                waits[neighbour] = true;
                int last = first + waiting++;
                queue[last >= queue.length ? last - queue.length : last] = neighbour;
            }
        }
    }

    private void passUnqueued(int node) {
        double share = taken(node);
        for (int edge = graph.begins[node]; edge < graph.end(node, whole); edge++) {
            rests[graph.neighbours[edge]] += share * graph.weights[edge];
        }
    }

    /** What a node passes on, per unit of weight; its part of the rank stays. */
    private double taken(int node) {
        if (++untold == PUSHES_AT_ONCE) {
            work.accept(untold);
            untold = 0;
        }
        double amount = rests[node];
        rests[node] = 0;
        ranks[node] += (1 - damping) * amount;
        return damping * amount / degrees[node]; // of a node without edges nothing takes it
    }
}
