package qcg;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.Highest;
import qcg.algorithm.QuestionVector;

/** Personalized PageRank of a question on a snapshot; {@code allAtoms} are seeds, by the vectors that it holds. */
record SnapshotWalk(AtomSnapshot snapshot, QuestionVector question, boolean allAtoms) {
    /** The best atoms, from the seeds that the statement has found. */
    List<RankedAtom> ranked(Map<String, Object> begin, Map<String, Object> values, Transaction transaction, Push push) {
        EntityNetwork network = snapshot.network();
        double[] seeds = seeds(begin, (double) values.get("atomWeight"));
        if (Arrays.stream(seeds).allMatch(weight -> weight == 0)) {
            return List.of();
        }
        double[] scores = push.over(network, seeds, values, (boolean) values.get("synonyms"));
        int number = (int) (long) values.get("atoms");
        double least = Highest.least(Arrays.stream(scores, 0, network.atoms()), number);
        List<RankedAtom> found = new ArrayList<>();
        for (int place = 0; place < network.atoms(); place++) {
            if (scores[place] > 0 && scores[place] >= least) {
                add(place, scores[place], seeds[place], transaction, found);
            }
        }
        return RankedAtom.best(found, number);
    }

    private double[] seeds(Map<String, Object> begin, double atomWeight) {
        double[] weights = new double[snapshot.network().graph().nodes()];
        if (allAtoms) {
            weigh(weights, atomWeight);
        }
        Atomic.maps(begin.get("atoms")).forEach(seed -> put(weights, seed, "weight"));
        Atomic.maps(begin.get("entities")).forEach(seed -> put(weights, seed, "similarity"));
        double total = Arrays.stream(weights).sum();
        for (int place = 0; total > 0 && place < weights.length; place++) {
            weights[place] /= total;
        }
        return weights;
    }

    private void put(double[] weights, Map<String, Object> seed, String property) {
        Integer place = snapshot.network().place((Node) seed.get("node"));
        if (place != null) { // not so what has come since
            weights[place] = Math.max(0, Atomic.number(seed.get(property)));
        }
    }

    /** The nearest atom weighs what is given, the farthest nothing. */
    private void weigh(double[] weights, double atomWeight) {
        double[] cosines = snapshot.cosines(question);
        double most = Double.NEGATIVE_INFINITY;
        double least = Double.POSITIVE_INFINITY;
        for (double cosine : cosines) {
            if (!Double.isNaN(cosine)) {
                most = Math.max(most, cosine);
                least = Math.min(least, cosine);
            }
        }
        for (int place = 0; place < cosines.length; place++) {
            double share = most == least ? 1 : (cosines[place] - least) / (most - least);
            weights[place] = Double.isNaN(share) ? 0 : atomWeight * share;
        }
    }

    private void add(int place, double score, double weight, Transaction transaction, List<RankedAtom> found) {
        try {
            found.add(new RankedAtom(snapshot.network().node(place, transaction), score, weight));
        } catch (NotFoundException deleted) {
            // What vanished while the question was answered takes no part.
        }
    }
}
