package qcg;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.Sharing;

/**
 * The ways of a walk from chunk to chunk: out over entities, those first about which the chunk states what the question
 * asks, and on to those chunks first that are about the entity.
 */
record LayerWays(LayerGraph graph, long most, double sharpness, double power, QuestionVector asked, Set<Node> named)
        implements Sharing<Node, Node, Relationship> {
    private static final double BEHIND = 0.1; // an entity in no triple, behind the least of the chunk's triples

    /** All entities alike, and all chunks that name them. */
    static LayerWays alike(LayerGraph graph, long most) {
        return new LayerWays(graph, most, 0, 0, null, Set.of());
    }

    /** The ways for a question that names entities: one does not walk back to them. */
    static LayerWays asked(
            LayerGraph graph, Map<String, Object> chosen, List<LayerName> names, QuestionVector rest) {
        Set<Node> named = new HashSet<>();
        names.forEach(name -> named.addAll(name.entities()));
        return new LayerWays(
                graph,
                (long) chosen.get("maxEntityDegree"),
                (double) chosen.get("relationSharpness"),
                (double) chosen.get("aboutPower"),
                rest,
                named);
    }

    @Override
    public List<Leaving<Node, Relationship>> from(Node chunk) {
        List<Node> entities = graph.entitiesOf(chunk).stream().filter(one -> !named.contains(one)).toList();
        if (sharpness == 0) {
            return entities.stream().map(one -> new Leaving<Node, Relationship>(one, 1, null)).toList();
        }
        Map<Node, Leaving<Node, Relationship>> nearest = nearest(chunk);
        double least = nearest.values().stream().mapToDouble(Leaving::weight).min().orElse(0) - BEHIND;
        return entities.stream()
                .map(one -> nearest.getOrDefault(one, new Leaving<>(one, least, null)))
                .map(way -> new Leaving<>(way.entity(), Math.exp(sharpness * way.weight()), way.stated()))
                .toList();
    }

    /** The nearest triple of every entity, its cosine as weight. */
    private Map<Node, Leaving<Node, Relationship>> nearest(Node chunk) {
        Map<Node, Leaving<Node, Relationship>> found = new HashMap<>();
        for (Relationship triple : graph.triplesOf(chunk)) {
            double score = graph.cosine(triple, asked);
            if (!Double.isNaN(score)) {
                for (Node end : triple.getNodes()) {
                    found.merge(end, new Leaving<>(end, score, triple), this::nearer);
                }
            }
        }
        return found;
    }

    private Leaving<Node, Relationship> nearer(Leaving<Node, Relationship> one, Leaving<Node, Relationship> other) {
        boolean isFirst = one.weight() > other.weight()
                || one.weight() == other.weight()
                        && graph.<Relationship>order().compare(one.stated(), other.stated()) <= 0;
        return isFirst ? one : other;
    }

    @Override
    public List<Arriving<Node>> to(Node entity) {
        return graph.statementsOf(entity, most).stream()
                .map(statement -> new Arriving<>(statement.getEndNode(), power == 0 ? 1 : weight(statement)))
                .toList();
    }

    private double weight(Relationship statement) {
        return Math.pow(about(Present.property(statement, "about")), power);
    }

    /** How much a chunk is about an entity; graphs that do not say so were extracted by an older version. */
    static double about(Object stored) {
        return stored instanceof Number number ? number.doubleValue() : 0.1;
    }
}
