package qcg.algorithm;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * An undirected, weighted graph in arrays. Nodes are places from 0; two of them may have several edges. Edges are of two
 * kinds, so that a walk may leave out those of the second.
 */
public final class PackedGraph {
    final int[] begins; // of each node's edges; one more than there are nodes
    final int[] seconds; // where those of the second kind begin
    final int[] neighbours;
    final double[] weights;
    final double[] degrees; // the sums of the weights of each node's edges
    final double[] firstDegrees; // the same without the second kind

    private PackedGraph(int[] begins, int[] seconds, int[] neighbours, double[] weights) {
        this.begins = begins;
        this.seconds = seconds;
        this.neighbours = neighbours;
        this.weights = weights;
        this.degrees = summed(true);
        this.firstDegrees = summed(false);
    }

    /** How many nodes there are. */
    public int nodes() {
        return begins.length - 1;
    }

    /** Where the edges of a node end, those of the second kind included or not. */
    int end(int node, boolean whole) {
        return whole ? begins[node + 1] : seconds[node];
    }

    private double[] summed(boolean whole) {
        double[] sums = new double[nodes()];
        for (int node = 0; node < sums.length; node++) {
            for (int edge = begins[node]; edge < end(node, whole); edge++) {
                sums[node] += weights[edge];
            }
        }
        return sums;
    }

    /** Which of the edges that were found make a graph; asked once of each, in their order. */
    public interface Choice {
        boolean takes(int one, int other, int mark);
    }

    /** Edges as they are found, in any order. */
    public static final class Edges {
        /** The mark of edges of the second kind. */
        public static final int SECOND = -2;

        private int[] ends = new int[1024];
        private double[] weights = new double[512];
        private int[] marks = new int[512];
        private int size;

        /** Join two nodes, which must not be the same; the mark is {@code SECOND}, or tells what a choice goes by. */
        public void add(int one, int other, double weight, int mark) {
            if (size == weights.length) {
                ends = Arrays.copyOf(ends, 4 * size);
                weights = Arrays.copyOf(weights, 2 * size);
                marks = Arrays.copyOf(marks, 2 * size);
            }
            ends[2 * size] = one;
            ends[2 * size + 1] = other;
            weights[size] = weight;
            marks[size] = mark;
            size++;
        }

        /** How many there are. */
        public int size() {
            return size;
        }

        /** The graph that those make which are chosen. */
        public PackedGraph packed(int nodes, Choice choice) {
            int[] chosen = IntStream.range(0, size)
                    .filter(edge -> choice.takes(ends[2 * edge], ends[2 * edge + 1], marks[edge]))
                    .toArray();
            int[] begins = new int[nodes + 1];
            int[] firsts = new int[nodes];
            for (int edge : chosen) {
                for (int end = 2 * edge; end <= 2 * edge + 1; end++) {
                    begins[ends[end] + 1]++;
                    firsts[ends[end]] += marks[edge] == SECOND ? 0 : 1;
                }
            }
            for (int node = 0; node < nodes; node++) {
                begins[node + 1] += begins[node];
                firsts[node] += begins[node];
            }
            int[] nextFirst = Arrays.copyOf(begins, nodes);
            int[] nextSecond = firsts.clone();
            int[] neighbours = new int[2 * chosen.length];
            double[] found = new double[2 * chosen.length];
            for (int edge : chosen) {
                int[] next = marks[edge] == SECOND ? nextSecond : nextFirst;
                for (int end = 2 * edge; end <= 2 * edge + 1; end++) {
                    int place = next[ends[end]]++;
                    neighbours[place] = ends[end ^ 1];
                    found[place] = weights[edge];
                }
            }
            return new PackedGraph(begins, firsts, neighbours, found);
        }
    }
}
