package qcg;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;
import qcg.algorithm.ForwardPush;
import qcg.algorithm.Highest;

/** Personalized PageRank over the stored graph, without a projection. */
public class PageRank {
    private static final String NAME = "qcg.pageRank.push";

    @Context
    public Transaction transaction;

    @Context
    public GraphDatabaseService database;

    @Context
    public TerminationGuard guard;

    @Context
    public ProcedureMemory memory;

    /** A node that the walk comes to. */
    public record RankRow(
            @Description("The node.") Node node,
            @Description("At most its PageRank, and less than tolerance times its weighted degree below it.")
                    double score) {}

    @Procedure(NAME)
    @Description("Personalized PageRank by forward push on the stored relationships, which count in both directions:"
            + " reads the surroundings of the seeds alone, and sees every write at once.")
    public Stream<RankRow> push(
            @Name(value = "seeds", description = "Where the walk begins: a list of [node, weight], or of nodes.")
                    List<Object> seeds,
            @Name(value = "configuration", description = Declared.PAGE_RANK_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        Map<String, Object> chosen = Options.chosen(NAME, configuration, transaction);
        Map<Node, Double> begin = weights(seeds);
        Push push = new Push(NAME, transaction, guard, memory);
        boolean inMemory = NetworkWalk.follows(chosen);
        EntityNetwork network = inMemory ? Snapshots.of(Part.NETWORK, database, Corpus.of(chosen), transaction) : null;
        boolean isHeld = network != null && begin.keySet().stream().allMatch(node -> network.place(node) != null);
        return isHeld
                ? new NetworkWalk(network, chosen).rows(begin, push).stream()
                : rows(push.from(begin, chosen, null), chosen).stream();
    }

    private static List<RankRow> rows(ForwardPush<Node> found, Map<String, Object> chosen) {
        List<Label> labels = ((List<?>) chosen.get("labels")).stream().map(name -> Label.label((String) name)).toList();
        List<RankRow> rows = new ArrayList<>();
        found.scores((node, score) -> {
            if (labels.isEmpty() ? Present.is(node) : labels.stream().anyMatch(label -> Present.hasLabel(node, label))) {
                rows.add(new RankRow(node, score));
            }
        });
        int best = (int) (long) chosen.get("best");
        double least = best == 0 ? 0 : Highest.least(rows.stream().mapToDouble(RankRow::score), best);
        return rows.stream().filter(row -> row.score >= least).toList();
    }

    private static Map<Node, Double> weights(List<Object> seeds) {
        if (seeds == null) {
            throw new Refusal(NAME, "seeds is null, but must be a list of [node, weight], or of nodes.");
        }
        Map<Node, Double> weights = new LinkedHashMap<>();
        for (Object seed : seeds) {
            boolean isPair = seed instanceof List<?> pair && pair.size() == 2;
            Object node = isPair ? ((List<?>) seed).get(0) : seed;
            Object weight = isPair ? ((List<?>) seed).get(1) : 1.0;
            if (!(node instanceof Node known)) {
                throw new Refusal(NAME, "a seed is %s, but must be [node, weight], or a node.", Refusal.typeOf(seed));
            }
            boolean fits = weight instanceof Number number
                    && number.doubleValue() >= 0
                    && Double.isFinite(number.doubleValue());
            if (!fits) {
                throw new Refusal(NAME, "the weight of a seed is %s, but must be a number that is at least 0.", Refusal.shown(weight));
            }
            weights.merge(known, ((Number) weight).doubleValue(), Double::sum);
        }
        return weights;
    }
}
