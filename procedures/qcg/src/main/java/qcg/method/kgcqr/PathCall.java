package qcg.method.kgcqr;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.Edge;
import qcg.algorithm.PathSearch;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.Trail;
import qcg.algorithm.Work;
import qcg.config.PathConfig;
import qcg.memory.Copies;
import qcg.memory.Triples;
import qcg.memory.Triples.End;
import qcg.memory.Triples.Triple;
import qcg.request.Call;
import qcg.request.Corpus;
import qcg.request.Permission;
import qcg.request.Vectors;
import qcg.store.Present;

/** One call of a procedure of {@code qcg.paths}: its checked arguments, and what its search has done. */
public final class PathCall implements Work {
    private static final long BYTES_PER_PATH = 240; // up to three links that it does not share, and its row

    private final Call<? extends PathConfig> call;
    private final int width;
    private final long limit;
    private final ProcedureMemoryTracker memory;
    private long extensions;

    /** A path with its score. */
    public record Found(double score, Node source, List<Relationship> relationships) {}

    /** {@code width} is that of the beam; {@code limit} is how many extensions of paths may be looked at. */
    public PathCall(Call<? extends PathConfig> call, long width, long limit, ProcedureMemoryTracker memory) {
        this.call = call;
        this.width = (int) width;
        this.limit = limit;
        this.memory = memory;
    }

    private <N, R> PathSearch<N, R> search() {
        return new PathSearch<>(width, (int) call.config().maxLength());
    }

    /** The paths, best first. A copy in memory that differs from the store on a found path gives way to the store. */
    public List<Found> paths(List<Node> sources, List<Node> targets, Object vector) {
        Set<Node> from = call.nodes("sources", sources);
        Set<Node> to = call.nodes("targets", targets);
        QuestionVector question = Vectors.direction(call, Vectors.given(call, vector));
        Triples triples = mayBeInMemory() ? triples() : null;
        List<Found> found = triples != null && triples.dimension() == question.dimension()
                ? inMemory(triples, from, to, question)
                : null;
        return found != null ? found : stored(from, to, question);
    }

    /** Whether a search follows what is held: all of the corpus's triples, by their own vectors and ids. */
    private boolean mayBeInMemory() {
        PathConfig config = call.config();
        return config.snapshot()
                && config.permitted() == null
                && config.relationshipTypes().equals(List.of(Corpus.RELATED_TO))
                && config.vectorProperty().equals(Triples.VECTOR)
                && config.idProperty().equals(Triples.ID);
    }

    /** The triples in memory; null where they cannot be held there, and are read from the store. */
    private Triples triples() {
        try {
            return Copies.of(Copies.TRIPLES, call);
        } catch (Copies.NoCopy reason) {
            return null;
        }
    }

    private List<Found> stored(Set<Node> from, Set<Node> to, QuestionVector question) {
        Permission permission = new Permission(call.config().permitted(), call);
        StoredNetwork network = new StoredNetwork(call, question, permission, memory);
        return this.<Node, Relationship>search().between(from, to, network, this).stream()
                .map(trail -> new Found(
                        trail.score(), trail.source(), trail.edges().stream().map(Edge::relationship).toList()))
                .toList();
    }

    /** The paths in memory; null where the store has another relationship, or none, in the place of one of them. */
    private List<Found> inMemory(Triples triples, Set<Node> from, Set<Node> to, QuestionVector question) {
        var trails = this.<End, Triple>search()
                .between(ends(triples, from), ends(triples, to), node -> edges(node, question), this);
        List<Found> paths = new ArrayList<>();
        for (Trail<End, Triple> trail : trails) {
            Found path = Present.read(() -> found(trail), null);
            if (path == null) {
                extensions = 0;
                return null;
            }
            paths.add(path);
        }
        return paths;
    }

    /** What {@link StoredNetwork} finds at its defaults, in memory. */
    private List<Edge<End, Triple>> edges(End node, QuestionVector question) {
        String direction = call.config().direction();
        Stream<Edge<End, Triple>> outgoing = direction.equals("incoming")
                ? Stream.empty()
                : node.outgoing().stream().map(triple -> edge(triple, triple.end(), question));
        Stream<Edge<End, Triple>> incoming = direction.equals("outgoing")
                ? Stream.empty()
                : node.incoming().stream().map(triple -> edge(triple, triple.start(), question));
        List<Edge<End, Triple>> found = Stream.concat(outgoing, incoming).toList();
        memory.allocateHeap(StoredNetwork.BYTES_PER_EDGE * found.size());
        return found;
    }

    private static Edge<End, Triple> edge(Triple triple, End target, QuestionVector question) {
        return new Edge<>(triple, triple.id(), question.cosine(triple.vector(), triple.length()), target);
    }

    /** A path as the store has it; null where the store's relationship of a name joins other nodes, or is of another type. */
    private Found found(Trail<End, Triple> trail) {
        List<Relationship> relationships = new ArrayList<>();
        for (Edge<End, Triple> edge : trail.edges()) {
            Triple triple = edge.relationship();
            Relationship stored = call.transaction().getRelationshipByElementId(triple.name());
            boolean isSame = stored.isType(call.corpus().type(Corpus.RELATED_TO))
                    && stored.getStartNode().getElementId().equals(triple.start().name())
                    && stored.getEndNode().getElementId().equals(triple.end().name());
            if (!isSame) {
                return null;
            }
            relationships.add(stored);
        }
        return new Found(trail.score(), call.transaction().getNodeByElementId(trail.source().name()), relationships);
    }

    private static Set<End> ends(Triples triples, Set<Node> nodes) {
        return nodes.stream()
                .map(triples::end)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(LinkedHashSet::new));
    }

    @Override
    public void extension() {
        call.guard().check();
        extensions++;
        if (extensions > limit) {
            throw call.refusal(
                    "more than maxExpansions = %d paths would have to be looked at."
                            + " Raise it, lower maxLength, or use qcg.paths.beam.",
                    limit);
        }
    }

    @Override
    public void complete() {
        memory.allocateHeap(BYTES_PER_PATH);
    }
}
