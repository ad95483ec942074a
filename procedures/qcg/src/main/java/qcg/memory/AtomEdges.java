package qcg.memory;

import java.util.Arrays;
import java.util.BitSet;
import qcg.algorithm.PackedGraph;

/** The edges of an atom-entity graph one by one, each with the chunk that states it, to be packed for a walk. */
final class AtomEdges {
    private static final int SYNONYM = -2; // instead of a chunk

    private int[] ends = new int[1024];
    private int[] chunks = new int[512];
    private double[] weights = new double[512];
    private int size;

    /** A mention or a triple that a chunk states. */
    void add(int one, int other, int chunk) {
        append(one, other, chunk, 1);
    }

    /** Two synonyms, of this score. */
    void addSynonyms(int one, int other, double score) {
        append(one, other, SYNONYM, score);
    }

    private void append(int one, int other, int chunk, double weight) {
        if (size == weights.length) {
            ends = Arrays.copyOf(ends, 4 * size);
            chunks = Arrays.copyOf(chunks, 2 * size);
            weights = Arrays.copyOf(weights, 2 * size);
        }
        ends[2 * size] = one;
        ends[2 * size + 1] = other;
        chunks[size] = chunk;
        weights[size++] = weight;
    }

    /**
     * The graph for a walk. The edges of a node are together here, so that what an atom mentions twice counts once.
     *
     * @param atoms how many of the nodes are atoms
     * @param permittedNodes the nodes that may take part; null for all
     * @param permittedChunks the chunks that may state edges; null for all
     */
    PackedGraph packed(int nodes, int atoms, BitSet permittedNodes, BitSet permittedChunks) {
        int[] mentioned = new int[nodes]; // one more than the last atom that mentions a node
        PackedGraph.Edges packed = new PackedGraph.Edges();
        for (int edge = 0; edge < size; edge++) {
            int one = ends[2 * edge];
            int other = ends[2 * edge + 1];
            boolean isSynonym = chunks[edge] == SYNONYM;
            boolean isStated = permittedChunks == null
                    || (isSynonym
                            ? permittedNodes.get(one) && permittedNodes.get(other)
                            : chunks[edge] >= 0 && permittedChunks.get(chunks[edge]));
            if (isStated && (one >= atoms || mentioned[other] != one + 1)) {
                packed.add(one, other, weights[edge], isSynonym);
                mentioned[other] = one < atoms ? one + 1 : mentioned[other];
            }
        }
        return packed.packed(nodes);
    }

    int size() {
        return size;
    }
}
