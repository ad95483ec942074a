package qcg.method.paths;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.PathSearch;
import qcg.algorithm.PathSearch.Edge;
import qcg.algorithm.PathSearch.Id;
import qcg.algorithm.PathSearch.Trail;
import qcg.algorithm.QuestionVector;
import qcg.config.Configs.BeamConfig;
import qcg.request.Call;
import qcg.request.Permission;
import qcg.request.Vectors;
import qcg.store.Present;

/**
 * One call of {@code qcg.paths.beam}: the stored graph around the nodes that its search comes to, and what the
 * search has done. Each relationship is read and scored once.
 */
public final class PathCall implements PathSearch.Network<Node, Relationship> {
    private static final long BYTES_PER_EDGE = 320; // an edge, its score, its id, their places in the maps
    private static final long BYTES_PER_PATH = 240; // up to three links that it does not share, and its row
    private static final Map<String, Direction> DIRECTIONS = Map.of(
            "outgoing", Direction.OUTGOING, "incoming", Direction.INCOMING, "undirected", Direction.BOTH);

    private final Call<BeamConfig> call;
    private final QuestionVector question;
    private final RelationshipType[] types;
    private final Direction direction;
    private final Permission permission;
    private final ProcedureMemoryTracker memory;
    private final Map<Relationship, Double> scores = new HashMap<>();

    private PathCall(Call<BeamConfig> call, Object vector, ProcedureMemoryTracker memory) {
        this.call = call;
        this.question = Vectors.direction(call, Vectors.given(call, vector));
        this.types = call.config().relationshipTypes().stream().map(call.corpus()::type).toArray(RelationshipType[]::new);
        this.direction = DIRECTIONS.get(call.config().direction());
        this.permission = new Permission(call.config().permitted(), call);
        this.memory = memory;
    }

    /** The paths, best first. */
    public static List<Trail<Node, Relationship>> paths(
            Call<BeamConfig> call, List<Node> sources, List<Node> targets, Object vector, ProcedureMemoryTracker memory) {
        Set<Node> from = call.nodes("sources", sources);
        Set<Node> to = call.nodes("targets", targets);
        var search = new PathSearch<Node, Relationship>((int) call.config().beamWidth(), (int) call.config().maxLength());
        return search.between(from, to, new PathCall(call, vector, memory));
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

    @Override
    public void extension() {
        call.guard().check();
    }

    @Override
    public void complete() {
        memory.allocateHeap(BYTES_PER_PATH);
    }

    private double score(Relationship relationship) {
        String vectorProperty = call.config().vectorProperty();
        Object stored = Present.property(relationship, vectorProperty);
        if (stored == null) {
            return Double.NaN;
        }
        double[] vector = Vectors.of(stored);
        if (vector == null) {
            throw call.refusal("the property %s of the relationship %s is no vector.", vectorProperty, name(relationship));
        }
        if (vector.length != question.dimension()) {
            throw call.refusal(
                    "the question's vector has %d dimensions, but %s of the relationship %s has %d."
                            + " Embed the question with the graph's model.",
                    question.dimension(),
                    vectorProperty,
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
