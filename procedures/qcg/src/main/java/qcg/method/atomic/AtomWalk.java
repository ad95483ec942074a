package qcg.method.atomic;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.PackedPush;
import qcg.algorithm.QuestionVector;
import qcg.memory.AtomGraph;

/** Personalized PageRank by forward push over the atom-entity graph in memory, of all documents or of permitted ones. */
public final class AtomWalk {
    private static final long BYTES_OF_PLACE = 40; // seed, score, what is left, its bound, its turn

    private final ProcedureMemoryTracker memory;
    private final AtomGraph graph;
    private final AtomGraph.View view;
    private final double[] seeds;

    public AtomWalk(AtomGraph graph, Collection<?> permitted, ProcedureMemoryTracker memory) {
        this.memory = memory;
        this.graph = graph;
        this.view = graph.view(permitted, memory);
        this.seeds = new double[graph.nodes()];
    }

    /** Has the walk begin at a node with an element id, with this weight; of one that the graph lacks nothing begins. */
    public void begin(String node, double weight) {
        Integer place = graph.place(node);
        if (place != null && view.has(place)) {
            seeds[place] += Math.max(0, weight);
        }
    }

    /** Has the walk begin at all atoms: the nearest to the question weighs as much as is given, the farthest nothing. */
    void beginAtAtoms(QuestionVector question, double weight) {
        double[] cosines = IntStream.range(0, graph.atoms())
                .mapToDouble(atom -> view.has(atom) ? graph.cosine(atom, question) : Double.NaN)
                .toArray();
        var range = Arrays.stream(cosines).filter(cosine -> !Double.isNaN(cosine)).summaryStatistics();
        double most = range.getMax();
        double least = range.getMin();
        for (int atom = 0; atom < cosines.length; atom++) {
            double share = most == least ? 1 : (cosines[atom] - least) / (most - least);
            seeds[atom] += Double.isNaN(cosines[atom]) ? 0 : weight * share;
        }
    }

    /** Has what begins anywhere be 1 altogether. */
    void share() {
        double total = Arrays.stream(seeds).sum();
        for (int place = 0; total > 0 && place < seeds.length; place++) {
            seeds[place] /= total;
        }
    }

    /** The score of every place. */
    public double[] scores(double damping, double tolerance, boolean synonyms, TerminationGuard guard) {
        memory.allocateHeap(BYTES_OF_PLACE * seeds.length);
        return PackedPush.scores(view.graph(), seeds, damping, tolerance, synonyms, pushes -> guard.check());
    }

    /** So many of the first places with the highest scores, and what ties with the last: node, score, weight as a seed. */
    public List<Map<String, Object>> best(double[] scores, int first, int number) {
        double least = least(Arrays.stream(scores, 0, first), number);
        List<Map<String, Object>> found = new ArrayList<>();
        for (int place = 0; place < first; place++) {
            if (scores[place] > 0 && scores[place] >= least) {
                found.add(Map.of("node", graph.name(place), "score", scores[place], "weight", seeds[place]));
            }
        }
        return found;
    }

    /** The least of so many highest scores, or of all where there are fewer; infinity where there are none. */
    static double least(DoubleStream scores, int number) {
        PriorityQueue<Double> highest = new PriorityQueue<>();
        scores.forEach(score -> {
            if (highest.size() < number) {
                highest.add(score);
            } else if (number > 0 && score > highest.peek()) {
                highest.poll();
                highest.add(score);
            }
        });
        return highest.isEmpty() ? Double.POSITIVE_INFINITY : highest.peek();
    }
}
