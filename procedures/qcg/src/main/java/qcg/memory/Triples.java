package qcg.memory;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.Id;
import qcg.algorithm.QuestionVector;
import qcg.request.Corpus;
import qcg.store.Present;

/** The triples of one state that have a vector, and the nodes at their ends; vectors are of one dimension, 0 for none. */
public final class Triples implements Copies.Copy {
    public static final String ID = "id";
    public static final String VECTOR = "embedding";
    private static final long BYTES_OF_TRIPLE = 360; // its name and id, its vector's head, its places in two lists
    private static final long BYTES_OF_NODE = 320; // its name, its place, two lists

    private final Map<String, End> ends = new HashMap<>();
    private long triples;
    private int dimension;

    /** A node with its triples. */
    public record End(String name, List<Triple> outgoing, List<Triple> incoming) {
        @Override
        public boolean equals(Object other) {
            return this == other; // its triples have ends again
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }

    /** A triple, with its vector and the length of that. */
    public record Triple(String name, Id id, End start, End end, float[] vector, double length) {}

    /** The triples as the transaction sees them; such as no search could follow are refused. */
    Triples(Corpus corpus, Transaction transaction, Copies.Size size) {
        try (var found = transaction.findRelationships(corpus.type(Corpus.RELATED_TO))) {
            while (found.hasNext()) {
                add(found.next());
                Copies.checkLimit(bytes());
            }
        }
    }

    /** Bytes that so many triples take. */
    static long bytes(Copies.Size size) {
        return bytes(size.triples(), size.entities(), size.dimension());
    }

    private static long bytes(long triples, long nodes, long dimension) {
        return triples * (BYTES_OF_TRIPLE + dimension * Float.BYTES) + nodes * BYTES_OF_NODE;
    }

    @Override
    public long bytes() {
        return bytes(triples, ends.size(), dimension);
    }

    /** How many numbers each vector has. */
    public int dimension() {
        return dimension;
    }

    /** A node; null where it has no triples. */
    public End end(Node node) {
        return ends.get(node.getElementId());
    }

    private void add(Relationship stored) {
        float[] vector = vector(stored);
        double length = vector == null ? 0 : QuestionVector.length(vector);
        if (!(length > 0 && Double.isFinite(length))) {
            return; // a search leaves it out
        }
        Object id = Present.property(stored, ID);
        String name = stored.getElementId();
        Triple triple = new Triple(
                name, Id.of(id == null ? name : id), end(stored.getStartNode().getElementId()),
                end(stored.getEndNode().getElementId()), vector, length);
        triple.start.outgoing.add(triple);
        triple.end.incoming.add(triple);
        triples++;
    }

    private End end(String name) {
        return ends.computeIfAbsent(name, fresh -> new End(fresh, new ArrayList<>(), new ArrayList<>()));
    }

    private float[] vector(Relationship stored) {
        Object property = Present.property(stored, VECTOR);
        if (property == null) {
            return null;
        }
        if (!(property instanceof float[] vector) || dimension != 0 && vector.length != dimension) {
            throw new Copies.NoCopy("a triple has no vector of numbers of four bytes, as many as others have");
        }
        dimension = vector.length;
        return vector;
    }
}
