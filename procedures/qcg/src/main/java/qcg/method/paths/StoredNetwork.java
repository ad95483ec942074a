package qcg.method.paths;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.Edge;
import qcg.algorithm.Id;
import qcg.algorithm.Network;
import qcg.algorithm.QuestionVector;
import qcg.config.PathConfig;
import qcg.request.Call;
import qcg.request.Permission;
import qcg.request.Vectors;
import qcg.store.Present;

/** The stored graph around the nodes that a search comes to; each relationship is read and scored once. */
final class StoredNetwork implements Network<Node, Relationship> {
    private static final long BYTES_PER_EDGE = 320; // an edge, its score, its id, their places in the maps

    private static final Map<String, Direction> DIRECTIONS = Map.of(
            "outgoing", Direction.OUTGOING, "incoming", Direction.INCOMING, "undirected", Direction.BOTH);

    private final Call<? extends PathConfig> call;
    private final QuestionVector question;
    private final RelationshipType[] types;
    private final Direction direction;
    private final Permission permission;
    private final ProcedureMemoryTracker memory;
    private final Map<Relationship, Double> scores = new HashMap<>();

    StoredNetwork(
            Call<? extends PathConfig> call,
            QuestionVector question,
            Permission permission,
            ProcedureMemoryTracker memory) {
        this.call = call;
        this.question = question;
        this.types = call.config().relationshipTypes().stream().map(call.corpus()::type).toArray(RelationshipType[]::new);
        this.direction = DIRECTIONS.get(call.config().direction());
        this.permission = permission;
        this.memory = memory;
    }

    @Override
    public List<Edge<Node, Relationship>> from(Node node) {
        List<Edge<Node, Relationship>> found = new ArrayList<>();
        for (Relationship relationship : Present.relationships(node, direction, call.guard(), types)) {
            if (!permission.isStatedBy(relationship)) {
                continue;
            }
            memory.allocateHeap(BYTES_PER_EDGE);
            double score = scores.computeIfAbsent(relationship, this::score);
            if (!Double.isNaN(score)) {
                found.add(new Edge<>(relationship, Id.of(name(relationship)), score, relationship.getOtherNode(node)));
            }
        }
        return found;
    }

    private double score(Relationship relationship) {
        String property = call.config().vectorProperty();
        Object stored = Present.property(relationship, property);
        if (stored == null) {
            return Double.NaN;
        }
        double[] vector = Vectors.of(stored);
        if (vector == null) {
            throw call.refusal("the property %s of the relationship %s is no vector.", property, name(relationship));
        }
        if (vector.length != question.dimension()) {
            throw call.refusal(
                    "the question's vector has %d dimensions, but %s of the relationship %s has %d."
                            + " Embed the question with the graph's model.",
                    question.dimension(),
                    property,
                    name(relationship),
                    vector.length);
        }
        return question.cosine(vector);
    }

    private Object name(Relationship relationship) {
        Object stored = Present.property(relationship, call.config().idProperty());
        return stored == null ? relationship.getElementId() : stored;
    }
}
