package qcg;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;

/**
 * What every layer adds to the score of every candidate. Reading a vector from the store takes longer than all else, so
 * those of a candidate are read only while it can still come among the best.
 */
final class LayerScores {
    private static final Best NOTHING = new Best(null, null, 0);

    /** The best that a layer has for a chunk; {@code entry} is null where it has nothing, {@code seed} but for the walk. */
    private record Best(Entity entry, Node seed, double score) {}

    /** A candidate, and what it can score at most. */
    private record Bounded(Node chunk, double bound) {}

    private final Collection<Node> chunks;
    private final Map<Layer, Double> weights;
    private final LayerProposals proposed;
    private final LayerGraph graph;
    private final Map<Layer, Map<Node, Best>> found = new EnumMap<>(Layer.class);
    private final Map<Layer, OptionalDouble> least = new EnumMap<>(Layer.class);
    private final Map<Layer, Double> unnamed = new EnumMap<>(Layer.class);
    private final Map<Node, Map<Layer, List<Node>>> made = new HashMap<>();

    LayerScores(Collection<Node> chunks, Map<Layer, Double> weights, LayerProposals proposed, LayerGraph graph) {
        this.chunks = chunks;
        this.weights = weights;
        this.proposed = proposed;
        this.graph = graph;
        weights.keySet().forEach(layer -> found.put(layer, new HashMap<>()));
    }

    /** BM25, by the rows of {@code retrieve/layers_words}. */
    void addWords(List<Map<String, Object>> rows) {
        for (Map<String, Object> row : rows) {
            Layer layer = Layer.of((String) row.get("layer"));
            Node chunk = (Node) row.get("chunk");
            double score = ((Number) row.get("score")).doubleValue() / proposed.unit(layer);
            found.get(layer).put(chunk, new Best(chunk, null, score));
        }
    }

    /** How much of the walk reaches a chunk, and over which entity. */
    void addWalk(LayerWalk walk) {
        for (Node chunk : chunks) {
            LayerWalk.Reached reached = walk.of(chunk);
            if (reached != null) {
                Entity entry = reached.entity() == null ? chunk : reached.entity();
                found.get(Layer.WALK).put(chunk, new Best(entry, reached.seed(), reached.score()));
            }
        }
    }

    /** So many chunks, the best first. */
    List<Layers.ScoredRow> best(long passages) {
        List<Bounded> candidates = chunks.stream()
                .map(chunk -> new Bounded(chunk, bound(chunk)))
                .sorted(Comparator.comparingDouble(candidate -> -candidate.bound))
                .toList();
        List<Layers.ScoredRow> rows = new ArrayList<>();
        for (Bounded candidate : candidates) {
            if (rows.size() == passages && rows.get(rows.size() - 1).score() > candidate.bound) {
                break;
            }
            rows.add(row(candidate.chunk));
            rows.sort(graph.bestFirst(Layers.ScoredRow::score, Layers.ScoredRow::chunk));
            if (rows.size() > passages) {
                rows.remove(rows.size() - 1);
            }
        }
        return rows;
    }

    private double bound(Node chunk) {
        double sum = 0;
        for (Map.Entry<Layer, Double> weighted : weights.entrySet()) {
            Layer layer = weighted.getKey();
            // Windows are few, and those of long chunks are in another index than chunks that are their own.
            boolean isRead = layer == Layer.WINDOW || layer.kind != Layer.Kind.VECTORS;
            sum += weighted.getValue() * (isRead ? score(layer, chunk).orElse(0) : bound(layer, chunk));
        }
        return sum;
    }

    /**
     * The cosine of the best entry at most: what an index does not name is not nearer than what it names; and a chunk
     * without an entry counts as the worst candidate, which is not better than the worst that is named.
     */
    private double bound(Layer layer, Node chunk) {
        Double known = proposed.named(layer).get(chunk);
        return known != null ? known : unnamed.computeIfAbsent(layer, fresh -> chunks.stream()
                .map(proposed.named(layer)::get)
                .filter(Objects::nonNull)
                .mapToDouble(named -> named)
                .min()
                .orElse(1));
    }

    /** Without a common word, or not reached, it is 0; without any vector, that of the worst candidate. */
    private OptionalDouble score(Layer layer, Node chunk) {
        Best best = best(layer, chunk);
        return best != NOTHING ? OptionalDouble.of(best.score) : least.computeIfAbsent(layer, this::leastOf);
    }

    /** None where no candidate has anything, so that the layer takes no part. */
    private OptionalDouble leastOf(Layer layer) {
        OptionalDouble worst = chunks.stream()
                .map(chunk -> best(layer, chunk))
                .filter(best -> best != NOTHING)
                .mapToDouble(Best::score)
                .min();
        return worst.isPresent() && layer.kind != Layer.Kind.VECTORS ? OptionalDouble.of(0) : worst;
    }

    private Best best(Layer layer, Node chunk) {
        Map<Node, Best> known = found.get(layer);
        return layer.kind == Layer.Kind.VECTORS
                ? known.computeIfAbsent(chunk, fresh -> nearest(layer, fresh))
                : known.getOrDefault(chunk, NOTHING);
    }

    private Best nearest(Layer layer, Node chunk) {
        Best best = NOTHING;
        for (Entity entry : entries(layer, chunk)) {
            double score = graph.cosine(entry);
            boolean isBetter = best == NOTHING
                    || score > best.score
                    || score == best.score && graph.id(entry).compareTo(graph.id(best.entry)) < 0;
            if (!Double.isNaN(score) && isBetter) {
                best = new Best(entry, null, score);
            }
        }
        return best;
    }

    private List<? extends Entity> entries(Layer layer, Node chunk) {
        if (layer == Layer.TRIPLE) {
            return graph.triplesOf(chunk);
        }
        List<Node> nodes = made.computeIfAbsent(chunk, graph::madeOf).getOrDefault(layer, List.of());
        return layer == Layer.WINDOW && nodes.isEmpty() ? List.of(chunk) : nodes; // a short one is its own window
    }

    private Layers.ScoredRow row(Node chunk) {
        List<Map<String, Object>> parts = new ArrayList<>();
        double sum = 0;
        for (Map.Entry<Layer, Double> weighted : weights.entrySet()) {
            Layer layer = weighted.getKey();
            OptionalDouble score = score(layer, chunk);
            if (score.isPresent()) {
                Best best = best(layer, chunk);
                double share = score.getAsDouble() * weighted.getValue();
                sum += share;
                Map<String, Object> part = new HashMap<>();
                part.put("layer", layer.title);
                part.put("hit", best.entry);
                part.put("seed", best.seed);
                part.put("score", score.getAsDouble());
                part.put("share", share);
                parts.add(part);
            }
        }
        parts.sort(Comparator.comparingDouble(part -> -(double) part.get("share")));
        return new Layers.ScoredRow(chunk, sum, parts);
    }
}
