package qcg.algorithm;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;

/**
 * The best of some chunks by the weighted sum of what several layers hold of them. Reading a vector from the store takes
 * longer than all else, so those of a chunk are read only while it can still come among the best.
 */
public final class LayeredSum<L, C, E> {
    /** Where a layer's scores come from, and what a chunk counts of which it has nothing. */
    public enum Kind {
        /** Read of every chunk; without any, as the worst chunk that has one. */
        READ,
        /** As `READ`, but only of chunks that can come among the best: none is better than what the indexes named. */
        BOUNDED,
        /** Given beforehand; without any, nothing. */
        GIVEN
    }

    /** The best that a layer has for a chunk; {@code seed} is where a walk to it began, else null. */
    public record Hit<C, E>(E entry, C seed, double score) {}

    /** What a layer adds; {@code hit} is null where it has nothing for the chunk. */
    public record Part<L, C, E>(L layer, Hit<C, E> hit, double score, double share) {}

    /** A chunk, and what every layer adds to its score, that first which adds most. */
    public record Scored<L, C, E>(C chunk, double score, List<Part<L, C, E>> parts) {}

    /** What reads the best that a layer has for a chunk; null where it has nothing. */
    @FunctionalInterface
    public interface Reader<L, C, E> {
        /** Asked at most once for a layer and a chunk, and never for what is given. */
        Hit<C, E> read(L layer, C chunk);
    }

    /** A layer, what it weighs, and what is known of it: hits that are given, or scores that its indexes named. */
    public record Layer<L, C, E>(L name, Kind kind, double weight, Map<C, Hit<C, E>> given, Map<C, Double> named) {}

    private record Bounded<C>(C chunk, double bound) {}

    private final Collection<C> chunks;
    private final List<Layer<L, C, E>> layers;
    private final Reader<L, C, E> reader;
    private final Comparator<C> order;
    private final Map<L, Map<C, Hit<C, E>>> read = new HashMap<>();
    private final Map<L, OptionalDouble> least = new HashMap<>();
    private final Map<L, Double> unnamed = new HashMap<>();

    /** Of chunks with equal scores that comes first which is first in {@code order}. */
    public LayeredSum(
            Collection<C> chunks, List<Layer<L, C, E>> layers, Reader<L, C, E> reader, Comparator<C> order) {
        this.chunks = chunks;
        this.layers = layers;
        this.reader = reader;
        this.order = order;
        layers.forEach(layer -> read.put(layer.name, new HashMap<>(layer.given)));
    }

    /** So many chunks, the best first. */
    public List<Scored<L, C, E>> best(long most) {
        Comparator<Scored<L, C, E>> bestFirst = Comparator.<Scored<L, C, E>>comparingDouble(one -> -one.score)
                .thenComparing(Scored::chunk, order);
        List<Bounded<C>> candidates = chunks.stream()
                .map(chunk -> new Bounded<>(chunk, bound(chunk)))
                .sorted(Comparator.comparingDouble(candidate -> -candidate.bound))
                .toList();
        List<Scored<L, C, E>> found = new ArrayList<>();
        for (Bounded<C> candidate : candidates) {
            if (found.size() == most && found.get(found.size() - 1).score > candidate.bound) {
                break;
            }
            found.add(scored(candidate.chunk));
            found.sort(bestFirst);
            if (found.size() > most) {
                found.remove(found.size() - 1);
            }
        }
        return found;
    }

    private double bound(C chunk) {
        double sum = 0;
        for (Layer<L, C, E> layer : layers) {
            double part = layer.kind == Kind.BOUNDED ? bound(layer, chunk) : score(layer, chunk).orElse(0);
            sum += layer.weight * part;
        }
        return sum;
    }

    /**
     * The score of the best entry at most: what an index does not name is not nearer than what it names; and a chunk
     * without an entry counts as the worst of the chunks, which is not better than the worst that is named.
     */
    private double bound(Layer<L, C, E> layer, C chunk) {
        Double known = layer.named.get(chunk);
        return known != null ? known : unnamed.computeIfAbsent(layer.name, fresh -> chunks.stream()
                .map(layer.named::get)
                .filter(Objects::nonNull)
                .mapToDouble(score -> score)
                .min()
                .orElse(1));
    }

    private OptionalDouble score(Layer<L, C, E> layer, C chunk) {
        Hit<C, E> hit = hit(layer, chunk);
        return hit != null ? OptionalDouble.of(hit.score) : least.computeIfAbsent(layer.name, fresh -> leastOf(layer));
    }

    /** None where no chunk has anything, so that the layer takes no part. */
    private OptionalDouble leastOf(Layer<L, C, E> layer) {
        OptionalDouble worst = chunks.stream()
                .map(chunk -> hit(layer, chunk))
                .filter(Objects::nonNull)
                .mapToDouble(Hit::score)
                .min();
        return worst.isPresent() && layer.kind == Kind.GIVEN ? OptionalDouble.of(0) : worst;
    }

    private Hit<C, E> hit(Layer<L, C, E> layer, C chunk) {
        Map<C, Hit<C, E>> known = read.get(layer.name);
        if (layer.kind != Kind.GIVEN && !known.containsKey(chunk)) {
            known.put(chunk, reader.read(layer.name, chunk));
        }
        return known.get(chunk);
    }

    private Scored<L, C, E> scored(C chunk) {
        List<Part<L, C, E>> parts = new ArrayList<>();
        double sum = 0;
        for (Layer<L, C, E> layer : layers) {
            OptionalDouble score = score(layer, chunk);
            if (score.isPresent()) {
                double share = score.getAsDouble() * layer.weight;
                sum += share;
                parts.add(new Part<>(layer.name, hit(layer, chunk), score.getAsDouble(), share));
            }
        }
        parts.sort(Comparator.comparingDouble(part -> -part.share));
        return new Scored<>(chunk, sum, List.copyOf(parts));
    }
}
