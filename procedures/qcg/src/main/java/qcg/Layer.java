package qcg;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import qcg.algorithm.LayeredSum.Kind;

/** What a chunk is scored by: its best query, window, atom or triple, two ways of BM25, and the walk to it. */
enum Layer {
    QUERY("Query", "queryWeight", Kind.BOUNDED),
    // Windows are few, and those of long chunks are in another index than chunks that are their own.
    WINDOW("Window", "windowWeight", Kind.READ),
    ATOM("Atom", "atomWeight", Kind.BOUNDED),
    TRIPLE("RELATED_TO", "tripleWeight", Kind.BOUNDED),
    WORDS("words", "fulltextWeight", Kind.GIVEN),
    EXPANDED_WORDS("expandedWords", "expandedWeight", Kind.GIVEN),
    WALK("Entity", "walkWeight", Kind.GIVEN);

    private static final Map<String, Layer> NAMED =
            Stream.of(values()).collect(Collectors.toUnmodifiableMap(layer -> layer.title, layer -> layer));

    /** The label, type or property that it looks at; the evidence calls it so. */
    final String title;

    /** The key of its weight. */
    final String weight;

    final Kind kind;

    Layer(String title, String weight, Kind kind) {
        this.title = title;
        this.weight = weight;
        this.kind = kind;
    }

    /** The layer that looks at this label, type or property; null where none does. */
    static Layer of(String title) {
        return NAMED.get(title);
    }

    /** Whether it is BM25, which has no upper end: it counts as a share of the question's best. */
    boolean isWords() {
        return this == WORDS || this == EXPANDED_WORDS;
    }
}
