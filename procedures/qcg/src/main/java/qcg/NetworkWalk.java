package qcg;

import java.util.ArrayList;
import java.util.Collection;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import qcg.algorithm.Highest;

/** Personalized PageRank by {@code qcg.pageRank.push} over a network in memory. */
record NetworkWalk(EntityNetwork network, Map<String, Object> configuration) {
    private static final Map<String, Object> WEIGHTS = Map.of("MENTIONS", 1.0, Corpus.RELATED_TO, 1.0);
    private static final String SYNONYM_OF = "SYNONYM_OF";

    /** Whether a configuration has relationships count as they do in a network; synonyms may be left out. */
    static boolean follows(Map<String, Object> configuration) {
        Map<?, ?> weights = (Map<?, ?>) configuration.get("weights");
        boolean isWeighed = weights.keySet().containsAll(WEIGHTS.keySet())
                && weights.entrySet().stream().allMatch(one -> one.getKey().equals(SYNONYM_OF)
                        ? one.getValue().equals("score")
                        : one.getValue() instanceof Number weight && WEIGHTS.containsKey(one.getKey()) && weight.doubleValue() == 1);
        return (boolean) configuration.get("snapshot")
                && isWeighed
                && configuration.get("once").equals(List.of("MENTIONS"))
                && !(boolean) configuration.get("selfLoops");
    }

    /** The nodes that the walk comes to, from seeds that the network has. */
    List<PageRank.RankRow> rows(Map<Node, Double> begin, Push push) {
        double[] seeds = new double[network.graph().nodes()];
        begin.forEach((node, weight) -> seeds[network.place(node)] = weight);
        boolean synonyms = ((Map<?, ?>) configuration.get("weights")).containsKey(SYNONYM_OF);
        double[] scores = push.over(network, seeds, configuration, synonyms);
        BitSet places = network.placesWith(((Collection<?>) configuration.get("labels")).stream().map(String.class::cast).toList());
        int best = (int) (long) configuration.get("best");
        double least = best == 0 ? 0 : Highest.least(places.stream().mapToDouble(place -> scores[place]), best);
        List<PageRank.RankRow> rows = new ArrayList<>();
        places.stream()
                .filter(place -> scores[place] > 0 && scores[place] >= least)
                .forEach(place -> add(place, scores[place], push, rows));
        return rows;
    }

    private void add(int place, double score, Push push, List<PageRank.RankRow> rows) {
        try {
            rows.add(new PageRank.RankRow(network.node(place, push.transaction()), score));
        } catch (NotFoundException deleted) {
            // What vanished while the walk went on takes no part.
        }
    }
}
