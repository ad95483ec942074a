package qcg.procedure;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Declared;
import qcg.memory.Copies;

/** The copy of the graph that the plug-in holds in memory. */
public class Snapshot extends OnServer {
    @Procedure(name = "qcg.snapshot", mode = Mode.READ)
    @Description("The copy of a corpus's atom-entity graph that the plug-in holds in memory. The first call that needs it makes it.")
    public Stream<Copies.SnapshotRow> snapshot(
            @Name(value = "configuration", description = Declared.SNAPSHOT, defaultValue = "{}") Map<String, Object> configuration) {
        return Stream.of(Copies.known(call("qcg.snapshot", configuration)));
    }
}
