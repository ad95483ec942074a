package qcg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.Neighbourhood;
import qcg.algorithm.Neighbours;

/** The stored graph as an undirected, weighted one; what joins the same two nodes adds up. */
final class WeightedNetwork implements Neighbourhood<Node> {
    private static final long BYTES_PER_EDGE = 160; // a neighbour, its weight, and its place where the node is new

    private final String procedure;
    private final Map<String, Kind> kinds = new HashMap<>();
    private final Corpus corpus;
    private final boolean selfLoops;
    private final RelationshipType[] types;
    private final Permission permission;
    private final TerminationGuard guard;
    private final ProcedureMemoryTracker memory;

    /** How relationships of a type count; {@code property} is null where all have the weight {@code fixed}. */
    private record Kind(int number, double fixed, String property, boolean once) {}

    WeightedNetwork(
            String procedure,
            Map<String, Object> configuration,
            Permission permission,
            TerminationGuard guard,
            ProcedureMemoryTracker memory) {
        this.procedure = procedure;
        this.selfLoops = (boolean) configuration.get("selfLoops");
        this.permission = permission;
        this.guard = guard;
        this.memory = memory;
        this.corpus = Corpus.of(configuration);
        List<?> once = (List<?>) configuration.get("once");
        ((Map<?, ?>) configuration.get("weights")).forEach((type, weight) -> {
            boolean isFixed = weight instanceof Number;
            double fixed = isFixed ? ((Number) weight).doubleValue() : 0;
            kinds.put(
                    corpus.type((String) type).name(),
                    new Kind(kinds.size(), fixed, isFixed ? null : (String) weight, once.contains(type)));
        });
        this.types = kinds.keySet().stream().map(RelationshipType::withName).toArray(RelationshipType[]::new);
    }

    @Override
    public Neighbours<Node> of(Node node) {
        Found found = new Found();
        for (Relationship relationship : Present.relationships(node, Direction.BOTH, guard, types)) {
            Node other = relationship.getOtherNode(node);
            if (!selfLoops && other.equals(node) || !permission.ofStep(relationship, other)) {
                continue;
            }
            Kind kind = kinds.get(relationship.getType().name());
            int position = found.position(other);
            if (!kind.once || found.isFirst(position * kinds.size() + kind.number)) {
                found.weights[position] += Present.read(() -> weight(relationship, kind), 0.0);
            }
        }
        memory.allocateHeap(BYTES_PER_EDGE * found.nodes.size());
        return new Neighbours<>(found.nodes, Arrays.copyOf(found.weights, found.nodes.size()));
    }

    private double weight(Relationship relationship, Kind kind) {
        if (kind.property == null) {
            return kind.fixed;
        }
        Object stored = relationship.getProperty(kind.property, null);
        if (stored instanceof Number number && number.doubleValue() >= 0 && Double.isFinite(number.doubleValue())) {
            return number.doubleValue();
        }
        throw new Refusal(
                procedure,
                "the weight %s of a relationship %s is %s, but must be a number that is at least 0.",
                kind.property,
                corpus.shown(relationship.getType().name()),
                stored == null ? "missing" : stored);
    }

    /** The neighbours of a node as they are found: each has a position, its weights so far, and the types seen. */
    private static final class Found {
        private final Map<Node, Integer> positions = new HashMap<>();
        private final List<Node> nodes = new ArrayList<>();
        private double[] weights = new double[8];
        private final BitSet seen = new BitSet();

        private int position(Node other) {
            Integer known = positions.putIfAbsent(other, nodes.size());
            if (known != null) {
                return known;
            }
            nodes.add(other);
            if (nodes.size() > weights.length) {
                weights = Arrays.copyOf(weights, 2 * weights.length);
            }
            return nodes.size() - 1;
        }

        private boolean isFirst(int bit) {
            boolean first = !seen.get(bit);
            seen.set(bit);
            return first;
        }
    }
}
