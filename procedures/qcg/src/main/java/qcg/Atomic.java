package qcg;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemory;

/** AtomicRAG without a language model: seeds by a statement, a walk in memory or by GDS, and reasons by a statement. */
record Atomic(List<Map<String, Object>> atoms, boolean synonymsBuilt) {
    private static final long NO_ATOMS = -1; // as seeds, of the statement's
    private static final double NEGLIGIBLE = 1e-8; // what the last round of GDS may still move, of all
    private static final int FEWEST_ROUNDS = 20; // the default of GDS

    /** What a call has of the server. */
    record Server(Transaction transaction, GraphDatabaseService database, TerminationGuard guard, ProcedureMemory memory) {}

    /** {@code names} are the embeddings of names in the question; null to look for names of the graph in its text. */
    static Atomic of(Question question, List<Object> names, Map<String, Object> configuration, Server server) {
        Map<String, Object> values = new HashMap<>(configuration);
        boolean isByGds = configuration.get("propagation").equals("gds");
        if (configuration.get("where") != null && isByGds) {
            throw new Refusal(
                    question.procedure(),
                    "the propagation 'gds' walks over a projection of all documents, so it takes no filter. Use 'push'.");
        }
        Transaction transaction = server.transaction;
        if (!Permission.resolve(question.procedure(), values, transaction)) {
            return new Atomic(List.of(), true);
        }
        long factor = (long) configuration.get("candidateFactor");
        values.put("question", names != null || question.text() == null ? "" : question.text());
        Question.Asked asked = question.asked(transaction);
        values.put("questionVector", asked.vector());
        values.put("names", names == null ? List.of() : checked(question, names, transaction));
        for (String kind : List.of("atom", "entity")) {
            long candidates = Permission.candidates(factor * (long) configuration.get(kind + "Seeds"), values);
            values.put(kind + "Candidates", Math.max(1, candidates));
        }
        boolean atAllAtoms = (long) configuration.get("atomSeeds") == 0;
        if (atAllAtoms && !isByGds) {
            values.put("atomSeeds", NO_ATOMS); // the copy in memory has their vectors
        }
        Map<String, Object> begin = Statement.of("retrieve/parts/atomic_seeds", question.corpus()).rows(transaction, values).get(0);
        values.put("entities", begin.get("entities"));
        Map<String, Double> seeds = seeds(begin);
        values.put("found", isByGds
                ? byGds(seeds, values, transaction, question)
                : inMemory(seeds, atAllAtoms ? asked : null, values, question, server));
        List<Map<String, Object>> rows = Statement.of("retrieve/parts/atomic_reasons", question.corpus()).rows(transaction, values);
        return new Atomic(rows, (boolean) begin.get("synonymsBuilt"));
    }

    private static List<Object> checked(Question question, List<Object> names, Transaction transaction) {
        String procedure = question.procedure();
        for (Object name : names) {
            double[] values = Vectors.mayBeVector(name) || name instanceof List<?>
                    ? Vectors.given(procedure, name, transaction)
                    : null;
            if (values == null) {
                throw new Refusal(procedure, "a name is %s, but must be its vector.", Refusal.typeOf(name));
            }
            Vectors.direction(procedure, values);
            Vectors.checkDimension(procedure, "the vector of a name", values.length, question.corpus(), transaction);
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
        ((List<?>) begin.get("entities")).stream()
                .map(seed -> (Map<?, ?>) seed)
                .forEach(seed -> weights.put((String) seed.get("node"), number(seed.get("similarity"))));
        weights.values().removeIf(weight -> weight <= 0);
        return weights;
    }

    /** {@code atAtoms} is the question where all atoms are seeds, and null where the seeds have them. */
    private static List<Map<String, Object>> inMemory(
            Map<String, Double> seeds, Question.Asked atAtoms, Map<String, Object> values, Question question, Server server) {
        AtomGraph graph = graph(question.procedure(), question.corpus(), server);
        AtomWalk walk = new AtomWalk(graph, (List<?>) values.get("permitted"));
        if (atAtoms != null) {
            walk.beginAtAtoms(atAtoms.direction(), (double) values.get("atomWeight"));
        }
        seeds.forEach(walk::begin);
        walk.share();
        double[] scores = walk.scores(
                (double) values.get("damping"),
                (double) values.get("tolerance"),
                (boolean) values.get("synonyms"),
                server.memory,
                server.guard);
        return walk.best(scores, graph.atoms(), (int) (long) values.get("atoms"));
    }

    /** The atom-entity graph in memory. */
    static AtomGraph graph(String procedure, Corpus corpus, Server server) {
        try {
            return Copies.of(Copies.ATOMS, corpus, server.database, server.transaction, server.guard);
        } catch (Copies.NoCopy reason) {
            throw new Refusal(procedure, "%s. From Python, the propagation 'rounds' needs no memory.", reason.getMessage());
        }
    }

    private static List<Map<String, Object>> byGds(
            Map<String, Double> seeds, Map<String, Object> values, Transaction transaction, Question question) {
        if (seeds.isEmpty()) {
            return List.of(); // GDS would take that for all nodes
        }
        double total = seeds.values().stream().mapToDouble(weight -> weight).sum();
        seeds.replaceAll((node, weight) -> weight / total);
        Map<String, Object> chosen = new HashMap<>(values);
        chosen.put("iterations", rounds((double) values.get("damping")));
        chosen.put("seeds", seeds.entrySet().stream().map(seed -> List.of(seed.getKey(), seed.getValue())).toList());
        try {
            return Statement.of("retrieve/parts/atomic_walk", question.corpus()).rows(transaction, chosen).stream()
                    .map(row -> weighed(row, seeds))
                    .toList();
        } catch (QueryExecutionException error) {
            if (error.getStatusCode().endsWith("ProcedureNotFound")) {
                throw new Refusal(
                        question.procedure(),
                        "the propagation 'gds' needs Graph Data Science, which this server lacks. Use 'push'.");
            }
            if (error.getMessage().contains("`sourceNodes`")) {
                throw new Refusal(
                        question.procedure(),
                        "the Graph Data Science of this server takes no weighted sources, which the propagation 'gds'"
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
