package qcg.algorithm;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;

/**
 * A trained link predictor (LP-RAG): message-passing layers that give atoms and questions their vectors, and a scorer of
 * a question's vector, an atom's, and those of their common neighbours.
 */
public final class LinkModel {
    /** How common neighbours count: the mean of the products with the question, the sum (strict form), or not at all. */
    public enum Common {
        MEAN,
        SUM,
        NONE
    }

    /** The sizes that tell how the stored numbers are cut; {@code width} is the scorer's, 0 without one. */
    public record Shape(int layers, int dimension, int hidden, int width, Common common) {
        private int scorerInputs() {
            return common == Common.NONE ? hidden : 2 * hidden;
        }

        /** How many numbers there are. */
        public long size() {
            long first = hidden * (2L * dimension + 2);
            long further = (layers - 1) * hidden * (2L * hidden + 2);
            long scorer = width == 0 ? 0 : width * (scorerInputs() + 2L) + 1;
            return first + further + scorer + 2;
        }
    }

    private record Layer(float[] own, float[] neighbours, float[] bias) {}

    private final Shape shape;
    private final Layer[] layers;
    private final float[][] questionBiases;
    private float[] first = {};
    private float[] bias = {};
    private float[] second = {};
    private float last;
    private final float temperature;
    private final float offset;

    /** Reads what Python wrote: numbers of four bytes, the smallest first. */
    public LinkModel(Shape shape, byte[] stored) {
        if (stored.length != Float.BYTES * shape.size()) {
            throw new IllegalArgumentException(
                    "its weights have %d bytes, but %s needs %d.".formatted(stored.length, shape, 4 * shape.size()));
        }
        FloatBuffer numbers = ByteBuffer.wrap(stored).order(ByteOrder.LITTLE_ENDIAN).asFloatBuffer();
        this.shape = shape;
        this.layers = new Layer[shape.layers];
        for (int number = 0; number < layers.length; number++) {
            int size = shape.hidden * (number == 0 ? shape.dimension : shape.hidden);
            layers[number] = new Layer(next(numbers, size), next(numbers, size), next(numbers, shape.hidden));
        }
        if (shape.width > 0) {
            first = next(numbers, shape.width * shape.scorerInputs());
            bias = next(numbers, shape.width);
            second = next(numbers, shape.width);
            last = numbers.get();
        }
        temperature = numbers.get();
        offset = numbers.get();
        questionBiases = new float[shape.layers][];
        for (int number = 0; number < layers.length; number++) {
            questionBiases[number] = next(numbers, shape.hidden);
        }
    }

    private static float[] next(FloatBuffer numbers, int size) {
        float[] found = new float[size];
        numbers.get(found);
        return found;
    }

    /** How the numbers are cut. */
    public Shape shape() {
        return shape;
    }

    /** What a layer makes of an atom's vector and the mean of its neighbours'. */
    public float[] pass(int layer, float[] own, float[] neighbours) {
        float[] found = product(layers[layer].own, own, layers[layer].bias);
        return cut(layer, product(layers[layer].neighbours, neighbours, found));
    }

    /** A question, which is linked to all atoms. */
    public Asked asked(float[] embedding) {
        float[] found = embedding;
        for (int layer = 0; layer < layers.length; layer++) {
            found = cut(layer, product(layers[layer].own, found, questionBiases[layer]));
        }
        return new Asked(found);
    }

    private float[] cut(int layer, float[] values) {
        for (int place = 0; layer + 1 < layers.length && place < values.length; place++) {
            values[place] = Math.max(values[place], 0);
        }
        return values;
    }

    private static float[] product(float[] matrix, float[] vector, float[] start) {
        float[] found = new float[start.length];
        for (int row = 0; row < found.length; row++) {
            double sum = start[row];
            for (int place = 0, at = row * vector.length; place < vector.length; place++, at++) {
                sum += matrix[at] * vector[place];
            }
            found[row] = (float) sum;
        }
        return found;
    }

    /** A question with the scorer's first layer multiplied into it, turned so that the inner loop runs over its rows. */
    public final class Asked {
        private final float[] vector;
        private final float[] turned;

        private Asked(float[] vector) {
            this.vector = vector;
            int inputs = shape.width == 0 ? 0 : shape.scorerInputs();
            this.turned = new float[inputs * shape.width];
            for (int place = 0; place < inputs; place++) {
                boolean multiplied = place < shape.hidden || shape.common == Common.MEAN;
                float factor = multiplied ? vector[place % shape.hidden] : 1;
                for (int row = 0; row < shape.width; row++) {
                    turned[place * shape.width + row] = factor * first[row * inputs + place];
                }
            }
        }

        /** The score of an atom; {@code common} is the mean or the sum of its neighbours' vectors. */
        public double score(float[] atom, float[] common, double cosine) {
            double linear = temperature * cosine + offset;
            if (shape.width == 0) {
                for (int place = 0; place < shape.hidden; place++) {
                    linear += vector[place] * atom[place];
                }
                return linear;
            }
            float[] hidden = bias.clone();
            add(hidden, atom, 0);
            if (shape.common != Common.NONE) {
                add(hidden, common, shape.hidden);
            }
            double found = linear + last;
            for (int row = 0; row < hidden.length; row++) {
                found += second[row] * Math.max(hidden[row], 0);
            }
            return found;
        }

        private void add(float[] hidden, float[] values, int from) {
            for (int place = 0; place < values.length; place++) {
                float value = values[place];
                int start = (from + place) * hidden.length;
                for (int row = 0; row < hidden.length; row++) {
                    hidden[row] += value * turned[start + row];
                }
            }
        }
    }
}
