package qcg.procedure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.LinkModel;
import qcg.algorithm.QuestionVector;
import qcg.config.Configs.LinkConfig;
import qcg.method.lp.AtomVectors;
import qcg.method.lp.Predictor;
import qcg.request.Call;
import qcg.request.Permission;
import qcg.request.Vectors;
import qcg.store.Present;

/** Scores links between a question and atoms with the graph's trained predictor (LP-RAG). */
public class Links extends OnServer {
    private static final String NAME = "qcg.links.score";

    /** A ranked atom. */
    public record LinkRow(
            @Description("The atom.") Node atom,
            @Description("The predictor's score of its link to the question; higher is better.") double score,
            @Description("Its cosine to the question.") double similarity,
            @Description("The neighbours that raised the score most: node, weight (of SIMILAR_TO), raise.")
                    List<Map<String, Object>> neighbours) {}

    private record Ranked(Node atom, String id, double score, double similarity) {}

    @Procedure(name = NAME, mode = Mode.READ)
    @Description("Ranks atoms by how likely a link between them and a question is, by the graph's link predictor"
            + " (LP-RAG). The question counts as linked to all atoms; nothing about it is kept.")
    public Stream<LinkRow> score(
            @Name(value = "question", description = "The question's vector.") Object question,
            @Name(value = "candidates", description = "The atoms.") List<Node> candidates,
            @Name(value = "configuration", description = LinkConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        Call<LinkConfig> call = call(LinkConfig.class, NAME, configuration);
        Set<Node> nodes = call.nodes("candidates", candidates);
        Predictor predictor = Predictor.of(call);
        QuestionVector direction = direction(call, question, predictor.model().shape());
        Permission permission = new Permission(call.config().permitted(), call);
        try (ProcedureMemoryTracker tracker = memory.newTracker()) {
            AtomVectors atoms = new AtomVectors(call, predictor.model(), permission, tracker);
            LinkModel.Asked asked = predictor.model().asked(Vectors.floats(direction.values()));
            List<Ranked> ranked = ranked(nodes, atoms, asked, direction);
            return best(ranked, call.config(), predictor.threshold()).stream()
                    .map(one -> row(one, atoms, asked, call.config().reasons()))
                    .toList()
                    .stream();
        }
    }

    private static QuestionVector direction(Call<?> call, Object question, LinkModel.Shape shape) {
        double[] given = Vectors.given(call, question);
        if (given.length != shape.dimension()) {
            throw call.refusal(
                    "the question's vector has %d numbers, but the link predictor was trained on %d."
                            + " Embed the question with the graph's model.",
                    given.length,
                    shape.dimension());
        }
        return Vectors.direction(call, given);
    }

    private static List<Ranked> ranked(
            Set<Node> candidates, AtomVectors atoms, LinkModel.Asked asked, QuestionVector question) {
        List<Ranked> ranked = new ArrayList<>();
        for (Node atom : candidates) {
            Ranked found = Present.read(() -> ranked(atom, atoms, asked, question), null);
            if (found != null) {
                ranked.add(found);
            }
        }
        ranked.sort(Comparator.comparingDouble((Ranked one) -> -one.score).thenComparing(Ranked::id));
        return ranked;
    }

    private static Ranked ranked(Node atom, AtomVectors atoms, LinkModel.Asked asked, QuestionVector question) {
        double similarity = question.cosine(Vectors.of(atoms.embedding(atom)));
        double score = asked.score(atoms.of(atom), atoms.common(atom, null), similarity);
        return new Ranked(atom, String.valueOf(atom.getProperty("id", "")), score, similarity);
    }

    private static List<Ranked> best(List<Ranked> ranked, LinkConfig config, double threshold) {
        long most = config.atoms() == 0 ? ranked.size() : config.atoms();
        boolean cut = config.selection().equals("threshold");
        return ranked.stream().filter(one -> !cut || one.score >= threshold).limit(most).toList();
    }

    /** With the neighbours without which the score would be lower. */
    private static LinkRow row(Ranked one, AtomVectors atoms, LinkModel.Asked asked, long reasons) {
        List<Map<String, Object>> raising = (reasons == 0 ? List.<AtomVectors.Neighbour>of() : atoms.neighbours(one.atom)).stream()
                .map(neighbour -> Map.<String, Object>of(
                        "node", neighbour.node(), "weight", neighbour.score(), "raise", one.score
                                - asked.score(atoms.of(one.atom), atoms.common(one.atom, neighbour.node()), one.similarity)))
                .filter(reason -> (double) reason.get("raise") > 0)
                .sorted(Comparator.comparingDouble(reason -> -(double) reason.get("raise")))
                .limit(reasons)
                .toList();
        return new LinkRow(one.atom, one.score, one.similarity, raising);
    }
}
