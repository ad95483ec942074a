package qcg;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import qcg.algorithm.Spelling;

/** Which documents may be used, and what of the graph is therefore looked at; without a filter everything is. */
final class Permission {
    private static final RelationshipType FROM_DOCUMENT = RelationshipType.withName("FROM_DOCUMENT");
    private static final RelationshipType FROM_CHUNK = RelationshipType.withName("FROM_CHUNK");
    private static final RelationshipType SAME_TEXT_AS = RelationshipType.withName("SAME_TEXT_AS");

    private final Set<Object> documents; // null for all
    private final Corpus corpus;
    private final Transaction transaction;
    private final TerminationGuard guard;
    private final Map<Node, Boolean> chunks = new HashMap<>();
    private final Map<Node, Boolean> others = new HashMap<>();
    private final Map<Object, Boolean> ids = new HashMap<>();

    private Permission(List<?> documents, Corpus corpus, Transaction transaction, TerminationGuard guard) {
        this.documents = documents == null ? null : new HashSet<>(documents);
        this.corpus = corpus;
        this.transaction = transaction;
        this.guard = guard;
    }

    /** For the documents whose ids a checked configuration has as {@code permitted}, of its corpus; null for all. */
    static Permission of(Map<String, Object> configuration, Transaction transaction, TerminationGuard guard) {
        List<?> documents = (List<?>) configuration.get("permitted");
        return new Permission(documents, Corpus.of(configuration), transaction, guard);
    }

    /**
     * The values with what the filter among them, {@code where}, permits: the documents as {@code permitted}, and
     * {@code candidates} by how much an index must be searched wider. False where it permits nothing.
     */
    static boolean resolve(String procedure, Map<String, Object> values, Transaction transaction) {
        Object where = values.remove("where");
        values.put("permitted", null);
        if (where == null) {
            return true;
        }
        List<Map<String, Object>> steps = new Where(procedure).steps(where);
        Map<String, Object> asked = new HashMap<>();
        asked.put("where", steps);
        asked.put("permitted", null);
        Map<String, Object> row = Statement.of("retrieve/permitted", Corpus.of(values)).rows(transaction, asked).get(0);
        List<?> unknown = (List<?>) row.get("unknown");
        if (!unknown.isEmpty() && (long) row.get("documents") > 0) {
            String name = (String) unknown.get(0);
            List<String> known = ((List<?>) row.get("known")).stream().map(String.class::cast).toList();
            throw new Refusal(
                    procedure, "no document has '%s', which the filter names. %s", name, Spelling.hint(name, known));
        }
        values.put("permitted", row.get("permitted"));
        values.put("widening", row.get("widening"));
        values.put("exactFrom", row.get("exactFrom"));
        return !((List<?>) row.get("permitted")).isEmpty();
    }

    /** How many candidates an index is asked for; 1 where that is too few, so that all permitted are looked at. */
    static long candidates(long wanted, Map<String, Object> values) {
        if (values.get("permitted") == null || wanted == 0) {
            return wanted;
        }
        boolean isExact = wanted >= (double) values.get("exactFrom");
        return isExact ? 1 : (long) Math.ceil(wanted * (double) values.get("widening"));
    }

    /** Whether there is a filter. */
    boolean isRestricted() {
        return documents != null;
    }

    /** Whether a chunk's text is that of a permitted document. */
    boolean ofChunk(Node chunk) {
        return documents == null || chunks.computeIfAbsent(chunk, this::isHeld);
    }

    /** The same of the chunk with an id. */
    boolean ofChunkId(Object id) {
        return documents == null || id != null && ids.computeIfAbsent(id, this::isHeldById);
    }

    /** Whether a permitted chunk states, names or is cut into it: an atom, an entity, a query, a window. */
    boolean ofNode(Node node) {
        return documents == null || others.computeIfAbsent(node, this::isStated);
    }

    /** Whether a walk may go to a node: a permitted chunk states what leads there (if one does), and the node. */
    boolean ofStep(Relationship relationship, Node other) {
        return documents == null || isStatedBy(relationship) && ofNode(other);
    }

    /** Whether a permitted chunk states a relationship; those that no chunk states belong to the nodes alone. */
    boolean isStatedBy(Relationship relationship) {
        Object id = documents == null ? null : Present.property(relationship, "chunkId");
        return id == null || ofChunkId(id);
    }

    private boolean isHeldById(Object id) {
        Node chunk = transaction.findNode(corpus.mark("Chunk"), "id", id);
        return chunk != null && ofChunk(chunk);
    }

    private boolean isHeld(Node chunk) {
        if (isOfDocument(chunk)) {
            return true;
        }
        return Present.relationships(chunk, Direction.INCOMING, guard, SAME_TEXT_AS).stream()
                .map(Relationship::getStartNode)
                .anyMatch(this::isOfDocument);
    }

    private boolean isOfDocument(Node chunk) {
        return Present.relationships(chunk, Direction.OUTGOING, guard, FROM_DOCUMENT).stream()
                .anyMatch(joined -> documents.contains(Present.property(joined.getEndNode(), "id")));
    }

    private boolean isStated(Node node) {
        return Present.relationships(node, Direction.OUTGOING, guard, FROM_CHUNK).stream()
                .anyMatch(joined -> ofChunk(joined.getEndNode()));
    }
}
