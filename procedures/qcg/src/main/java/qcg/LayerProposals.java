package qcg;

import java.util.Collection;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;

/** The chunks that each layer proposes, and what they promise together. */
final class LayerProposals {
    /** A chunk, and by how much it is ahead of the last proposals of the layers, summed over them. */
    record Proposal(Node chunk, double promise) {}

    private final LayerGraph graph;
    private final Map<Layer, Map<Node, Double>> named = new EnumMap<>(Layer.class);
    private final Map<Layer, Double> units = new EnumMap<>(Layer.class);
    private final List<Proposal> proposals;

    /** {@code rows} are those of {@code retrieve/layers_proposals}; of each index so many chunks are kept. */
    LayerProposals(List<Map<String, Object>> rows, LayerGraph graph, Map<Layer, Double> weights, long most) {
        this.graph = graph;
        Map<Layer, Map<Node, Double>> proposed = new EnumMap<>(Layer.class);
        best(rows).forEach((layer, indexes) -> indexes.values().forEach(chunks -> {
            named.computeIfAbsent(layer, fresh -> new HashMap<>()).putAll(chunks);
            chunks.entrySet().stream()
                    .sorted(graph.<Map.Entry<Node, Double>>bestFirst(Map.Entry::getValue, Map.Entry::getKey))
                    .limit(most)
                    .forEach(entry -> proposed.computeIfAbsent(layer, fresh -> new LinkedHashMap<>())
                            .put(entry.getKey(), entry.getValue()));
        }));
        Map<Node, Double> promises = new HashMap<>();
        proposed.forEach((layer, chunks) -> {
            double unit = layer.kind == Layer.Kind.WORDS ? Collections.max(chunks.values()) : 1;
            double least = Collections.min(chunks.values());
            units.put(layer, unit);
            chunks.forEach((chunk, score) ->
                    promises.merge(chunk, weights.get(layer) * (score - least) / unit, Double::sum));
        });
        proposals = promises.entrySet().stream()
                .map(entry -> new Proposal(entry.getKey(), entry.getValue()))
                .sorted(graph.bestFirst(Proposal::promise, Proposal::chunk))
                .toList();
    }

    /** The best score of every chunk in every index. */
    private Map<Layer, Map<String, Map<Node, Double>>> best(List<Map<String, Object>> rows) {
        Map<Layer, Map<String, Map<Node, Double>>> found = new EnumMap<>(Layer.class);
        for (Map<String, Object> row : rows) {
            Entity entry = (Entity) row.get("entry");
            double score = row.get("score") instanceof Number words ? words.doubleValue() : graph.cosine(entry);
            if (!Double.isNaN(score)) {
                Map<Node, Double> chunks = found.computeIfAbsent(
                                Layer.of((String) row.get("layer")), fresh -> new LinkedHashMap<>())
                        .computeIfAbsent((String) row.get("index"), fresh -> new HashMap<>());
                graph.chunksOf(entry).forEach(chunk -> chunks.merge(chunk, score, Math::max));
            }
        }
        return found;
    }

    /** So many of the most promising ones, the best first. */
    List<Proposal> first(long most) {
        return proposals.stream().limit(most).toList();
    }

    /** All chunks, the most promising first. */
    List<Node> chunks() {
        return proposals.stream().map(Proposal::chunk).toList();
    }

    /** The layers that proposed anything. */
    Collection<Layer> layers() {
        return units.keySet();
    }

    /** What a layer's scores are divided by: BM25 has no upper end, so it counts as a share of the question's best. */
    double unit(Layer layer) {
        return units.get(layer);
    }

    /** The chunks of the entries that the layer's indexes named, with the cosine of their best. */
    Map<Node, Double> named(Layer layer) {
        return named.getOrDefault(layer, Map.of());
    }
}
