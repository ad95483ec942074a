package qcg;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;

/** An atom with its PageRank, and with what it weighs as a seed, 0 for none. */
record RankedAtom(Node atom, double score, double weight) {
    /** So many with the highest scores, best first. */
    static List<RankedAtom> best(List<RankedAtom> all, long number) {
        return all.stream()
                .sorted(Comparator.comparingDouble((RankedAtom one) -> -one.score)
                        .thenComparing(one -> String.valueOf(Present.property(one.atom, "id"))))
                .limit(number)
                .toList();
    }

    /** As the statement of the reasons takes it. */
    Map<String, Object> row() {
        return Map.of("id", String.valueOf(Present.property(atom, "id")), "score", score, "weight", weight);
    }
}
