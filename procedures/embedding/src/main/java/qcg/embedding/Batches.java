package qcg.embedding;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.IntStream;

/** Which texts go through the model together: those of like length, so that little is padded. */
final class Batches {
    static final int MOST_ROWS = 32;
    static final int MOST_TOKENS = 512; // more rows of long texts were slower than two

    private Batches() {}

    /** Indexes of the rows, batch by batch, short ones first; padding included, a batch holds only so many tokens. */
    static List<List<Integer>> plan(List<long[]> rows) {
        List<Integer> sorted = IntStream.range(0, rows.size())
                .boxed()
                .sorted(Comparator.comparingInt(index -> rows.get(index).length))
                .toList();
        List<List<Integer>> batches = new ArrayList<>();
        int begin = 0;
        for (int end = 1; end <= sorted.size(); end++) {
            if (end == sorted.size() || !fits(end + 1 - begin, rows.get(sorted.get(end)).length)) {
                batches.add(sorted.subList(begin, end));
                begin = end;
            }
        }
        return batches;
    }

    private static boolean fits(int rows, int longest) {
        return rows <= MOST_ROWS && rows * longest <= MOST_TOKENS;
    }
}
