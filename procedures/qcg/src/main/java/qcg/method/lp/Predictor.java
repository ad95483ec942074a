package qcg.method.lp;

import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.neo4j.graphdb.Node;
import qcg.algorithm.LinkModel;
import qcg.config.Refusal;
import qcg.request.Call;
import qcg.store.Present;

/** The graph's link predictor; its weights are read once per version. */
public record Predictor(LinkModel model, double threshold) {
    private static final String NAME = "default";
    private static final int KEPT = 4; // versions, of several databases or of a predictor that was just replaced
    private static final String REMEDY = "`qcg train link-predictor` makes one.";

    private static final Map<String, LinkModel> READ = new ConcurrentHashMap<>();

    /** The predictor, or an error that says why there is none to use. */
    public static Predictor of(Call<?> call) {
        Node node = call.transaction().findNode(call.corpus().mark("LinkPredictor"), "name", NAME);
        Predictor found = node == null ? null : Present.read(() -> of(call.procedure(), node), null);
        if (found == null) {
            throw call.refusal("the graph has no link predictor. %s", REMEDY);
        }
        return found;
    }

    private static Predictor of(String procedure, Node node) {
        if (!(boolean) node.getProperty("ready", false)) {
            throw new Refusal(
                    procedure,
                    "the link predictor %s is being written, or that was interrupted. Run"
                            + " `qcg train link-predictor` again.",
                    node.getProperty("version", ""));
        }
        if (READ.size() > KEPT) {
            READ.clear();
        }
        LinkModel model = READ.computeIfAbsent((String) node.getProperty("version"), version -> read(procedure, node));
        return new Predictor(model, ((Number) node.getProperty("threshold")).doubleValue());
    }

    private static LinkModel read(String procedure, Node node) {
        String common = ((String) node.getProperty("common")).toUpperCase(Locale.ROOT);
        LinkModel.Shape shape = new LinkModel.Shape(
                number(node, "layers"),
                number(node, "dimension"),
                number(node, "hidden"),
                number(node, "scorerHidden"),
                LinkModel.Common.valueOf(common));
        try {
            return new LinkModel(shape, (byte[]) node.getProperty("weights"));
        } catch (IllegalArgumentException error) {
            throw new Refusal(procedure, "the link predictor cannot be read: %s", error.getMessage());
        }
    }

    private static int number(Node node, String name) {
        return ((Number) node.getProperty(name)).intValue();
    }
}
