package qcg.embedding;

import java.util.ArrayList;
import java.util.List;

/** Spans of tokens that cover a text longer than the model reads; the same rule as in qcg_neo4j/models/embedding/windows.py. */
final class Windows {
    private Windows() {}

    /** Tokens from {@code start} up to, not including, {@code end}. */
    record Span(int start, int end) {}

    /**
     * Spans of at most {@code size} tokens that share about {@code overlap} and cut no word that is shorter than a
     * window; all about equally long, so that none is a mere tail.
     *
     * @param words the number of each token's word, -1 for a token that belongs to none
     */
    static List<Span> spans(long[] words, int size, int overlap) {
        int total = words.length;
        if (total <= size) {
            return List.of(new Span(0, total));
        }
        int number = -Math.floorDiv(overlap - total, size - overlap);
        List<Span> spans = new ArrayList<>();
        int start = 0;
        while (true) {
            int end = wordBorder(words, Math.min(start + size, total), start);
            // A long word may hold the end back; such a window adds nothing.
            if (spans.isEmpty() || end > spans.get(spans.size() - 1).end()) {
                spans.add(new Span(start, end));
            }
            if (end == total) {
                return spans;
            }
            // Even steps; a word border may have moved the end, and a step must not leave a gap behind it.
            double step = (double) spans.size() * (total - size) / (number - 1);
            int even = Math.max((int) Math.rint(step), start + 1);
            start = Math.max(wordBorder(words, Math.min(even, end - overlap), start + 1), start + 1);
        }
    }

    /** The last place at or before {@code position}, but after {@code least}, where a word begins; else that place. */
    private static int wordBorder(long[] words, int position, int least) {
        for (int candidate = position; candidate > least; candidate--) {
            if (candidate == words.length || words[candidate] < 0 || words[candidate] != words[candidate - 1]) {
                return candidate;
            }
        }
        return position;
    }
}
