package qcg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.PackedGraph;
import qcg.algorithm.QuestionVector;

/**
 * The atom-entity graph of one state in arrays: each node has a place, the atoms have the first ones. What the walk
 * follows counts as {@link WeightedNetwork} has it at its defaults, between nodes of ours alone; synonyms are the edges
 * of the second kind.
 */
final class AtomSnapshot {
    private static final RelationshipType MENTIONS = RelationshipType.withName("MENTIONS");
    private static final RelationshipType SYNONYM_OF = RelationshipType.withName("SYNONYM_OF");
    private static final long BYTES_OF_NODE = 200; // its name, its place, what a walk keeps of it
    private static final long BYTES_OF_EDGE = 16; // at both ends

    private final RelationshipType triples;
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final int atoms;
    private final int dimension;
    private final float[] vectors; // of unit length
    private final PackedGraph graph;

    private AtomSnapshot(Corpus corpus, Transaction transaction, int dimension) {
        this.dimension = dimension;
        this.triples = corpus.type(Corpus.RELATED_TO);
        List<Node> nodes = new ArrayList<>();
        gather(transaction, corpus.mark("Atom"), nodes);
        this.atoms = nodes.size();
        gather(transaction, corpus.mark("Entity"), nodes);
        this.vectors = new float[Math.multiplyExact(atoms, dimension)];
        for (int atom = 0; atom < atoms; atom++) {
            readVector(nodes.get(atom), atom);
        }
        PackedGraph.Edges edges = new PackedGraph.Edges();
        for (int place = 0; place < nodes.size(); place++) {
            readEdges(nodes.get(place), place, edges);
        }
        this.graph = edges.packed(nodes.size());
    }

    /** The graph as the transaction sees it; what others delete meanwhile is left out. */
    static AtomSnapshot of(Corpus corpus, Transaction transaction, int dimension) {
        return new AtomSnapshot(corpus, transaction, dimension);
    }

    /** Bytes that a graph of such a size takes at most. */
    static long bytes(long atoms, long entities, long edges, long dimension) {
        return atoms * dimension * Float.BYTES + (atoms + entities) * BYTES_OF_NODE + edges * BYTES_OF_EDGE;
    }

    long bytes() {
        return bytes(atoms, names.size() - atoms, graph.edges(), dimension);
    }

    int atoms() {
        return atoms;
    }

    PackedGraph graph() {
        return graph;
    }

    /** The place of a node; null where it has none. */
    Integer place(Node node) {
        return places.get(node.getElementId());
    }

    /** The node at a place. */
    Node node(int place, Transaction transaction) {
        return transaction.getNodeByElementId(names.get(place));
    }

    /** The cosine of every atom with the question; no number where an atom has no vector of that dimension. */
    double[] cosines(QuestionVector question) {
        double[] found = new double[atoms];
        for (int atom = 0; atom < atoms; atom++) {
            found[atom] = question.dimension() == dimension ? question.cosineOfUnit(vectors, atom * dimension) : Double.NaN;
        }
        return found;
    }

    private void gather(Transaction transaction, Label kind, List<Node> nodes) {
        try (var found = transaction.findNodes(kind)) {
            while (found.hasNext()) {
                Node node = found.next();
                places.put(node.getElementId(), names.size());
                names.add(node.getElementId());
                nodes.add(node);
            }
        }
    }

    private void readVector(Node atom, int place) {
        double[] stored = Vectors.of(Present.property(atom, "embedding"));
        boolean fits = stored != null && stored.length == dimension;
        double length = fits ? Math.sqrt(Arrays.stream(stored).map(value -> value * value).sum()) : 0;
        for (int position = 0; position < dimension; position++) {
            vectors[place * dimension + position] = length > 0 ? (float) (stored[position] / length) : Float.NaN;
        }
    }

    /** What leads on from a node: every relationship is met once, at its start. */
    private void readEdges(Node node, int place, PackedGraph.Edges edges) {
        Set<Integer> mentioned = new HashSet<>(); // twice in two chunks counts once
        for (Relationship relationship : Present.relationships(node, Direction.OUTGOING, () -> {}, MENTIONS, triples, SYNONYM_OF)) {
            Integer other = places.get(relationship.getEndNode().getElementId());
            if (other == null || other == place) {
                continue;
            }
            if (relationship.isType(SYNONYM_OF)) {
                edges.add(place, other, weight(relationship), true);
            } else if (relationship.isType(triples) || mentioned.add(other)) {
                edges.add(place, other, 1, false);
            }
        }
    }

    /** A weight that no walk could follow makes no snapshot: the walk on the store says what is wrong with it. */
    private static float weight(Relationship synonym) {
        if (Present.property(synonym, "score") instanceof Number score
                && score.doubleValue() >= 0
                && Double.isFinite(score.doubleValue())) {
            return score.floatValue();
        }
        throw new IllegalStateException("a relationship SYNONYM_OF has no score that is at least 0");
    }
}
