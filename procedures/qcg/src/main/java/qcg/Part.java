package qcg;

import java.util.List;
import org.neo4j.graphdb.Transaction;

/**
 * A part of a corpus's graph that can be held in memory. What is exact is of one commit; the other is of one state of
 * the stages that write it and of one number of nodes and relationships. What begins empty has no estimate, and needs no size.
 */
record Part<C extends Part.Copy>(String name, boolean isExact, Maker<C> maker, Estimate estimate) {
    static final Part<LayerVectors> VECTORS = new Part<>("vectors", true, (corpus, graph, size) -> new LayerVectors(), null);
    static final List<Part<?>> ALL = List.of(VECTORS);

    /** What is held. */
    interface Copy {
        /** Bytes that it takes. */
        long bytes();
    }

    /** How large a corpus's graph is. */
    record Size(long atoms, long entities, long mentions, long triples, long synonyms, long dimension) {}

    /** Makes a copy of what a transaction sees; what it cannot hold as it is stored is an exception. */
    interface Maker<C> {
        C of(Corpus corpus, Transaction transaction, Size size);
    }

    /** Bytes that a copy takes at most where nobody else's nodes are joined to the graph. */
    interface Estimate {
        long of(Size size);
    }
}
