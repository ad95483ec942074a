package qcg.method.kgcqr;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.Edge;
import qcg.algorithm.Network;
import qcg.algorithm.QuestionVector;
import qcg.config.PathConfig;
import qcg.memory.Triples;
import qcg.memory.Triples.End;
import qcg.memory.Triples.Triple;
import qcg.request.Corpus;

/** What {@link StoredNetwork} finds at its defaults, in memory. */
final class TripleNetwork implements Network<End, Triple> {
    private final QuestionVector question;
    private final boolean outgoing;
    private final boolean incoming;
    private final ProcedureMemoryTracker memory;
    private final Map<End, List<Edge<End, Triple>>> edges = new HashMap<>();

    TripleNetwork(QuestionVector question, String direction, ProcedureMemoryTracker memory) {
        this.question = question;
        this.outgoing = !direction.equals("incoming");
        this.incoming = !direction.equals("outgoing");
        this.memory = memory;
    }

    /** Whether a search follows what is held: all of the corpus's triples, by their own vectors and ids. */
    static boolean isFollowed(PathConfig config) {
        return config.snapshot()
                && config.permitted() == null
                && config.relationshipTypes().equals(List.of(Corpus.RELATED_TO))
                && config.vectorProperty().equals(Triples.VECTOR)
                && config.idProperty().equals(Triples.ID);
    }

    @Override
    public List<Edge<End, Triple>> from(End node) {
        return edges.computeIfAbsent(node, this::read);
    }

    private List<Edge<End, Triple>> read(End node) {
        List<Edge<End, Triple>> found = new ArrayList<>();
        if (outgoing) {
            node.outgoing().forEach(triple -> found.add(edge(triple, triple.end())));
        }
        if (incoming) {
            node.incoming().stream()
                    .filter(triple -> !outgoing || triple.start() != node)
                    .forEach(triple -> found.add(edge(triple, triple.start())));
        }
        memory.allocateHeap(StoredNetwork.BYTES_PER_EDGE * found.size());
        found.sort(Edge.bestFirst());
        return found;
    }

    private Edge<End, Triple> edge(Triple triple, End target) {
        return new Edge<>(triple, triple.id(), question.cosine(triple.vector(), triple.length()), target);
    }
}
