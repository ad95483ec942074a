package qcg;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;

/** A walk that begins at the most promising chunks: half stays there, half goes on over an entity to any chunk that names it. */
final class LayerWalk {
    private static final double TEMPERATURE = 0.2;
    private static final long BYTES_PER_CHUNK = 160; // a place in the map, and what it says
    private static final double MILLION = 1e6;

    private final LayerGraph graph;
    private final ProcedureMemoryTracker memory;
    private final Map<Node, Reached> reached = new HashMap<>();

    /** How much of the walk reaches a chunk, and the way of the most of it that does not begin there. */
    static final class Reached {
        private double share;
        private double most;
        private Node entity;
        private Node seed;

        /** The entity that it came over; null where it begins here alone. */
        Node entity() {
            return entity;
        }

        /** The chunk that it came from; null where it begins here alone. */
        Node seed() {
            return seed;
        }

        /** From 0 to 1: a chunk reached with a millionth counts half as much as where all of the walk begins. */
        double score() {
            return Math.log(1 + MILLION * share) / Math.log(1 + MILLION);
        }
    }

    LayerWalk(LayerGraph graph, ProcedureMemoryTracker memory) {
        this.graph = graph;
        this.memory = memory;
    }

    /** Begins at chunks, the most promising first; entities that more chunks name than {@code hub} are not followed. */
    void from(List<LayerProposals.Proposal> seeds, long hub) {
        double[] parts = seeds.stream()
                .mapToDouble(seed -> Math.exp((seed.promise() - seeds.get(0).promise()) / TEMPERATURE))
                .toArray();
        double whole = 0;
        for (double part : parts) {
            whole += part;
        }
        for (int place = 0; place < parts.length; place++) {
            Node seed = seeds.get(place).chunk();
            double half = parts[place] / whole / 2;
            at(seed).share += half;
            List<Node> entities = graph.madeOf(seed).getOrDefault(Layer.WALK, List.of());
            for (Node entity : entities) {
                over(entity, seed, half / entities.size(), hub);
            }
        }
    }

    private void over(Node entity, Node seed, double part, long hub) {
        List<Node> chunks = graph.naming(entity, hub);
        if (chunks == null) {
            return;
        }
        double share = part / chunks.size();
        for (Node chunk : chunks) {
            Reached found = at(chunk);
            found.share += share;
            if (!chunk.equals(seed) && isBetter(found, share, entity)) {
                found.most = share;
                found.entity = entity;
                found.seed = seed;
            }
        }
    }

    private boolean isBetter(Reached found, double share, Node entity) {
        return share > found.most
                || share == found.most && graph.id(entity).compareTo(graph.id(found.entity)) < 0;
    }

    private Reached at(Node chunk) {
        return reached.computeIfAbsent(chunk, fresh -> {
            memory.allocateHeap(BYTES_PER_CHUNK);
            return new Reached();
        });
    }

    /** So many chunks, those first that the most of the walk reaches. */
    Collection<Node> best(long most) {
        return reached.entrySet().stream()
                .sorted(graph.<Map.Entry<Node, Reached>>bestFirst(entry -> entry.getValue().share, Map.Entry::getKey))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What is known of a chunk; null where the walk does not come. */
    Reached of(Node chunk) {
        return reached.get(chunk);
    }
}
