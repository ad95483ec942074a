package qcg;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.QueryExecutionException;
import org.neo4j.graphdb.Transaction;

/** AtomicRAG without a language model: the best atoms for a question, and why, by three statements in one call. */
record Atomic(List<Map<String, Object>> atoms, boolean synonymsBuilt) {
    private static final long NO_ATOMS = -1; // as seeds, of the statement's
    private static final double NEGLIGIBLE = 1e-8; // what the last round of GDS may still move, of all
    private static final int FEWEST_ROUNDS = 20; // the default of GDS

    /** {@code names} are the embeddings of names in the question; null to look for names of the graph in its text. */
    static Atomic of(
            Question question, List<Object> names, Map<String, Object> configuration, Transaction transaction, Push push,
            AtomSnapshot snapshot) {
        Map<String, Object> values = new HashMap<>(configuration);
        if (configuration.get("where") != null && configuration.get("propagation").equals("gds")) {
            throw new Refusal(
                    question.procedure(),
                    "the propagation 'gds' walks over a projection of all documents, so it takes no filter. Use 'push'.");
        }
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
        boolean allAtoms = (long) configuration.get("atomSeeds") == 0;
        if (snapshot != null && allAtoms) {
            values.put("atomSeeds", NO_ATOMS); // nothing is to be read for them
        }
        Map<String, Object> begin = Statement.of("retrieve/parts/atomic_seeds", question.corpus()).rows(transaction, values).get(0);
        List<RankedAtom> ranked = snapshot == null
                ? ranked(seeds(begin), values, transaction, push)
                : new SnapshotWalk(snapshot, asked.direction(), allAtoms)
                        .ranked(begin, values, transaction, push);
        values.put("found", ranked.stream().map(RankedAtom::row).toList());
        values.put("entities", begin.get("entities"));
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

    /** Atoms and entities with their parts of the whole weight. */
    private static Map<Node, Double> seeds(Map<String, Object> begin) {
        Map<Node, Double> weights = new LinkedHashMap<>();
        maps(begin.get("atoms")).forEach(seed -> weights.put((Node) seed.get("node"), number(seed.get("weight"))));
        maps(begin.get("entities")).forEach(seed -> weights.put((Node) seed.get("node"), number(seed.get("similarity"))));
        weights.values().removeIf(weight -> weight <= 0);
        double total = weights.values().stream().mapToDouble(weight -> weight).sum();
        weights.replaceAll((node, weight) -> weight / total);
        return weights;
    }

    private static List<RankedAtom> ranked(
            Map<Node, Double> seeds, Map<String, Object> values, Transaction transaction, Push push) {
        if (seeds.isEmpty()) {
            return List.of(); // GDS would take that for all nodes
        }
        return values.get("propagation").equals("gds")
                ? byGds(seeds, values, transaction, push.procedure())
                : byPush(seeds, values, push);
    }

    private static List<RankedAtom> byPush(Map<Node, Double> seeds, Map<String, Object> values, Push push) {
        Map<String, Object> given = new HashMap<>();
        given.put("damping", values.get("damping"));
        given.put("tolerance", values.get("tolerance"));
        if (!(boolean) values.get("synonyms")) {
            given.put("weights", Map.of("MENTIONS", 1L, Corpus.RELATED_TO, 1L));
        }
        given.put(Corpus.KEY, values.get(Corpus.KEY));
        Label atoms = Corpus.of(values).mark("Atom");
        List<RankedAtom> ranked = new ArrayList<>();
        Map<String, Object> chosen = Declared.PAGE_RANK.read(push.procedure(), given);
        push.from(seeds, chosen, values.get("permitted")).scores((node, score) -> {
            if (Present.hasLabel(node, atoms)) {
                ranked.add(ranked(node, score, seeds));
            }
        });
        return RankedAtom.best(ranked, (long) values.get("atoms"));
    }

    private static List<RankedAtom> byGds(
            Map<Node, Double> seeds, Map<String, Object> values, Transaction transaction, String procedure) {
        Map<String, Object> chosen = new HashMap<>(values);
        chosen.put("iterations", rounds((double) values.get("damping")));
        chosen.put("seeds", seeds.entrySet().stream().map(seed -> List.of(seed.getKey(), seed.getValue())).toList());
        try {
            return Statement.of("retrieve/parts/atomic_walk", Corpus.of(values)).rows(transaction, chosen).stream()
                    .map(row -> ranked((Node) row.get("node"), number(row.get("score")), seeds))
                    .toList();
        } catch (QueryExecutionException error) {
            if (error.getStatusCode().endsWith("ProcedureNotFound")) {
                throw new Refusal(
                        procedure,
                        "the propagation 'gds' needs Graph Data Science, which this server lacks. Use 'push'.");
            }
            if (error.getMessage().contains("`sourceNodes`")) {
                throw new Refusal(
                        procedure,
                        "the Graph Data Science of this server takes no weighted sources, which the propagation 'gds'"
                                + " needs. Use 'push'.");
            }
            throw error;
        }
    }

    private static RankedAtom ranked(Node atom, double score, Map<Node, Double> seeds) {
        return new RankedAtom(atom, score, seeds.getOrDefault(atom, 0.0));
    }

    /** So many rounds that what is left of the walk after them is negligible. */
    static long rounds(double damping) {
        long needed = 0;
        for (double left = 1; left > NEGLIGIBLE && damping > 0; left *= damping) {
            needed++;
        }
        return Math.max(FEWEST_ROUNDS, needed);
    }

    static double number(Object value) {
        return ((Number) value).doubleValue();
    }

    @SuppressWarnings("unchecked")
    static List<Map<String, Object>> maps(Object value) {
        return (List<Map<String, Object>>) value;
    }
}
