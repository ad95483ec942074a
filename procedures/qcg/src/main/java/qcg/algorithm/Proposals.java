package qcg.algorithm;

import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/** The chunks that the indexes of several layers name, those of them that each proposes, and what they promise together. */
public final class Proposals<L, C> {
    /** A chunk, and by how much it is ahead of the last proposals of the layers, summed over them. */
    public record Proposal<C>(C chunk, double promise) {}

    /** What an index of a layer names: the best score of every chunk. */
    public record Named<L, C>(L layer, Map<C, Double> scores) {}

    private final Map<L, Map<C, Double>> named = new HashMap<>();
    private final Map<L, Double> units = new LinkedHashMap<>();
    private final List<Proposal<C>> proposals;

    /**
     * Of each index so many chunks are kept, of equal ones the first in {@code order}. The scores of layers that are
     * {@code open}, which have no upper end, count as shares of their best.
     */
    public Proposals(
            List<Named<L, C>> indexes, Map<L, Double> weights, Predicate<L> open, long most, Comparator<C> order) {
        Map<L, Map<C, Double>> proposed = new LinkedHashMap<>();
        for (Named<L, C> index : indexes) {
            named.computeIfAbsent(index.layer, fresh -> new HashMap<>()).putAll(index.scores);
            Map<C, Double> kept = proposed.computeIfAbsent(index.layer, fresh -> new LinkedHashMap<>());
            index.scores.entrySet().stream()
                    .sorted(Comparator.<Map.Entry<C, Double>>comparingDouble(entry -> -entry.getValue())
                            .thenComparing(Map.Entry::getKey, order))
                    .limit(most)
                    .forEach(entry -> kept.put(entry.getKey(), entry.getValue()));
        }
        proposed.values().removeIf(Map::isEmpty);
        Map<C, Double> promises = new HashMap<>();
        proposed.forEach((layer, chunks) -> {
            double unit = open.test(layer) ? Collections.max(chunks.values()) : 1;
            double least = Collections.min(chunks.values());
            units.put(layer, unit);
            chunks.forEach((chunk, score) ->
                    promises.merge(chunk, weights.get(layer) * (score - least) / unit, Double::sum));
        });
        proposals = promises.entrySet().stream()
                .map(entry -> new Proposal<>(entry.getKey(), entry.getValue()))
                .sorted(Comparator.<Proposal<C>>comparingDouble(one -> -one.promise)
                        .thenComparing(Proposal::chunk, order))
                .toList();
    }

    /** So many of the most promising ones, the best first. */
    public List<Proposal<C>> first(long most) {
        return proposals.stream().limit(most).toList();
    }

    /** All chunks, the most promising first. */
    public List<C> chunks() {
        return proposals.stream().map(Proposal::chunk).toList();
    }

    /** The layers that proposed anything. */
    public Collection<L> layers() {
        return units.keySet();
    }

    /** What a layer's scores are divided by. */
    public double unit(L layer) {
        return units.get(layer);
    }

    /** The chunks that a layer's indexes name, with their best scores. */
    public Map<C, Double> named(L layer) {
        return named.getOrDefault(layer, Map.of());
    }
}
