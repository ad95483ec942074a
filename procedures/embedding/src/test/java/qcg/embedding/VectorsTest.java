package qcg.embedding;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;

import java.util.List;
import org.junit.jupiter.api.Test;

class VectorsTest {
    private static final float HALF = (float) Math.sqrt(0.5);

    @Test
    void theMeanHasUnitLength() {
        assertArrayEquals(
                new float[] {HALF, HALF}, Vectors.mean(List.of(new float[] {1, 0}, new float[] {0, 1})), 1e-6f);
    }

    @Test
    void ofVectorsThatCancelOutTheFirstStands() {
        assertArrayEquals(new float[] {1, 0}, Vectors.mean(List.of(new float[] {1, 0}, new float[] {-1, 0})), 0);
    }
}
