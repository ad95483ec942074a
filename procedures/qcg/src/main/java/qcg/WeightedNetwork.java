package qcg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
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
    private final Map<?, ?> weights;
    private final Set<?> once;
    private final boolean selfLoops;
    private final RelationshipType[] types;
    private final TerminationGuard guard;
    private final ProcedureMemoryTracker memory;

    WeightedNetwork(
            String procedure, Map<String, Object> configuration, TerminationGuard guard, ProcedureMemoryTracker memory) {
        this.procedure = procedure;
        this.weights = (Map<?, ?>) configuration.get("weights");
        this.once = new HashSet<>((List<?>) configuration.get("once"));
        this.selfLoops = (boolean) configuration.get("selfLoops");
        this.types = weights.keySet().stream()
                .map(name -> RelationshipType.withName((String) name))
                .toArray(RelationshipType[]::new);
        this.guard = guard;
        this.memory = memory;
    }

    @Override
    public Neighbours<Node> of(Node node) {
        Map<Node, Integer> positions = new HashMap<>();
        List<Double> sums = new ArrayList<>();
        List<Node> nodes = new ArrayList<>();
        Set<Map.Entry<Node, String>> seen = new HashSet<>();
        try (var relationships = node.getRelationships(Direction.BOTH, types)) {
            for (Relationship relationship : relationships) {
                guard.check();
                Node other = relationship.getOtherNode(node);
                String type = relationship.getType().name();
                boolean counts = (selfLoops || !other.equals(node))
                        && (!once.contains(type) || seen.add(Map.entry(other, type)));
                if (!counts) {
                    continue;
                }
                double weight = weight(relationship, type);
                int position = positions.computeIfAbsent(other, fresh -> nodes.size());
                if (position == nodes.size()) {
                    memory.allocateHeap(BYTES_PER_EDGE);
                    nodes.add(other);
                    sums.add(weight);
                } else {
                    sums.set(position, sums.get(position) + weight);
                }
            }
        }
        return new Neighbours<>(nodes, sums.stream().mapToDouble(Double::doubleValue).toArray());
    }

    private double weight(Relationship relationship, String type) {
        if (weights.get(type) instanceof Number fixed) {
            return fixed.doubleValue();
        }
        String property = (String) weights.get(type);
        Object stored = relationship.getProperty(property, null);
        if (stored instanceof Number number && number.doubleValue() >= 0 && Double.isFinite(number.doubleValue())) {
            return number.doubleValue();
        }
        throw new Refusal(
                procedure,
                "the weight %s of a relationship %s is %s, but must be a number that is at least 0.",
                property,
                type,
                stored == null ? "missing" : stored);
    }
}
