package qcg.memory;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import qcg.request.Corpus;
import qcg.store.Present;
import qcg.store.Types;

/** The chunks of a corpus by places from 0: their ids, the documents that hold their texts, and the nodes that they state. */
final class StatingChunks {
    static final int NONE = -1;
    private static final TerminationGuard UNGUARDED = () -> {};

    private final Map<Node, Integer> places = new HashMap<>();
    private final Map<Object, Integer> ids = new HashMap<>();
    private final Map<Object, List<Integer>> ofDocument = new HashMap<>();
    private final List<int[]> ofNode = new ArrayList<>();

    /** Reads the chunks as the transaction sees them, and which of them state each of the nodes. */
    StatingChunks(Corpus corpus, Transaction transaction, List<Node> nodes) {
        try (var found = transaction.findNodes(corpus.mark("Chunk"))) {
            found.forEachRemaining(chunk -> {
                ids.put(Present.property(chunk, "id"), places.size());
                places.put(chunk, places.size());
            });
        }
        places.forEach(this::readDocuments);
        nodes.forEach(node -> ofNode.add(Present.relationships(node, Direction.OUTGOING, UNGUARDED, Types.FROM_CHUNK).stream()
                .map(stated -> places.get(stated.getEndNode()))
                .filter(place -> place != null)
                .mapToInt(place -> place)
                .toArray()));
    }

    /** The place of the chunk that a relationship names; {@code NONE} where it names none. */
    int stating(Relationship relationship) {
        return ids.getOrDefault(Present.property(relationship, "chunkId"), NONE);
    }

    /** The chunks whose texts one of these documents holds. */
    BitSet of(Collection<?> documents) {
        BitSet found = new BitSet(ofNode.size());
        documents.forEach(document -> ofDocument.getOrDefault(document, List.of()).forEach(found::set));
        return found;
    }

    /** The places of the nodes that one of these chunks states. */
    BitSet stated(BitSet chunks) {
        BitSet found = new BitSet(ofNode.size());
        for (int node = 0; node < ofNode.size(); node++) {
            for (int chunk : ofNode.get(node)) {
                if (chunks.get(chunk)) {
                    found.set(node);
                    break;
                }
            }
        }
        return found;
    }

    private void readDocuments(Node chunk, int place) {
        readDocument(chunk, place);
        Present.relationships(chunk, Direction.INCOMING, UNGUARDED, Types.SAME_TEXT_AS)
                .forEach(same -> readDocument(same.getStartNode(), place));
    }

    private void readDocument(Node holder, int place) {
        Present.relationships(holder, Direction.OUTGOING, UNGUARDED, Types.FROM_DOCUMENT).forEach(joined -> ofDocument
                .computeIfAbsent(Present.property(joined.getEndNode(), "id"), fresh -> new ArrayList<>())
                .add(place));
    }
}
