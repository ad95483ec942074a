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

/** What the plug-in holds of the graph in memory. */
public class Snapshot extends OnServer {
    private static final String NAME = "qcg.snapshot";

    /** One part of a corpus's graph. */
    public record SnapshotRow(
            @Description("'atoms' for atomic and qcg.pageRank.push, 'triples' for kg-cqr and qcg.paths.") String part,
            @Description("'none', 'being made', 'ready' or 'too large'.") String condition,
            @Description("Whether it is of the graph's present state.") boolean current,
            @Description("Bytes that it takes.") long bytes,
            @Description("Bytes that all copies of the server may take; -Dqcg.memory.snapshot=… sets it.") long limit) {}

    @Procedure(name = NAME, mode = Mode.READ)
    @Description("The copies of a corpus's graph that the plug-in holds in memory. The first call that needs one makes it.")
    public Stream<SnapshotRow> snapshot(
            @Name(value = "configuration", description = SnapshotConfig.KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        Call<SnapshotConfig> call = call(SnapshotConfig.class, NAME, configuration);
        return Copies.ALL.stream()
                .map(kind -> Copies.known(kind, call))
                .map(known -> new SnapshotRow(known.kind(), known.condition(), known.current(), known.bytes(), known.limit()));
    }
}
