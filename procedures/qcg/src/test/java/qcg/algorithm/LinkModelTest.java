package qcg.algorithm;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;
import qcg.algorithm.LinkModel.Common;
import qcg.algorithm.LinkModel.Shape;

/** A predictor of two numbers, computed by hand. */
class LinkModelTest {
    // own, neighbours, bias of the one layer; the scorer; temperature and offset; the question's bias.
    private static final float[] LAYER = {1, 0, 0, 2, 1, 1, 0, 0, 0.5f, -1};
    private static final float[] LINEAR = {10, -3, 1, 0};

    private static LinkModel model(Common common, float... scorer) {
        int width = scorer.length == 0 ? 0 : 1;
        ByteBuffer bytes = ByteBuffer.allocate(4 * (LAYER.length + scorer.length + LINEAR.length));
        bytes.order(ByteOrder.LITTLE_ENDIAN);
        for (float[] part : new float[][] {LAYER, scorer, LINEAR}) {
            for (float number : part) {
                bytes.putFloat(number);
            }
        }
        return new LinkModel(new Shape(1, 2, 2, width, common), bytes.array());
    }

    @Test
    void aLayerAddsWhatNeighboursSay() {
        float[] found = model(Common.NONE).pass(0, new float[] {1, 3}, new float[] {2, 5});
        assertArrayEquals(new float[] {1 + 7 + 0.5f, 6 + 0 - 1}, found, 1e-6f);
    }

    @Test
    void withoutAScorerTheProductCounts() {
        double score = model(Common.NONE).asked(new float[] {1, 1}).score(new float[] {3, 4}, new float[0], 0.5);
        // The question becomes (1 + 1, 2 + 0); ten times the cosine less three is two.
        assertEquals(2 + 2 * 3 + 2 * 4, score, 1e-6);
    }

    @Test
    void commonNeighboursCountAsProductsOrAsTheyAre() {
        float[] scorer = {1, 1, 1, -1, 0.5f, 2, 0.25f}; // first (of four), its bias, second, last
        float[] atom = {3, 4};
        float[] common = {1, 5};
        double mean = model(Common.MEAN, scorer).asked(new float[] {1, 1}).score(atom, common, 0.3);
        assertEquals(0 + 2 * (6 + 8 + 2 - 10 + 0.5) + 0.25, mean, 1e-5);
        double sum = model(Common.SUM, scorer).asked(new float[] {1, 1}).score(atom, common, 0.3);
        assertEquals(0 + 2 * (6 + 8 + 1 - 5 + 0.5) + 0.25, sum, 1e-5);
        double negative = model(Common.SUM, scorer).asked(new float[] {1, 1}).score(atom, new float[] {0, 90}, 0.3);
        assertEquals(0.25, negative, 1e-5);
    }

    @Test
    void weightsOfAnotherSizeAreRefused() {
        Shape shape = new Shape(1, 2, 2, 0, Common.NONE);
        assertThrows(IllegalArgumentException.class, () -> new LinkModel(shape, new byte[8]));
    }
}
