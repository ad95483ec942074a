package qcg;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.List;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.Path;
import org.neo4j.graphdb.Relationship;
import qcg.algorithm.Edge;
import qcg.algorithm.Trail;

/** A found path as the database hands it out. */
record StoredPath(List<Node> nodes, List<Relationship> relationships) implements Path {
    static StoredPath of(Trail<Node, Relationship> trail) {
        List<Node> nodes = new ArrayList<>();
        List<Relationship> relationships = new ArrayList<>();
        nodes.add(trail.source());
        for (Edge<Node, Relationship> edge : trail.edges()) {
            relationships.add(edge.relationship());
            nodes.add(edge.target());
        }
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
