package qcg.request;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import qcg.store.Present;
import qcg.store.Types;

/** Which documents may be used, and what of the graph is therefore looked at; without a filter everything is. */
public final class Permission {
    private final Set<Object> documents; // null for all
    private final Call<?> call;
    private final Map<Node, Boolean> chunks = new HashMap<>();
    private final Map<Node, Boolean> others = new HashMap<>();
    private final Map<Object, Boolean> ids = new HashMap<>();

    /** For the documents of a call's corpus with these ids; null for all. */
    public Permission(List<?> documents, Call<?> call) {
        this.documents = documents == null ? null : new HashSet<>(documents);
        this.call = call;
    }

    /** Whether there is a filter. */
    public boolean isRestricted() {
        return documents != null;
    }

    /** Whether a permitted chunk states, names or is cut into it: an atom, an entity, a query, a window. */
    public boolean ofNode(Node node) {
        return documents == null || others.computeIfAbsent(node, this::isStated);
    }

    /** Whether a permitted chunk states a relationship; those that no chunk states belong to the nodes alone. */
    public boolean isStatedBy(Relationship relationship) {
        Object id = documents == null ? null : Present.property(relationship, "chunkId");
        return id == null || ids.computeIfAbsent(id, this::isHeldById);
    }

    private boolean isHeldById(Object id) {
        Node chunk = call.transaction().findNode(call.corpus().mark("Chunk"), "id", id);
        return chunk != null && ofChunk(chunk);
    }

    /** Whether a chunk's text is that of a permitted document. */
    private boolean ofChunk(Node chunk) {
        return chunks.computeIfAbsent(chunk, this::isHeld);
    }

    private boolean isHeld(Node chunk) {
        if (isOfDocument(chunk)) {
            return true;
        }
        return Present.relationships(chunk, Direction.INCOMING, call.guard(), Types.SAME_TEXT_AS).stream()
                .map(Relationship::getStartNode)
                .anyMatch(this::isOfDocument);
    }

    private boolean isOfDocument(Node chunk) {
        return Present.relationships(chunk, Direction.OUTGOING, call.guard(), Types.FROM_DOCUMENT).stream()
                .anyMatch(joined -> documents.contains(Present.property(joined.getEndNode(), "id")));
    }

    private boolean isStated(Node node) {
        return Present.relationships(node, Direction.OUTGOING, call.guard(), Types.FROM_CHUNK).stream()
                .anyMatch(joined -> ofChunk(joined.getEndNode()));
    }
}
