package qcg.algorithm;

import java.util.Arrays;

/**
 * An undirected, weighted graph in arrays. Nodes are places from 0; what joins two of them several times adds up. Edges
 * are of two kinds, so that a walk may leave out those of the second.
 */
public final class PackedGraph {
    private final int[] begins; // of each node's edges; one more than there are nodes
    private final int[] seconds; // where those of the second kind begin
    private final int[] neighbours;
    private final float[] weights;

    private PackedGraph(int[] begins, int[] seconds, int[] neighbours, float[] weights) {
        this.begins = begins;
        this.seconds = seconds;
        this.neighbours = neighbours;
        this.weights = weights;
    }

    /** How many nodes there are. */
    public int nodes() {
        return begins.length - 1;
    }

    /** How many edges there are, each counted once. */
    public int edges() {
        return neighbours.length / 2;
    }

    int begin(int node) {
        return begins[node];
    }

    int end(int node, boolean whole) {
        return whole ? begins[node + 1] : seconds[node];
    }

    int neighbour(int edge) {
        return neighbours[edge];
    }

    float weight(int edge) {
        return weights[edge];
    }

    /** Edges as they are found, in any order. */
    public static final class Edges {
        private int[] ends = new int[1024];
        private float[] weights = new float[512];
        private boolean[] second = new boolean[512];
        private int size;

        /** Join two nodes, which must not be the same. */
        public void add(int one, int other, float weight, boolean ofSecondKind) {
            if (size == weights.length) {
                ends = Arrays.copyOf(ends, 4 * size);
                weights = Arrays.copyOf(weights, 2 * size);
                second = Arrays.copyOf(second, 2 * size);
            }
            ends[2 * size] = one;
            ends[2 * size + 1] = other;
            weights[size] = weight;
            second[size] = ofSecondKind;
            size++;
        }

        /** The graph that they make. */
        public PackedGraph packed(int nodes) {
            int[] begins = new int[nodes + 1];
            int[] firsts = new int[nodes];
            for (int end = 0; end < 2 * size; end++) {
                begins[ends[end] + 1]++;
                firsts[ends[end]] += second[end / 2] ? 0 : 1;
            }
            for (int node = 0; node < nodes; node++) {
                begins[node + 1] += begins[node];
                firsts[node] += begins[node];
            }
            int[] nextFirst = Arrays.copyOf(begins, nodes);
            int[] nextSecond = firsts.clone();
            int[] neighbours = new int[2 * size];
            float[] found = new float[2 * size];
            for (int end = 0; end < 2 * size; end++) {
                int[] next = second[end / 2] ? nextSecond : nextFirst;
                int place = next[ends[end]]++;
                neighbours[place] = ends[end ^ 1];
                found[place] = weights[end / 2];
            }
            return new PackedGraph(begins, firsts, neighbours, found);
        }
    }
}
