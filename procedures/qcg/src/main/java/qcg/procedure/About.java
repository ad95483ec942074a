package qcg.procedure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import org.neo4j.procedure.UserFunction;
import qcg.algorithm.Spelling;
import qcg.config.Configs;
import qcg.config.Configs.SnapshotConfig;
import qcg.config.Option;
import qcg.config.Refusal;
import qcg.memory.Copies;
import qcg.request.Corpus;
import qcg.request.Statement;
import qcg.store.Resource;

/** What the plug-in tells of itself: version, statements, keys of configurations, and what it holds in memory. */
public class About extends OnServer {
    private static final String STATEMENT = "qcg.statement";
    private static final String VERSION = Resource.text("/qcg.properties").strip().split("=")[1];
    private static final String DIGEST = digestOf(About.class);

    @UserFunction("qcg.version")
    @Description("The version of the plug-in; the Python package's is the same.")
    public String version() {
        return VERSION;
    }

    @UserFunction("qcg.digest")
    @Description("SHA-256 of the jar that the server runs: what identifies the plug-in's content.")
    public String digest() {
        return DIGEST;
    }

    /** SHA-256 of the jar that a class was loaded from; null where it comes from a folder of classes. */
    private static String digestOf(Class<?> loaded) {
        try {
            Path jar = Path.of(loaded.getProtectionDomain().getCodeSource().getLocation().toURI());
            if (!Files.isRegularFile(jar)) {
                return null;
            }
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(jar)));
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        } catch (URISyntaxException | NoSuchAlgorithmException error) {
            throw new IllegalStateException(error);
        }
    }

    @UserFunction(STATEMENT)
    @Description("The Cypher text of a statement that the procedures run, for a corpus.")
    public String statement(
            @Name(value = "path", description = "Such as 'retrieve/qcg'.") String path,
            @Name(value = "corpus", description = "The corpus; without it, the default one.", defaultValue = Configs.CORPUS_DEFAULT)
                    String corpus) {
        Corpus asked = Corpus.checked(STATEMENT, corpus == null ? Configs.CORPUS_DEFAULT : corpus, transaction);
        String text = path == null ? null : Statement.textOf(path, asked);
        if (text == null) {
            throw new Refusal(STATEMENT, "there is no statement %s.", Refusal.shown(path));
        }
        return text;
    }

    @Procedure(name = "qcg.configuration", mode = Mode.READ)
    @Description("The keys that the configuration of a procedure may have: what they mean, their defaults and ranges.")
    public Stream<Option> configuration(
            @Name(value = "procedure", description = "Its name; without it, all procedures.", defaultValue = "null")
                    String procedure) {
        // The default of a STRING is text, so what comes without an argument is the word.
        boolean every = procedure == null || procedure.equals("null");
        if (!every && !Option.ALL.containsKey(procedure)) {
            throw new Refusal(
                    "qcg.configuration",
                    "there is no procedure %s with a configuration. %s",
                    Refusal.shown(procedure),
                    Spelling.hint(procedure, Option.ALL.keySet()));
        }
        return every ? Option.ALL.values().stream().flatMap(List::stream) : Option.ALL.get(procedure).stream();
    }

    @Procedure(name = "qcg.snapshot", mode = Mode.READ)
    @Description("The copy of a corpus's atom-entity graph that the plug-in holds in memory. The first call that needs it makes it.")
    public Stream<Copies.SnapshotRow> snapshot(
            @Name(value = "configuration", description = SnapshotConfig.KEYS, defaultValue = "{}") Map<String, Object> configuration) {
        return Stream.of(Copies.known(call(SnapshotConfig.class, "qcg.snapshot", configuration)));
    }
}
