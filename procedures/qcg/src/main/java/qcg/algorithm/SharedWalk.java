package qcg.algorithm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

/** A walk that begins at some chunks: half stays there, half goes on over an entity to any chunk that names it. */
public final class SharedWalk<C, E, R> {
    /** By how much more a chunk must promise to begin the walk e times as often. */
    public static final double TEMPERATURE = 0.2;

    /** A chunk that is reached with one part in so many counts half as much as where all of the walk begins. */
    public static final double SCALE = 1e6;

    private final Sharing<C, E, R> graph;
    private final Comparator<E> order;
    private final Runnable reaching;
    private final Map<C, Reached<C, E, R>> reached = new HashMap<>();
    private final Map<C, Double> came = new HashMap<>(); // over an entity, in the last round

    /** Where a part of the walk begins, and the entity that the question names it by, if it does. */
    public record Seed<C, E>(C chunk, double part, E name) {}

    /** How much of the walk reaches a chunk, and the way of the most of it that does not begin there. */
    public static final class Reached<C, E, R> {
        private double share;
        private double most;
        private E entity;
        private Seed<C, E> seed;
        private R stated;

        /** The entity that it came over, or the name that led to it; null where it begins here without one. */
        public E entity() {
            return entity;
        }

        /** Where that way began; null where it begins here. */
        public Seed<C, E> seed() {
            return seed;
        }

        /** What was stated about the entity where the way began; null where that was not looked at. */
        public R stated() {
            return stated;
        }

        /** From 0 to 1, on a logarithmic scale. */
        public double score() {
            return Math.log(1 + SCALE * share) / Math.log(1 + SCALE);
        }
    }

    /** Of equal ways that over the entity which is first in {@code order} is shown; {@code reaching} runs once per chunk. */
    public SharedWalk(Sharing<C, E, R> graph, Comparator<E> order, Runnable reaching) {
        this.graph = graph;
        this.order = order;
        this.reaching = reaching;
    }

    /** The most promising chunks as beginnings, the first of them first; their parts add up to one. */
    public static <C, E> List<Seed<C, E>> promising(List<Proposals.Proposal<C>> proposals) {
        double[] parts = proposals.stream()
                .mapToDouble(one -> Math.exp((one.promise() - proposals.get(0).promise()) / TEMPERATURE))
                .toArray();
        double whole = DoubleStream.of(parts).sum();
        return IntStream.range(0, parts.length)
                .mapToObj(place -> new Seed<C, E>(proposals.get(place).chunk(), parts[place] / whole, null))
                .toList();
    }

    /** Begins at these chunks. */
    public void from(List<Seed<C, E>> seeds) {
        for (Seed<C, E> seed : seeds) {
            double half = seed.part / 2;
            Reached<C, E, R> stays = at(seed.chunk);
            stays.share += half;
            if (seed.name != null) {
                keep(stays, half, seed.name, null, null);
            }
            List<Sharing.Leaving<E, R>> ways = graph.from(seed.chunk);
            double whole = ways.stream().mapToDouble(Sharing.Leaving::weight).sum();
            ways.forEach(way -> over(way, seed, half * way.weight() / whole));
        }
    }

    /** Half of what came to so many chunks, those first that most of it came to, goes on once more. */
    public void further(long most, Comparator<C> order) {
        List<Seed<C, E>> seeds = came.entrySet().stream()
                .map(entry -> new Seed<C, E>(entry.getKey(), entry.getValue(), null))
                .sorted(Comparator.<Seed<C, E>>comparingDouble(seed -> -seed.part).thenComparing(Seed::chunk, order))
                .limit(most)
                .toList();
        seeds.forEach(seed -> at(seed.chunk).share -= seed.part);
        came.clear();
        from(seeds);
    }

    private void over(Sharing.Leaving<E, R> way, Seed<C, E> seed, double part) {
        List<Sharing.Arriving<C>> ends = graph.to(way.entity());
        double whole = ends.stream().mapToDouble(Sharing.Arriving::weight).sum();
        for (Sharing.Arriving<C> end : ends) {
            double share = part * end.weight() / whole;
            Reached<C, E, R> found = at(end.chunk());
            found.share += share;
            came.merge(end.chunk(), share, Double::sum);
            if (!end.chunk().equals(seed.chunk)) {
                keep(found, share, way.entity(), seed, way.stated());
            }
        }
    }

    /** The way of the most; of equal ones that over the entity which comes first. */
    private void keep(Reached<C, E, R> found, double share, E entity, Seed<C, E> seed, R stated) {
        if (share > found.most || share == found.most && order.compare(entity, found.entity) < 0) {
            found.most = share;
            found.entity = entity;
            found.seed = seed;
            found.stated = stated;
        }
    }

    private Reached<C, E, R> at(C chunk) {
        return reached.computeIfAbsent(chunk, fresh -> {
            reaching.run();
            return new Reached<>();
        });
    }

    /** So many chunks, those first that the most of the walk reaches; of equal ones the first in {@code order}. */
    public List<C> best(long most, Comparator<C> order) {
        return reached.entrySet().stream()
                .sorted(Comparator.<Map.Entry<C, Reached<C, E, R>>>comparingDouble(entry -> -entry.getValue().share)
                        .thenComparing(Map.Entry::getKey, order))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What is known of a chunk; null where the walk does not come. */
    public Reached<C, E, R> of(C chunk) {
        return reached.get(chunk);
    }
}
