package qcg;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;

/** What every layer adds to the score of every candidate. */
final class LayerScores {
    /** The best that a layer has for a chunk; {@code entry} is null where it has nothing, {@code seed} but for the walk. */
    private record Best(Entity entry, Node seed, double score) {}

    private final Map<Layer, Map<Node, Best>> found = new EnumMap<>(Layer.class);
    private final List<Node> chunks;
    private final Map<Layer, Double> weights;
    private final LayerGraph graph;

    LayerScores(List<Node> chunks, Map<Layer, Double> weights, LayerGraph graph) {
        this.chunks = chunks;
        this.weights = weights;
        this.graph = graph;
    }

    /** The best query, atom, triple and window of every chunk; a chunk without windows is its own. */
    void addVectors() {
        for (Node chunk : chunks) {
            Map<Layer, List<Node>> made = graph.madeOf(chunk);
            made.putIfAbsent(Layer.WINDOW, List.of(chunk));
            made.forEach((layer, entries) -> addNearest(layer, chunk, entries));
            if (weights.containsKey(Layer.TRIPLE)) {
                addNearest(Layer.TRIPLE, chunk, graph.triplesOf(chunk));
            }
        }
    }

    private void addNearest(Layer layer, Node chunk, List<? extends Entity> entries) {
        if (layer.kind == Layer.Kind.VECTORS && weights.containsKey(layer)) {
            entries.stream()
                    .map(entry -> new Best(entry, null, graph.cosine(entry)))
                    .filter(best -> !Double.isNaN(best.score))
                    .min(graph.bestFirst(Best::score, Best::entry))
                    .ifPresent(best -> add(layer, chunk, best));
        }
    }

    /** BM25, by the rows of {@code retrieve/layers_words}, as shares of the units. */
    void addWords(List<Map<String, Object>> rows, Map<Layer, Double> units) {
        for (Map<String, Object> row : rows) {
            Layer layer = Layer.of((String) row.get("layer"));
            Node chunk = (Node) row.get("chunk");
            add(layer, chunk, new Best(chunk, null, ((Number) row.get("score")).doubleValue() / units.get(layer)));
        }
    }

    /** How much of the walk reaches a chunk, and over which entity. */
    void addWalk(LayerWalk walk) {
        for (Node chunk : chunks) {
            LayerWalk.Reached reached = walk.of(chunk);
            if (reached != null) {
                Entity entry = reached.entity() == null ? chunk : reached.entity();
                add(Layer.WALK, chunk, new Best(entry, reached.seed(), reached.score()));
            }
        }
    }

    private void add(Layer layer, Node chunk, Best best) {
        found.computeIfAbsent(layer, fresh -> new HashMap<>()).put(chunk, best);
    }

    /** So many chunks, the best first. */
    List<Layers.ScoredRow> best(long passages) {
        Map<Layer, Best> instead = new EnumMap<>(Layer.class);
        // Without a common word, or not reached, it is 0; without any vector, as with the worst of the candidates.
        found.forEach((layer, held) -> instead.put(
                layer,
                new Best(null, null, layer.kind != Layer.Kind.VECTORS ? 0 : held.values().stream()
                        .mapToDouble(Best::score)
                        .min()
                        .getAsDouble())));
        return chunks.stream()
                .map(chunk -> row(chunk, instead))
                .sorted(graph.bestFirst(Layers.ScoredRow::score, Layers.ScoredRow::chunk))
                .limit(passages)
                .toList();
    }

    private Layers.ScoredRow row(Node chunk, Map<Layer, Best> instead) {
        List<Map<String, Object>> parts = new ArrayList<>();
        double sum = 0;
        for (Map.Entry<Layer, Map<Node, Best>> held : found.entrySet()) {
            Layer layer = held.getKey();
            Best best = held.getValue().getOrDefault(chunk, instead.get(layer));
            double share = best.score * weights.get(layer);
            sum += share;
            Map<String, Object> part = new HashMap<>();
            part.put("layer", layer.title);
            part.put("hit", best.entry);
            part.put("seed", best.seed);
            part.put("score", best.score);
            part.put("share", share);
            parts.add(part);
        }
        parts.sort(Comparator.comparingDouble(part -> -(double) part.get("share")));
        return new Layers.ScoredRow(chunk, sum, parts);
    }
}
