package qcg.algorithm;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/**
 * Personalized PageRank around seeds by forward push (Andersen, Chung, Lang 2006), on an undirected, weighted graph.
 *
 * <p>The walk follows an edge with the probability {@code damping}, else it begins anew at a seed. Every node's score
 * is at most its exact PageRank, and falls short of it by at most {@code tolerance} times the node's weighted degree:
 * what is left at a node, at most tolerance times its degree, would reach another one as that one reaches it, times the
 * quotient of their degrees. What a node without edges would pass on is lost.
 */
public final class ForwardPush<N> {
    private final double damping;
    private final double tolerance;
    private final Neighbourhood<N> neighbourhood;
    private final Runnable work;
    private final Map<N, Place<N>> places = new HashMap<>();
    private final ArrayDeque<Place<N>> waiting = new ArrayDeque<>();
    private long pushes;

    /** What is known of a node: the edges that lead there from nodes read before are a lower bound of its degree. */
    private static final class Place<N> {
        private final N node;
        private double rank;
        private double rest;
        private double degree;
        private boolean waits;
        private List<Place<N>> neighbours;
        private double[] weights;

        private Place(N node) {
            this.node = node;
        }
    }

    /** {@code work} is told of every push. */
    public ForwardPush(double damping, double tolerance, Neighbourhood<N> neighbourhood, Runnable work) {
        this.damping = damping;
        this.tolerance = tolerance;
        this.neighbourhood = neighbourhood;
        this.work = work;
    }

    /** Spread the weights of the seeds, as they are; what several calls spread adds up. */
    public void spread(Map<N, Double> seeds) {
        seeds.forEach((node, weight) -> receive(place(node), weight));
        while (!waiting.isEmpty()) {
            Place<N> next = waiting.remove();
            next.waits = false;
            if (next.neighbours == null) {
                read(next);
            }
            if (exceeds(next)) {
                push(next);
            }
        }
    }

    /** Every node with a score. */
    public void scores(BiConsumer<N, Double> taker) {
        // What is left at a node counts as far as the walk ends there at once: less than all of it, so still no more.
        places.forEach((node, place) -> {
            double score = place.rank + (1 - damping) * place.rest;
            if (score > 0) {
                taker.accept(node, score);
            }
        });
    }

    /** How many nodes have had their neighbours read. */
    public long read() {
        return places.values().stream().filter(place -> place.neighbours != null).count();
    }

    /** How many times a node has passed on what it had. */
    public long pushes() {
        return pushes;
    }

    private Place<N> place(N node) {
        return places.computeIfAbsent(node, Place::new);
    }

    private void receive(Place<N> place, double amount) {
        place.rest += amount;
        if (!place.waits && exceeds(place)) {
            place.waits = true;
            waiting.add(place);
        }
    }

    private boolean exceeds(Place<N> place) {
        return place.rest > tolerance * place.degree;
    }

    private void read(Place<N> place) {
        Neighbours<N> found = neighbourhood.of(place.node);
        place.degree = found.degree();
        place.weights = found.weights();
        place.neighbours = new ArrayList<>(place.weights.length);
        for (int position = 0; position < place.weights.length; position++) {
            Place<N> neighbour = place(found.nodes().get(position));
            place.neighbours.add(neighbour);
            if (neighbour.neighbours == null) {
                neighbour.degree += place.weights[position];
            }
        }
    }

    private void push(Place<N> place) {
        work.run();
        pushes++;
        double amount = place.rest;
        place.rest = 0;
        place.rank += (1 - damping) * amount;
        if (place.degree == 0) {
            return;
        }
        for (int position = 0; position < place.weights.length; position++) {
            receive(place.neighbours.get(position), damping * amount * place.weights[position] / place.degree);
        }
    }
}
