package qcg.embedding;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A text as the model's tokenizer sees it.
 *
 * @param text the text itself
 * @param ids the tokens' numbers with the special ones at both ends
 * @param starts where each token but the special ones begins, in characters of {@code text}
 * @param ends where it ends
 * @param words the number of its word, -1 for none
 */
record Tokens(String text, long[] ids, int[] starts, int[] ends, long[] words) {

    /** How many tokens the text has, special ones not counted. */
    int count() {
        return words.length;
    }

    /** The ids of the text's beginning: at most {@code window} tokens between the special ones. */
    long[] beginning(int window) {
        if (count() <= window) {
            return ids;
        }
        long[] kept = Arrays.copyOf(ids, window + 2);
        kept[window + 1] = ids[ids.length - 1];
        return kept;
    }

    /** The parts of the text that cover it and fit into a window each; the whole text where it fits. */
    List<String> windows(int window, int overlap) {
        if (count() <= window) {
            return List.of(text);
        }
        List<String> parts = new ArrayList<>();
        for (Span span : spans(words, window, overlap)) {
            parts.add(text.substring(starts[span.start()], ends[span.end() - 1]));
        }
        return parts;
    }

    /** Tokens from {@code start} up to, not including, {@code end}. */
    record Span(int start, int end) {}

    /**
     * Spans of at most {@code size} tokens that share about {@code overlap} and cut no word that is shorter than a
     * window; all about equally long, so that none is a mere tail. The same rule as in
     * qcg_neo4j/models/embedding/windows.py.
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
