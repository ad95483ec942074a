package qcg.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.PackedGraph;
import qcg.algorithm.QuestionVector;
import qcg.request.Corpus;
import qcg.request.Vectors;
import qcg.store.Present;
import qcg.store.Types;

/**
 * The atom-entity graph of one state in arrays, with the vectors of its atoms. Each node has a place, and the atoms have
 * the first ones. A mention weighs 1 however many chunks state it, each triple 1, synonyms their score.
 */
public final class AtomGraph {
    private static final long BYTES_OF_CHUNK = 400; // its id, its place in two maps, its documents
    private static final long BYTES_OF_NODE = 280; // its name, its place, its chunks, its degrees, what a walk keeps of it
    private static final long BYTES_OF_EDGE = 48; // at both ends, and as it is stored, or while it is packed
    private static final long BYTES_OF_PACKED_NODE = 40; // where its edges begin, its degrees, who mentions it

    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final int atoms;
    private final int dimension;
    private final float[] vectors;
    private final StatingChunks chunks;
    private final PackedGraph.Edges edges = new PackedGraph.Edges(); // marked with the chunks that state them
    private final PackedGraph whole;
    private final long bytes;

    /** What a question may walk over: the edges, and the nodes that may take part; null for all. */
    public record View(PackedGraph graph, BitSet nodes) {
        /** Whether a node may take part. */
        public boolean has(int node) {
            return nodes == null || nodes.get(node);
        }
    }

    /** The graph as the transaction sees it; what others delete meanwhile is left out. */
    AtomGraph(Corpus corpus, Transaction transaction, Copies.State state) {
        List<Node> nodes = new ArrayList<>();
        addNodes(nodes, corpus.mark("Atom"), transaction);
        this.atoms = nodes.size();
        addNodes(nodes, corpus.mark("Entity"), transaction);
        this.dimension = dimension(nodes, atoms, state);
        this.vectors = new float[Math.multiplyExact(atoms, dimension)];
        this.chunks = new StatingChunks(corpus, transaction, nodes);
        Map<Node, Integer> known = new HashMap<>();
        for (Node node : nodes) {
            known.put(node, names.size());
            places.put(node.getElementId(), names.size());
            names.add(node.getElementId());
        }
        for (int place = 0; place < nodes.size(); place++) {
            readEdges(nodes.get(place), place, known, corpus.type(Corpus.RELATED_TO));
            if (place < atoms) {
                readVector(nodes.get(place), place * dimension);
            }
        }
        this.whole = packed(null, null);
        this.bytes = state.bytes();
    }

    private static void addNodes(List<Node> nodes, Label label, Transaction transaction) {
        try (var found = transaction.findNodes(label)) {
            found.forEachRemaining(nodes::add);
        }
    }

    /** Bytes that a graph takes, by how many there are of each kind. */
    static long bytes(Map<String, Object> counts) {
        ToLongFunction<String> number = kind -> (long) counts.get(kind);
        long atoms = number.applyAsLong("atoms");
        long edges = number.applyAsLong("mentions") + number.applyAsLong("triples") + number.applyAsLong("synonyms");
        return number.applyAsLong("chunks") * BYTES_OF_CHUNK
                + (atoms + number.applyAsLong("entities")) * BYTES_OF_NODE
                + edges * BYTES_OF_EDGE
                + atoms * number.applyAsLong("dimension") * Float.BYTES;
    }

    /** Bytes that it takes. */
    long bytes() {
        return bytes;
    }

    /** How many nodes there are. */
    public int nodes() {
        return names.size();
    }

    /** How many of them are atoms. */
    public int atoms() {
        return atoms;
    }

    /** The place of the node with an element id; null where it has none. */
    public Integer place(String name) {
        return places.get(name);
    }

    /** The element id of the node at a place. */
    public String name(int place) {
        return names.get(place);
    }

    /** What these documents state; null for all. */
    public View view(Collection<?> documents, ProcedureMemoryTracker memory) {
        if (documents == null) {
            return new View(whole, null);
        }
        memory.allocateHeap(edges.size() * BYTES_OF_EDGE + names.size() * BYTES_OF_PACKED_NODE);
        BitSet permitted = chunks.of(documents);
        BitSet stated = chunks.stated(permitted);
        return new View(packed(stated, permitted), stated);
    }

    /** The graph of these nodes and what these chunks state; null for all. What an atom mentions twice counts once. */
    private PackedGraph packed(BitSet nodes, BitSet permitted) {
        int[] mentioned = new int[names.size()]; // one more than the last atom that mentions a node: its edges are together
        return edges.packed(names.size(), (one, other, chunk) -> {
            boolean isStated = permitted == null
                    || (chunk == PackedGraph.Edges.SECOND
                            ? nodes.get(one) && nodes.get(other)
                            : chunk >= 0 && permitted.get(chunk));
            boolean isTaken = isStated && (one >= atoms || mentioned[other] != one + 1);
            mentioned[other] = isTaken && one < atoms ? one + 1 : mentioned[other];
            return isTaken;
        });
    }

    /** The cosine of an atom with the question; no number where the atom has no vector of that dimension. */
    public double cosine(int atom, QuestionVector question) {
        return question.dimension() == dimension ? question.cosineOfUnit(vectors, atom * dimension) : Double.NaN;
    }

    /** What joins a node to those of later places. */
    private void readEdges(Node node, int place, Map<Node, Integer> known, RelationshipType triples) {
        for (Relationship relationship : Present.relationships(node, Direction.BOTH, () -> {}, Types.MENTIONS, triples, Types.SYNONYM_OF)) {
            int other = known.getOrDefault(relationship.getOtherNode(node), 0);
            if (other <= place) {
                continue; // a node of others, a node with itself, or read from there
            }
            if (relationship.isType(Types.SYNONYM_OF)) {
                Object stored = Present.read(() -> relationship.getProperty("score", "missing"), null);
                if (stored != null) { // else it was deleted meanwhile
                    edges.add(place, other, score(stored), PackedGraph.Edges.SECOND);
                }
            } else {
                edges.add(place, other, 1, chunks.stating(relationship));
            }
        }
    }

    private static double score(Object stored) {
        if (stored instanceof Number score && score.doubleValue() >= 0 && Double.isFinite(score.doubleValue())) {
            return score.doubleValue();
        }
        throw new Copies.NoCopy(
                "the score of a relationship SYNONYM_OF is %s, but must be a number that is at least 0", stored);
    }

    /** What the corpus says, or the length of the first vector. */
    private static int dimension(List<Node> nodes, int atoms, Copies.State state) {
        if (state.dimension() > 0) {
            return state.dimension();
        }
        double[] first = atoms == 0 ? null : Vectors.of(Present.property(nodes.get(0), "embedding"));
        return first == null ? 0 : first.length;
    }

    private void readVector(Node atom, int begin) {
        double[] stored = Vectors.of(Present.property(atom, "embedding"));
        boolean fits = stored != null && stored.length == dimension;
        double length = fits ? Math.sqrt(Arrays.stream(stored).map(value -> value * value).sum()) : 0;
        for (int position = 0; position < dimension; position++) {
            vectors[begin + position] = length > 0 ? (float) (stored[position] / length) : Float.NaN;
        }
    }
}
