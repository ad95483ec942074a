package qcg.algorithm;

import java.util.Collection;
import java.util.Comparator;
import java.util.Locale;
import java.util.stream.Collectors;

/** Finds what somebody has meant. */
public final class Spelling {
    private Spelling() {}

    /** A hint at the known name that looks most like the given one, or at all of them. */
    public static String hint(String name, Collection<String> known) {
        String wanted = name.toLowerCase(Locale.ROOT);
        return known.stream()
                .min(Comparator.comparingInt((String each) -> distance(wanted, each.toLowerCase(Locale.ROOT)))
                        .thenComparing(Comparator.naturalOrder()))
                .filter(nearest -> distance(wanted, nearest.toLowerCase(Locale.ROOT)) <= nearest.length() / 2)
                .map(nearest -> "Did you mean '" + nearest + "'?")
                .orElseGet(() -> "Known are: " + known.stream().sorted().collect(Collectors.joining(", ")) + ".");
    }

    /** How many letters have to be added, left out or changed to come from one word to the other. */
    static int distance(String left, String right) {
        int[] row = new int[right.length() + 1];
        for (int column = 0; column < row.length; column++) {
            row[column] = column;
        }
        for (int line = 1; line <= left.length(); line++) {
            int diagonal = row[0];
            row[0] = line;
            for (int column = 1; column < row.length; column++) {
                int changed = diagonal + (left.charAt(line - 1) == right.charAt(column - 1) ? 0 : 1);
                diagonal = row[column];
                row[column] = Math.min(changed, 1 + Math.min(row[column], row[column - 1]));
            }
        }
        return row[right.length()];
    }
}
