package qcg;

import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What a chunk is scored by: its best query, window, atom or triple, two ways of BM25, and the walk to it. */
enum Layer {
    QUERY("Query", "queryWeight", Kind.VECTORS),
    WINDOW("Window", "windowWeight", Kind.VECTORS),
    ATOM("Atom", "atomWeight", Kind.VECTORS),
    TRIPLE("RELATED_TO", "tripleWeight", Kind.VECTORS),
    WORDS("words", "fulltextWeight", Kind.WORDS),
    EXPANDED_WORDS("expandedWords", "expandedWeight", Kind.WORDS),
    WALK("Entity", "walkWeight", Kind.WALK);

    /** Where a layer's scores come from. */
    enum Kind {
        VECTORS,
        WORDS,
        WALK
    }

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
}
