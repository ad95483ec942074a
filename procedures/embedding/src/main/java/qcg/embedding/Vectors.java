package qcg.embedding;

import java.util.ArrayList;
import java.util.List;

/** What is computed with vectors. */
final class Vectors {
    private static final double ZERO = 1e-12;

    private Vectors() {}

    /** The vector brought to unit length. */
    static float[] unit(double[] vector) {
        double length = length(vector);
        float[] unit = new float[vector.length];
        for (int place = 0; place < unit.length; place++) {
            unit[place] = (float) (vector[place] / length);
        }
        return unit;
    }

    /** The mean of the vectors, of unit length; the first one where they cancel out and have no mean direction. */
    static float[] mean(List<float[]> vectors) {
        double[] sum = new double[vectors.get(0).length];
        for (float[] vector : vectors) {
            for (int place = 0; place < sum.length; place++) {
                sum[place] += vector[place];
            }
        }
        return length(sum) > ZERO * vectors.size() ? unit(sum) : vectors.get(0);
    }

    private static double length(double[] vector) {
        double squares = 0;
        for (double number : vector) {
            squares += number * number;
        }
        return Math.sqrt(squares);
    }

    /** The vector as Cypher has it. */
    static List<Double> list(float[] vector) {
        List<Double> numbers = new ArrayList<>(vector.length);
        for (float number : vector) {
            numbers.add((double) number);
        }
        return numbers;
    }
}
