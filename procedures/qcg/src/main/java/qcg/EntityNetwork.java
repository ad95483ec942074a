package qcg;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.PackedGraph;

/**
 * The atom-entity graph of one state in arrays: each node has a place, the atoms have the first ones, then come the
 * entities, then what else is joined to them. Relationships count as {@link WeightedNetwork} has it at its defaults;
 * synonyms are the edges of the second kind.
 */
final class EntityNetwork implements Part.Copy {
    private static final RelationshipType MENTIONS = RelationshipType.withName("MENTIONS");
    private static final RelationshipType SYNONYM_OF = RelationshipType.withName("SYNONYM_OF");
    private static final long BYTES_OF_NODE = 220; // its name, its place, its degrees, what a walk keeps of it
    private static final long BYTES_OF_EDGE = 24; // at both ends

    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> places = new HashMap<>();
    private final List<Set<String>> labels = new ArrayList<>();
    private final int atoms;
    private final PackedGraph graph;

    private EntityNetwork(List<Node> nodes, int atoms, RelationshipType triples) {
        this.atoms = atoms;
        Map<Node, Integer> known = new HashMap<>();
        for (Node node : nodes) {
            known.put(node, known.size());
        }
        PackedGraph.Edges edges = new PackedGraph.Edges();
        for (int place = 0; place < nodes.size(); place++) { // which become more on the way
            readEdges(nodes, place, known, triples, edges);
        }
        this.graph = edges.packed(nodes.size());
        Map<Set<String>, Set<String>> met = new HashMap<>();
        for (Node node : nodes) {
            places.put(node.getElementId(), names.size());
            names.add(node.getElementId());
            labels.add(met.computeIfAbsent(labelsOf(node), same -> same));
        }
    }

    /** The graph as the transaction sees it; what others delete meanwhile is left out. */
    static EntityNetwork of(Corpus corpus, Transaction transaction, Part.Size size) {
        return of(atoms(corpus, transaction), corpus, transaction);
    }

    /** The same, with these atoms first. */
    static EntityNetwork of(List<Node> atoms, Corpus corpus, Transaction transaction) {
        List<Node> nodes = new ArrayList<>(atoms);
        gather(transaction, corpus.mark("Entity"), nodes);
        return new EntityNetwork(nodes, atoms.size(), corpus.type(Corpus.RELATED_TO));
    }

    static List<Node> atoms(Corpus corpus, Transaction transaction) {
        List<Node> atoms = new ArrayList<>();
        gather(transaction, corpus.mark("Atom"), atoms);
        return atoms;
    }

    private static void gather(Transaction transaction, Label kind, List<Node> nodes) {
        try (var found = transaction.findNodes(kind)) {
            found.forEachRemaining(nodes::add);
        }
    }

    /** Bytes that a graph of such a size takes. */
    static long bytes(Part.Size size) {
        return bytes(size.atoms() + size.entities(), size.mentions() + size.triples() + size.synonyms());
    }

    private static long bytes(long nodes, long edges) {
        return nodes * BYTES_OF_NODE + edges * BYTES_OF_EDGE;
    }

    @Override
    public long bytes() {
        return bytes(names.size(), graph.edges());
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

    /** The places of the nodes that have one of these labels; all where none is named. */
    BitSet placesWith(Collection<String> names) {
        Map<Set<String>, Boolean> known = new IdentityHashMap<>();
        BitSet found = new BitSet(labels.size());
        for (int place = 0; place < labels.size(); place++) {
            found.set(place, names.isEmpty() || known.computeIfAbsent(labels.get(place), own -> names.stream().anyMatch(own::contains)));
        }
        return found;
    }

    private static Set<String> labelsOf(Node node) {
        Set<String> names = new TreeSet<>();
        Present.read(() -> node.getLabels(), List.<Label>of()).forEach(label -> names.add(label.name()));
        return names;
    }

    /** What joins a node to those of later places. */
    private static void readEdges(
            List<Node> nodes, int place, Map<Node, Integer> known, RelationshipType triples, PackedGraph.Edges edges) {
        Node node = nodes.get(place);
        Set<Integer> mentioned = new HashSet<>(); // twice in two chunks counts once
        for (Relationship relationship : Present.relationships(node, Direction.BOTH, () -> {}, MENTIONS, triples, SYNONYM_OF)) {
            Node end = relationship.getOtherNode(node);
            int other = known.computeIfAbsent(end, fresh -> {
                nodes.add(fresh);
                return nodes.size() - 1;
            });
            if (other <= place) {
                continue; // a node with itself, or read from there
            }
            if (relationship.isType(SYNONYM_OF)) {
                edges.add(place, other, weight(relationship), true);
            } else if (relationship.isType(triples) || mentioned.add(other)) {
                edges.add(place, other, 1, false);
            }
        }
    }

    /** A weight that no walk could follow makes no snapshot: the walk on the store says what is wrong with it. */
    private static double weight(Relationship synonym) {
        if (Present.property(synonym, "score") instanceof Number score
                && score.doubleValue() >= 0
                && Double.isFinite(score.doubleValue())) {
            return score.doubleValue();
        }
        throw new IllegalStateException("a relationship SYNONYM_OF has no score that is at least 0");
    }
}
