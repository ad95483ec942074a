package qcg.procedure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.config.Configs.PageRankConfig;
import qcg.config.Refusal;
import qcg.memory.AtomGraph;
import qcg.method.atomic.AtomWalk;
import qcg.method.atomic.Atomic;
import qcg.request.Call;
import qcg.store.Present;

/** The walk of AtomicRAG from any seeds. */
public class PageRank extends OnServer {
    private static final String NAME = "qcg.pageRank.push";

    /** A node that the walk comes to. */
    public record RankRow(
            @Description("The node.") Node node,
            @Description("At most its PageRank, and less than tolerance times its weighted degree below it.")
                    double score) {}

    @Procedure(name = NAME, mode = Mode.READ)
    @Description("Personalized PageRank over the atom-entity graph by forward push, as qcg.retrieve.atomic walks."
            + " Relationships count in both directions.")
    public Stream<RankRow> push(
            @Name(value = "seeds", description = "Where the walk begins: a list of [node, weight], or of nodes.")
                    List<Object> seeds,
            @Name(value = "configuration", description = PageRankConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<PageRankConfig> call = call(PageRankConfig.class, NAME, configuration);
        PageRankConfig config = call.config();
        Map<Node, Double> begin = weights(seeds);
        AtomGraph graph = Atomic.graph(call);
        int places = config.atomsAlone() ? graph.atoms() : graph.nodes();
        int number = config.best() == 0 ? places : (int) Math.min(places, config.best());
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            AtomWalk walk = new AtomWalk(graph, null, tracker);
            begin.forEach((node, weight) -> walk.begin(node.getElementId(), weight));
            double[] scores = walk.scores(config.damping(), config.tolerance(), config.synonyms(), guard);
            return walk.best(scores, places, number).stream().flatMap(this::row);
        }
    }

    /** What vanished since the copy was made takes no part. */
    private Stream<RankRow> row(Map<String, Object> found) {
        return Present.read(
                () -> Stream.of(new RankRow(transaction.getNodeByElementId((String) found.get("node")), (double) found.get("score"))),
                Stream.empty());
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
