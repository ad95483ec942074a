package qcg.embedding;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private static final Random RANDOM = new Random(7);

    private static List<long[]> rows(int number) {
        return IntStream.range(0, number).mapToObj(row -> new long[2 + RANDOM.nextInt(255)]).toList();
    }

    @Test
    void everyRowIsInOneBatch() {
        List<Integer> found = Model.batches(rows(1000)).stream().flatMap(List::stream).sorted().toList();
        assertEquals(IntStream.range(0, 1000).boxed().toList(), found);
    }

    @Test
    void aBatchIsSmallAndLittleOfItIsPadding() {
        List<long[]> rows = rows(1000);
        int padded = 0;
        for (List<Integer> batch : Model.batches(rows)) {
            int longest = batch.stream().mapToInt(row -> rows.get(row).length).max().orElseThrow();
            assertTrue(batch.size() == 1 || batch.size() * longest <= Model.MOST_TOKENS);
            padded += batch.size() * longest;
        }
        int tokens = rows.stream().mapToInt(row -> row.length).sum();
        assertTrue(padded < 1.05 * tokens, padded + " of " + tokens);
    }

    @Test
    void noRowsAreNoBatches() {
        assertEquals(List.of(), Model.batches(List.of()));
    }
}
