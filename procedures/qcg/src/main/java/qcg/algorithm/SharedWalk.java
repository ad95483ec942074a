package qcg.algorithm;

import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** A walk that begins at the most promising chunks: half stays there, half goes on over an entity to any chunk that names it. */
public final class SharedWalk<C, E> {
    /** By how much more a chunk must promise to begin the walk e times as often. */
    public static final double TEMPERATURE = 0.2;

    /** A chunk that is reached with one part in so many counts half as much as where all of the walk begins. */
    public static final double SCALE = 1e6;

    private final Sharing<C, E> graph;
    private final Comparator<E> order;
    private final Runnable reaching;
    private final Map<C, Reached<C, E>> reached = new HashMap<>();

    /** How much of the walk reaches a chunk, and the way of the most of it that does not begin there. */
    public static final class Reached<C, E> {
        private double share;
        private double most;
        private E entity;
        private C seed;

        /** The entity that it came over; null where it begins here alone. */
        public E entity() {
            return entity;
        }

        /** The chunk that it came from; null where it begins here alone. */
        public C seed() {
            return seed;
        }

        /** From 0 to 1, on a logarithmic scale. */
        public double score() {
            return Math.log(1 + SCALE * share) / Math.log(1 + SCALE);
        }
    }

    /** Of equal ways that over the entity which is first in {@code order} is shown; {@code reaching} runs once per chunk. */
    public SharedWalk(Sharing<C, E> graph, Comparator<E> order, Runnable reaching) {
        this.graph = graph;
        this.order = order;
        this.reaching = reaching;
    }

    /** Begins at chunks, the most promising first. */
    public void from(List<Proposals.Proposal<C>> seeds) {
        double[] parts = seeds.stream()
                .mapToDouble(seed -> Math.exp((seed.promise() - seeds.get(0).promise()) / TEMPERATURE))
                .toArray();
        double whole = 0;
        for (double part : parts) {
            whole += part;
        }
        for (int place = 0; place < parts.length; place++) {
            C seed = seeds.get(place).chunk();
            double half = parts[place] / whole / 2;
            at(seed).share += half;
            List<E> entities = graph.entities(seed);
            for (E entity : entities) {
                over(entity, seed, half / entities.size());
            }
        }
    }

    private void over(E entity, C seed, double part) {
        List<C> chunks = graph.chunks(entity);
        double share = part / chunks.size();
        for (C chunk : chunks) {
            Reached<C, E> found = at(chunk);
            found.share += share;
            if (!chunk.equals(seed) && isBetter(found, share, entity)) {
                found.most = share;
                found.entity = entity;
                found.seed = seed;
            }
        }
    }

    private boolean isBetter(Reached<C, E> found, double share, E entity) {
        return share > found.most || share == found.most && order.compare(entity, found.entity) < 0;
    }

    private Reached<C, E> at(C chunk) {
        return reached.computeIfAbsent(chunk, fresh -> {
            reaching.run();
            return new Reached<>();
        });
    }

    /** So many chunks, those first that the most of the walk reaches; of equal ones the first in {@code order}. */
    public List<C> best(long most, Comparator<C> order) {
        return reached.entrySet().stream()
                .sorted(Comparator.<Map.Entry<C, Reached<C, E>>>comparingDouble(entry -> -entry.getValue().share)
                        .thenComparing(Map.Entry::getKey, order))
                .limit(most)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** What is known of a chunk; null where the walk does not come. */
    public Reached<C, E> of(C chunk) {
        return reached.get(chunk);
    }
}
