package qcg.algorithm;

import java.util.List;

/** The neighbours of a node, each once, with the weight of all that joins it to the node. */
public record Neighbours<N>(List<N> nodes, double[] weights) {
    /** The sum of the weights. */
    public double degree() {
        double sum = 0;
        for (double weight : weights) {
            sum += weight;
        }
        return sum;
    }
}
