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
        for (Windows.Span span : Windows.spans(words, window, overlap)) {
            parts.add(text.substring(starts[span.start()], ends[span.end() - 1]));
        }
        return parts;
    }
}
