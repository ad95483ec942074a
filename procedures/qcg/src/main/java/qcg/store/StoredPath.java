package qcg.store;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.graphdb.Relationship;

/** A found path as the database hands it out. */
public record StoredPath(List<Node> nodes, List<Relationship> relationships) implements Path {
    /** Two paths as one, where the second begins at the node that the first ends at. */
    public static StoredPath joined(Path first, Path second) {
        List<Node> nodes = new ArrayList<>();
        List<Relationship> relationships = new ArrayList<>();
        for (Path path : List.of(first, second)) {
            path.nodes().forEach(nodes::add);
            path.relationships().forEach(relationships::add);
        }
        nodes.remove(first.length());
        return new StoredPath(nodes, relationships);
    }

    @Override
    public Node startNode() {
        return nodes.get(0);
    }

    @Override
    public Node endNode() {
        return nodes.get(nodes.size() - 1);
    }

    @Override
    public Relationship lastRelationship() {
        return relationships.isEmpty() ? null : relationships.get(relationships.size() - 1);
    }

    @Override
    public Iterable<Relationship> reverseRelationships() {
        return reversed(relationships);
    }

    @Override
    public Iterable<Node> reverseNodes() {
        return reversed(nodes);
    }

    @Override
    public int length() {
        return relationships.size();
    }

    @Override
    public Iterator<Entity> iterator() {
        List<Entity> entities = new ArrayList<>();
        for (int place = 0; place < relationships.size(); place++) {
            entities.add(nodes.get(place));
            entities.add(relationships.get(place));
        }
        entities.add(endNode());
        return entities.iterator();
    }

    private static <T> List<T> reversed(List<T> items) {
        List<T> copy = new ArrayList<>(items);
        Collections.reverse(copy);
        return copy;
    }
}
