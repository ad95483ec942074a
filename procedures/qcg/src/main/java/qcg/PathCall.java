package qcg;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import org.neo4j.graphdb.GraphDatabaseService;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.TerminationGuard;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.TripleSnapshot.End;
import qcg.TripleSnapshot.Triple;
import qcg.algorithm.Edge;
import qcg.algorithm.PathSearch;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.Trail;
import qcg.algorithm.Work;

/** One call of a procedure of {@code qcg.paths}: its checked arguments, and what its search has done. */
final class PathCall implements Work {
    private static final long BYTES_PER_PATH = 240; // up to three links that it does not share, and its row

    private final String procedure;
    private final Map<String, Object> configuration;
    private final TerminationGuard guard;
    private final ProcedureMemoryTracker memory;
    private final long limit;
    private long extensions;

    /** A path with its score. */
    record Found(double score, Node source, List<Relationship> relationships) {}

    PathCall(
            String procedure,
            Map<String, Object> configuration,
            TerminationGuard guard,
            ProcedureMemoryTracker memory) {
        this.procedure = procedure;
        this.configuration = configuration;
        this.guard = guard;
        this.memory = memory;
        this.limit = (long) configuration.getOrDefault("maxExpansions", Long.MAX_VALUE);
    }

    private <N, R> PathSearch<N, R> search() {
        Number width = (Number) configuration.getOrDefault("beamWidth", PathSearch.UNLIMITED);
        return new PathSearch<>(width.intValue(), ((Long) configuration.get("maxLength")).intValue());
    }

    /** The paths, best first. A copy in memory that differs from the store on a found path gives way to the store. */
    List<Found> paths(
            List<Node> sources, List<Node> targets, Object vector, GraphDatabaseService database, Transaction transaction) {
        Set<Node> from = checked("sources", sources);
        Set<Node> to = checked("targets", targets);
        QuestionVector question = Vectors.direction(procedure, Vectors.given(procedure, vector, transaction));
        TripleSnapshot triples = TripleNetwork.isFollowed(configuration) ? triples(database, transaction) : null;
        List<Found> found = triples != null && triples.dimension() == question.dimension()
                ? inMemory(triples, from, to, question, transaction)
                : null;
        return found != null ? found : stored(from, to, question, transaction);
    }

    /** The triples in memory; null where they cannot be held there, and are read from the store. */
    private TripleSnapshot triples(GraphDatabaseService database, Transaction transaction) {
        try {
            return Copies.of(Copies.TRIPLES, Corpus.of(configuration), database, transaction, guard);
        } catch (Copies.NoCopy reason) {
            return null;
        }
    }

    private List<Found> stored(Set<Node> from, Set<Node> to, QuestionVector question, Transaction transaction) {
        Permission permission = Permission.of(configuration, transaction, guard);
        StoredNetwork network = new StoredNetwork(procedure, question, configuration, permission, guard, memory);
        return this.<Node, Relationship>search().between(from, to, network, this).stream()
                .map(trail -> new Found(
                        trail.score(), trail.source(), trail.edges().stream().map(Edge::relationship).toList()))
                .toList();
    }

    /** The paths in memory; null where the store has another relationship, or none, in the place of one of them. */
    private List<Found> inMemory(
            TripleSnapshot triples, Set<Node> from, Set<Node> to, QuestionVector question, Transaction transaction) {
        TripleNetwork network = new TripleNetwork(question, (String) configuration.get("direction"), memory);
        var trails = this.<End, Triple>search().between(ends(triples, from), ends(triples, to), network, this);
        List<Found> paths = new ArrayList<>();
        for (Trail<End, Triple> trail : trails) {
            Found path = Present.read(() -> found(trail, transaction), null);
            if (path == null) {
                extensions = 0;
                return null;
            }
            paths.add(path);
        }
        return paths;
    }

    /** A path as the store has it; null where the store's relationship of a name joins other nodes, or is of another type. */
    private Found found(Trail<End, Triple> trail, Transaction transaction) {
        List<Relationship> relationships = new ArrayList<>();
        for (Edge<End, Triple> edge : trail.edges()) {
            Triple triple = edge.relationship();
            Relationship stored = transaction.getRelationshipByElementId(triple.name());
            boolean isSame = stored.isType(Corpus.of(configuration).type(Corpus.RELATED_TO))
                    && stored.getStartNode().getElementId().equals(triple.start().name())
                    && stored.getEndNode().getElementId().equals(triple.end().name());
            if (!isSame) {
                return null;
            }
            relationships.add(stored);
        }
        return new Found(trail.score(), transaction.getNodeByElementId(trail.source().name()), relationships);
    }

    private static Set<End> ends(TripleSnapshot triples, Set<Node> nodes) {
        return nodes.stream()
                .map(triples::end)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    @Override
    public void extension() {
        guard.check();
        extensions++;
        if (extensions > limit) {
            throw new Refusal(
                    procedure,
                    "more than maxExpansions = %d paths would have to be looked at."
                            + " Raise it, lower maxLength, or use qcg.paths.beam.",
                    limit);
        }
    }

    @Override
    public void complete() {
        memory.allocateHeap(BYTES_PER_PATH);
    }

    private Set<Node> checked(String name, List<Node> nodes) {
        return new LinkedHashSet<>(Refusal.nodes(procedure, name, nodes));
    }
}
