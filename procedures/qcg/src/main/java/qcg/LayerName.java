package qcg;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.SharedWalk.Seed;

/** A name in a question: the entities that bear it, the one of its page, and the chunks that are about it most. */
record LayerName(String name, List<Node> entities, Node entity, List<Map<String, Object>> pages) {

    /** The names in a question that have a page of their own. */
    @SuppressWarnings("unchecked")
    static List<LayerName> in(String question, Map<String, Object> chosen, Transaction transaction) {
        Map<String, Object> values = new HashMap<>(chosen);
        values.put("question", question);
        return Statement.of("retrieve/parts/layers_names", Corpus.of(chosen)).rows(transaction, values).stream()
                .map(row -> new LayerName(
                        (String) row.get("name"),
                        (List<Node>) row.get("entities"),
                        (Node) row.get("entity"),
                        (List<Map<String, Object>>) row.get("pages")))
                .toList();
    }

    /** The chunk that is about it most. */
    Node page() {
        return (Node) pages.get(0).get("chunk");
    }

    /** Where the walk begins for it: so much of it, at its chunks by how much they are about it. */
    Stream<Seed<Node, Node>> seeds(double part, double power) {
        double whole = pages.stream().mapToDouble(page -> weight(page, power)).sum();
        return pages.stream()
                .map(page -> new Seed<>((Node) page.get("chunk"), part * weight(page, power) / whole, (Node) page.get("entity")));
    }

    private static double weight(Map<String, Object> page, double power) {
        return Math.pow(LayerWays.about(page.get("about")), power);
    }
}
