package qcg.procedure;

import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.config.Configs.SnapshotConfig;
import qcg.memory.Copies;
import qcg.request.Call;

/** The copy of the graph that the plug-in holds in memory. */
public class Snapshot extends OnServer {
    private static final String NAME = "qcg.snapshot";

    /** What is known of the copy. */
    public record SnapshotRow(
            @Description("'none', 'being made', 'ready' or 'too large'.") String condition,
            @Description("Whether it is of the graph's present state.") boolean current,
            @Description("Bytes that it takes.") long bytes,
            @Description("Bytes that all copies of the server may take; -Dqcg.memory.snapshot=… sets it.") long limit) {}

    @Procedure(name = NAME, mode = Mode.READ)
    @Description("The copy of a corpus's atom-entity graph that the plug-in holds in memory. The first call that needs it makes it.")
    public Stream<SnapshotRow> snapshot(
            @Name(value = "configuration", description = SnapshotConfig.KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        Call<SnapshotConfig> call = Call.of(SnapshotConfig.class, NAME, configuration, transaction);
        Copies.Known known = Copies.known(call, database);
        return Stream.of(new SnapshotRow(known.condition(), known.current(), known.bytes(), known.limit()));
    }
}
