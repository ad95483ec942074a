package qcg.method.atomic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class AtomWalkTest {
    private static double least(int number, double... scores) {
        return AtomWalk.least(DoubleStream.of(scores), number);
    }

    @Test
    void isTheLastOfSoMany() {
        assertEquals(5, least(1, 3, 5, 1, 4));
        assertEquals(3, least(3, 3, 5, 1, 4));
        assertEquals(4, least(2, 4, 4, 4));
    }

    @Test
    void ofFewerItIsTheLeastAndOfNoneNothingReachesIt() {
        assertEquals(1, least(9, 3, 1));
        assertEquals(Double.POSITIVE_INFINITY, least(9));
        assertEquals(Double.POSITIVE_INFINITY, least(0, 3));
    }
}
