package qcg.method.atomic;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.config.Configs.AtomicConfig;
import qcg.config.Refusal;
import qcg.memory.AtomGraph;
import qcg.memory.Copies;
import qcg.request.Call;
import qcg.request.Filter;
import qcg.request.Question;
import qcg.request.Statement;
import qcg.request.Vectors;

/** AtomicRAG without a language model: seeds by a statement, a walk in memory or by GDS, and reasons by a statement. */
public record Atomic(List<Map<String, Object>> atoms, boolean synonymsBuilt, long atomSeeds, Filter filter) {
    private static final long NO_ATOMS = -1; // as seeds, of the statement's
    private static final double NEGLIGIBLE = 1e-8; // what the last round of GDS may still move, of all
    private static final int FEWEST_ROUNDS = 20; // the default of GDS

    /** {@code names} are the embeddings of names in the question; null to look for names of the graph in its text. */
    public static Atomic of(Call<AtomicConfig> call, Object given, List<Object> names) {
        AtomicConfig config = call.config();
        boolean isByGds = config.propagation().equals("gds");
        if (config.where() != null && isByGds) {
            throw call.refusal("the propagation 'gds' walks over a projection of all documents, so it takes no filter. Use 'push'.");
        }
        Question question = Question.of(call, given);
        Filter filter = Filter.of(call);
        if (filter.isEmpty()) {
            return new Atomic(List.of(), true, config.atomSeeds(), filter);
        }
        Question.Asked asked = question.asked();
        Map<String, Object> values = call.config().values();
        long atomSeeds = (long) call.rows("retrieve/atomic/seeding", values).get(0).get("atomSeeds");
        boolean atAllAtoms = atomSeeds == 0;
        values.put("permitted", filter.documents());
        values.put("question", names != null || question.text() == null ? "" : question.text());
        values.put("questionVector", asked.vector());
        values.put("names", names == null ? List.of() : checked(call, names));
        values.put("atomCandidates", candidates(config, atomSeeds, filter));
        values.put("entityCandidates", candidates(config, config.entitySeeds(), filter));
        values.put("atomSeeds", atAllAtoms && !isByGds ? NO_ATOMS : atomSeeds); // the copy in memory has all vectors
        Map<String, Object> begin = call.rows("retrieve/atomic/seeds", values).get(0);
        Map<String, Double> seeds = seeds(begin);
        values.put("entities", begin.get("entities"));
        values.put("walked", isByGds ? byGds(call, seeds) : inMemory(call, seeds, atAllAtoms ? asked : null, filter));
        List<Map<String, Object>> atoms = call.rows("retrieve/atomic/reasons | retrieve/atoms", values);
        return new Atomic(atoms, (boolean) begin.get("synonymsBuilt"), atomSeeds, filter);
    }

    private static long candidates(AtomicConfig config, long seeds, Filter filter) {
        return Math.max(1, filter.candidates(config.candidateFactor() * seeds));
    }

    private static List<Object> checked(Call<?> call, List<Object> names) {
        for (Object name : names) {
            if (!Vectors.mayBeVector(name) && !(name instanceof List<?>)) {
                throw call.refusal("a name is %s, but must be its vector.", Refusal.typeOf(name));
            }
            double[] values = Vectors.given(call, name);
            Vectors.direction(call, values);
            Vectors.checkDimension(call, "the vector of a name", values.length);
        }
        return names;
    }

    /** The weights of atoms and entities, by their element ids. */
    private static Map<String, Double> seeds(Map<String, Object> begin) {
        Map<String, Double> weights = new LinkedHashMap<>();
        List<?> atoms = (List<?>) begin.get("atoms");
        List<?> given = (List<?>) begin.get("weights");
        for (int place = 0; place < atoms.size(); place++) {
            weights.put((String) atoms.get(place), number(given.get(place)));
        }
        Statement.asRows(begin.get("entities"))
                .forEach(seed -> weights.put((String) seed.get("node"), number(seed.get("similarity"))));
        weights.values().removeIf(weight -> weight <= 0);
        return weights;
    }

    /** {@code atAtoms} is the question where all atoms are seeds, and null where the seeds have them. */
    private static List<Map<String, Object>> inMemory(
            Call<AtomicConfig> call, Map<String, Double> seeds, Question.Asked atAtoms, Filter filter) {
        AtomicConfig config = call.config();
        AtomGraph graph = graph(call);
        try (ProcedureMemoryTracker tracker = call.memory().newTracker()) {
            AtomWalk walk = new AtomWalk(graph, filter.documents(), tracker);
            if (atAtoms != null) {
                walk.beginAtAtoms(atAtoms.direction(), config.atomWeight());
            }
            seeds.forEach(walk::begin);
            walk.share();
            double[] scores = walk.scores(config.damping(), config.tolerance(), config.synonyms(), call.guard());
            return walk.best(scores, graph.atoms(), (int) config.atoms());
        }
    }

    /** The atom-entity graph in memory. */
    public static AtomGraph graph(Call<?> call) {
        try {
            return Copies.of(call);
        } catch (Copies.NoCopy reason) {
            throw call.refusal("%s. From Python, the propagation 'rounds' needs no memory.", reason.getMessage());
        }
    }

    private static List<Map<String, Object>> byGds(Call<AtomicConfig> call, Map<String, Double> seeds) {
        if (seeds.isEmpty()) {
            return List.of(); // GDS would take that for all nodes
        }
        double total = seeds.values().stream().mapToDouble(weight -> weight).sum();
        seeds.replaceAll((node, weight) -> weight / total);
        Map<String, Object> values = call.config().values();
        values.put("iterations", rounds(call.config().damping()));
        values.put("seeds", seeds.entrySet().stream().map(seed -> List.of(seed.getKey(), seed.getValue())).toList());
        try {
            return call.rows("retrieve/atomic/walk", values).stream().map(row -> weighed(row, seeds)).toList();
        } catch (QueryExecutionException error) {
            if (error.getStatusCode().endsWith("ProcedureNotFound")) {
                throw call.refusal("the propagation 'gds' needs Graph Data Science, which this server lacks. Use 'push'.");
            }
            if (error.getMessage().contains("`sourceNodes`")) {
                throw call.refusal("the Graph Data Science of this server takes no weighted sources, which the propagation 'gds'"
                        + " needs. Use 'push'.");
            }
            throw error;
        }
    }

    private static Map<String, Object> weighed(Map<String, Object> row, Map<String, Double> seeds) {
        Map<String, Object> found = new HashMap<>(row);
        found.put("weight", seeds.getOrDefault((String) row.get("node"), 0.0));
        return found;
    }

    /** So many rounds that what is left of the walk after them is negligible. */
    static long rounds(double damping) {
        long needed = 0;
        for (double left = 1; left > NEGLIGIBLE && damping > 0; left *= damping) {
            needed++;
        }
        return Math.max(FEWEST_ROUNDS, needed);
    }

    private static double number(Object value) {
        return ((Number) value).doubleValue();
    }
}
