package qcg.store;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.neo4j.graphdb.Direction;
import org.neo4j.graphdb.Entity;
import org.neo4j.graphdb.Node;
import org.neo4j.graphdb.NotFoundException;
import org.neo4j.graphdb.Relationship;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.procedure.TerminationGuard;

/** Reads of what another transaction may have deleted since it was found: it holds nothing, as Cypher has it. */
public final class Present {
    private Present() {}

    /** What {@code read} gives; {@code gone} where what it reads of has been deleted. */
    public static <T> T read(Supplier<T> read, T gone) {
        try {
            return read.get();
        } catch (NotFoundException deleted) {
            return gone;
        }
    }

    /** A property; null without it. */
    public static Object property(Entity entity, String name) {
        return read(() -> entity.getProperty(name, null), null);
    }

    /** A node's relationships of these types. */
    public static List<Relationship> relationships(
            Node node, Direction direction, TerminationGuard guard, RelationshipType... types) {
        List<Relationship> found = new ArrayList<>();
        return read(() -> {
            try (var relationships = node.getRelationships(direction, types)) {
                for (Relationship relationship : relationships) {
                    guard.check();
                    found.add(relationship);
                }
            }
            return found;
        }, found);
    }
}
