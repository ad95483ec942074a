package qcg.procedure;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Configs.SnapshotConfig;
import qcg.memory.Copies;

/** What the plug-in holds of the graph in memory. */
public class Snapshot extends OnServer {
    @Procedure(name = "qcg.snapshot", mode = Mode.READ)
    @Description("The copies of a corpus's graph that the plug-in holds in memory. The first call that needs one makes it.")
    public Stream<Copies.SnapshotRow> snapshot(
            @Name(value = "configuration", description = SnapshotConfig.KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        return Copies.rows(call(SnapshotConfig.class, "qcg.snapshot", configuration));
    }
}
