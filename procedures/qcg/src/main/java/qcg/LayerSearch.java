package qcg;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.memory.ProcedureMemoryTracker;
import qcg.algorithm.LayeredSum;
import qcg.algorithm.LayeredSum.Hit;
import qcg.algorithm.LayeredSum.Scored;
import qcg.algorithm.Proposals;
import qcg.algorithm.QuestionVector;
import qcg.algorithm.SharedWalk;
import qcg.algorithm.SharedWalk.Seed;

/** A question to all layers: what the indexes propose, where the best of that leads, and the best of both. */
record LayerSearch(
        Transaction transaction, String question, Object vector, Map<String, Object> chosen, LayerGraph graph) {
    private static final Pattern SIGNS = Pattern.compile("[+\\-&|!(){}\\[\\]^\"~*?:/\\\\<>=@#_'’ ]+");
    private static final int MOST_WORDS = 1000; // Lucene takes 1,024 clauses
    private static final long BYTES_PER_CHUNK = 160; // of the walk: a place in the map, and what it says

    /** The words without any sign that Lucene would read. */
    static String words(String question) {
        return Stream.of(SIGNS.split(question.toLowerCase(Locale.ROOT)))
                .filter(word -> !word.isEmpty())
                .limit(MOST_WORDS)
                .collect(Collectors.joining(" "));
    }

    /** The best chunks, with what each layer adds, and the walk that led there. */
    record Walked(List<Scored<Layer, Node, Entity>> found, SharedWalk<Node, Node, Relationship> walk) {}

    Walked best(ProcedureMemoryTracker memory) {
        List<LayerName> names = isNamed() ? LayerName.in(question, chosen, transaction) : List.of();
        Map<Layer, Double> weights = weights(names.isEmpty() ? Layer.WALK.weight : "chainWeight");
        Proposals<Layer, Node> proposed = new Proposals<>(
                named(proposals(weights.keySet())), weights, Layer::isWords, number("layerCandidates"), graph.order());
        QuestionVector left = graph.without(names.stream().map(LayerName::entity).toList());
        SharedWalk<Node, Node, Relationship> walk = new SharedWalk<>(
                ways(names, left), graph.order(), () -> memory.allocateHeap(BYTES_PER_CHUNK));
        if (weights.containsKey(Layer.WALK)) {
            walk.from(seeds(names, SharedWalk.promising(proposed.first(number("walkSeeds")))));
            if (!names.isEmpty()) {
                walk.further(number("furtherChunks"), graph.order());
            }
        }
        Set<Node> chunks = new LinkedHashSet<>(proposed.chunks());
        chunks.addAll(walk.best(number("walkChunks"), graph.order()));
        chunks.removeIf(chunk -> !Present.is(chunk));
        LayerRest rest = names.isEmpty() || !(boolean) chosen.get("restAlone")
                ? null
                : LayerRest.of(names, left, words(question));
        Map<Layer, Map<Node, Hit<Node, Entity>>> given = given(proposed, walk, chunks, rest);
        List<LayeredSum.Layer<Layer, Node, Entity>> layers = weights.entrySet().stream()
                .map(entry -> layer(entry.getKey(), entry.getValue(), given, proposed, rest))
                .toList();
        LayeredSum.Reader<Layer, Node, Entity> reader = rest == null
                ? graph::nearest
                : (layer, chunk) -> rest.pages().contains(chunk)
                        ? graph.nearest(layer, chunk)
                        : graph.nearest(layer, chunk, rest.vector());
        return new Walked(
                new LayeredSum<>(chunks, layers, reader, graph.<Node>order()).best(number("passages")), walk);
    }

    /** Whether names are looked for, and the walk follows them. */
    private boolean isNamed() {
        return Stream.of("walkWeight", "nameShare", "chainWeight").allMatch(key -> (double) chosen.get(key) > 0);
    }

    private LayerWays ways(List<LayerName> names, QuestionVector left) {
        return names.isEmpty()
                ? LayerWays.alike(graph, number("maxEntityDegree"))
                : LayerWays.asked(graph, chosen, names, left);
    }

    /** Where the walk begins: without names at the most promising chunks, else at the names' pages for the most part. */
    private List<Seed<Node, Node>> seeds(List<LayerName> names, List<Seed<Node, Node>> promising) {
        if (names.isEmpty()) {
            return promising;
        }
        double share = (double) chosen.get("nameShare");
        double power = (double) chosen.get("aboutPower");
        return Stream.concat(
                        names.stream().flatMap(name -> name.seeds(share / names.size(), power)),
                        promising.stream().map(one -> new Seed<Node, Node>(one.chunk(), (1 - share) * one.part(), null)))
                .filter(seed -> seed.part() > 0)
                .toList();
    }

    private static LayeredSum.Layer<Layer, Node, Entity> layer(
            Layer layer,
            double weight,
            Map<Layer, Map<Node, Hit<Node, Entity>>> given,
            Proposals<Layer, Node> proposed,
            LayerRest rest) {
        // How near an index found something to the question says nothing about what is left of that.
        boolean isOpen = rest != null && layer.kind == LayeredSum.Kind.BOUNDED;
        return new LayeredSum.Layer<>(
                layer, isOpen ? LayeredSum.Kind.READ : layer.kind, weight, given.getOrDefault(layer, Map.of()), proposed.named(layer));
    }

    private long number(String key) {
        return (long) chosen.get(key);
    }

    /** The layers that take part, with their weights; that of the walk has this key. */
    private Map<Layer, Double> weights(String walkWeight) {
        Map<Layer, Double> weights = new EnumMap<>(Layer.class);
        for (Layer layer : Layer.values()) {
            double weight = (double) chosen.get(layer == Layer.WALK ? walkWeight : layer.weight);
            if (weight > 0) {
                weights.put(layer, weight);
            }
        }
        return weights;
    }

    private List<Map<String, Object>> proposals(Collection<Layer> layers) {
        Map<String, Object> values = new HashMap<>(chosen);
        values.put("question", words(question));
        values.put("questionVector", vector);
        values.put("layers", layers.stream().map(layer -> layer.title).toList());
        if (number("candidates") == 0) {
            values.put("candidates", number("candidateFactor") * number("layerCandidates"));
        }
        return Statement.of("retrieve/parts/layers_proposals", Corpus.of(chosen)).rows(transaction, values);
    }

    /** The best score of every chunk in every index. */
    private List<Proposals.Named<Layer, Node>> named(List<Map<String, Object>> rows) {
        Map<String, Proposals.Named<Layer, Node>> found = new LinkedHashMap<>();
        for (Map<String, Object> row : rows) {
            Entity entry = (Entity) row.get("entry");
            double score = row.get("score") instanceof Number bm25 ? bm25.doubleValue() : graph.cosine(entry);
            if (!Double.isNaN(score)) {
                Layer layer = Layer.of((String) row.get("layer"));
                Map<Node, Double> chunks = found.computeIfAbsent(
                                (String) row.get("index"), fresh -> new Proposals.Named<>(layer, new HashMap<>()))
                        .scores();
                graph.chunksOf(entry).forEach(chunk -> chunks.merge(chunk, score, Math::max));
            }
        }
        return new ArrayList<>(found.values());
    }

    /** BM25 of just these chunks, and how much of the walk reaches each of them, and over which entity. */
    private Map<Layer, Map<Node, Hit<Node, Entity>>> given(
            Proposals<Layer, Node> proposed,
            SharedWalk<Node, Node, Relationship> walk,
            Set<Node> chunks,
            LayerRest rest) {
        Map<Layer, Map<Node, Hit<Node, Entity>>> given = new EnumMap<>(Layer.class);
        for (Map<String, Object> row : bm25(proposed.layers(), chunks, rest)) {
            Layer layer = Layer.of((String) row.get("layer"));
            Node chunk = (Node) row.get("chunk");
            double score = ((Number) row.get("score")).doubleValue() / proposed.unit(layer);
            given.computeIfAbsent(layer, fresh -> new HashMap<>()).put(chunk, new Hit<>(chunk, null, score));
        }
        for (Node chunk : chunks) {
            SharedWalk.Reached<Node, Node, Relationship> reached = walk.of(chunk);
            if (reached != null) {
                Entity entry = reached.entity() == null ? chunk : reached.entity();
                given.computeIfAbsent(Layer.WALK, fresh -> new HashMap<>())
                        .put(chunk, new Hit<>(entry, reached.seed() == null ? null : reached.seed().chunk(), reached.score()));
            }
        }
        return given;
    }

    private List<Map<String, Object>> bm25(Collection<Layer> proposing, Set<Node> chunks, LayerRest rest) {
        List<String> layers = proposing.stream().filter(Layer::isWords).map(layer -> layer.title).toList();
        if (rest == null) {
            return bm25(layers, words(question), chunks);
        }
        List<Map<String, Object>> rows = new ArrayList<>(bm25(layers, words(question), rest.of(chunks, true)));
        rows.addAll(bm25(layers, rest.words(), rest.of(chunks, false)));
        return rows;
    }

    private List<Map<String, Object>> bm25(List<String> layers, String words, Collection<Node> chunks) {
        boolean isNothing = layers.isEmpty() || words.isEmpty() || chunks.isEmpty();
        return isNothing ? List.of() : Statement.of("retrieve/parts/layers_words", Corpus.of(chosen)).rows(transaction, Map.of(
                "question", words, "layers", layers, "ids", chunks.stream().map(graph::id).toList()));
    }
}
