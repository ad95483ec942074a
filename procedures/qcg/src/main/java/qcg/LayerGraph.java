package qcg;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import qcg.algorithm.LayeredSum.Hit;
import qcg.algorithm.QuestionVector;

/** The part of the graph that layers look at: chunks, what was made of them, and how near that is to the question. */
final class LayerGraph {
    private static final RelationshipType FROM_CHUNK = RelationshipType.withName("FROM_CHUNK");
    private static final Map<Layer, String> KINDS =
            Map.of(Layer.QUERY, "Query", Layer.WINDOW, "Window", Layer.ATOM, "Atom", Layer.WALK, "Entity");

    private final Transaction transaction;
    private final Label chunks;
    private final Map<Layer, Label> labels = new EnumMap<>(Layer.class);
    private final RelationshipType triples;
    private final TerminationGuard guard;
    private final QuestionVector question;
    private final Permission permission;
    private final LayerVectors vectors; // null to read from the store
    private final Map<Entity, String> ids = new HashMap<>();
    private final Map<Node, Map<Layer, List<Node>>> made = new HashMap<>();
    private final Map<QuestionVector, Map<Entity, Double>> cosines = new IdentityHashMap<>();

    LayerGraph(
            Transaction transaction,
            Corpus corpus,
            TerminationGuard guard,
            QuestionVector question,
            Permission permission,
            LayerVectors vectors) {
        this.transaction = transaction;
        this.chunks = corpus.mark("Chunk");
        KINDS.forEach((layer, kind) -> labels.put(layer, corpus.mark(kind)));
        this.triples = corpus.type(Corpus.RELATED_TO);
        this.guard = guard;
        this.question = question;
        this.permission = permission;
        this.vectors = vectors;
    }

    /** The property id. */
    String id(Entity entity) {
        return ids.computeIfAbsent(entity, fresh -> String.valueOf(Present.property(fresh, "id")));
    }

    /** By id. */
    <T extends Entity> Comparator<T> order() {
        return Comparator.comparing(this::id);
    }

    /** The cosine of its embedding to the question; no number where it has none of that length. */
    double cosine(Entity entry) {
        return cosine(entry, question);
    }

    /** The same to a part of the question; a vector is read at most once for each part. */
    double cosine(Entity entry, QuestionVector asked) {
        return cosines.computeIfAbsent(asked, fresh -> new HashMap<>())
                .computeIfAbsent(entry, fresh -> computed(fresh, asked));
    }

    private double computed(Entity entry, QuestionVector asked) {
        guard.check();
        return vectors == null ? LayerVectors.cosineOfStored(entry, asked) : vectors.cosine(entry, asked);
    }

    /** The question without what it shares with the names of these entities. */
    QuestionVector without(Iterable<Node> names) {
        QuestionVector rest = question;
        for (Node name : names) {
            double[] values = Vectors.of(Present.property(name, "embedding"));
            rest = values == null ? rest : rest.without(values);
        }
        return rest;
    }

    /** The permitted chunks that an entry of an index was made of. */
    List<Node> chunksOf(Entity entry) {
        return madeOf(entry).stream().filter(permission::ofChunk).toList();
    }

    private List<Node> madeOf(Entity entry) {
        if (entry instanceof Relationship triple) {
            Object id = Present.property(triple, "chunkId");
            Node chunk = id == null ? null : transaction.findNode(chunks, "id", id);
            return chunk == null ? List.of() : List.of(chunk);
        }
        Node node = (Node) entry;
        return Present.hasLabel(node, chunks) ? List.of(node) : joined(node, Direction.OUTGOING);
    }

    /** The nearest entry that a layer has for a chunk; null without any. */
    Hit<Node, Entity> nearest(Layer layer, Node chunk) {
        return nearest(layer, chunk, question);
    }

    /** The same to a part of the question. */
    Hit<Node, Entity> nearest(Layer layer, Node chunk, QuestionVector asked) {
        Comparator<Entity> order = order();
        Hit<Node, Entity> best = null;
        for (Entity entry : entries(layer, chunk)) {
            double score = cosine(entry, asked);
            boolean isBetter = best == null
                    || score > best.score()
                    || score == best.score() && order.compare(entry, best.entry()) < 0;
            if (!Double.isNaN(score) && isBetter) {
                best = new Hit<>(entry, null, score);
            }
        }
        return best;
    }

    private List<? extends Entity> entries(Layer layer, Node chunk) {
        if (layer == Layer.TRIPLE) {
            return triplesOf(chunk);
        }
        List<Node> nodes = madeOf(chunk, layer);
        return layer == Layer.WINDOW && nodes.isEmpty() ? List.of(chunk) : nodes; // a short one is its own window
    }

    /** The entities that a chunk names. */
    List<Node> entitiesOf(Node chunk) {
        return madeOf(chunk, Layer.WALK);
    }

    /** What joins an entity to the permitted chunks that name it; nothing where these and others are more. */
    List<Relationship> statementsOf(Node entity, long most) {
        boolean isHub = Present.read(() -> entity.getDegree(FROM_CHUNK, Direction.OUTGOING), 0) > most;
        return isHub
                ? List.of()
                : Present.relationships(entity, Direction.OUTGOING, guard, FROM_CHUNK).stream()
                        .filter(said -> permission.ofChunk(said.getEndNode()))
                        .toList();
    }

    private List<Node> madeOf(Node chunk, Layer layer) {
        return made.computeIfAbsent(chunk, this::madeOf).getOrDefault(layer, List.of());
    }

    private Map<Layer, List<Node>> madeOf(Node chunk) {
        Map<Layer, List<Node>> found = new HashMap<>();
        for (Node node : joined(chunk, Direction.INCOMING)) {
            labels.forEach((layer, label) -> {
                if (Present.hasLabel(node, label)) {
                    found.computeIfAbsent(layer, fresh -> new ArrayList<>()).add(node);
                }
            });
        }
        return found;
    }

    /** What a chunk states about two entities. */
    List<Relationship> triplesOf(Node chunk) {
        try (var found = transaction.findRelationships(triples, "chunkId", id(chunk))) {
            return found.stream().toList();
        }
    }

    private List<Node> joined(Node node, Direction direction) {
        return Present.relationships(node, direction, guard, FROM_CHUNK).stream()
                .map(relationship -> relationship.getOtherNode(node))
                .toList();
    }
}
