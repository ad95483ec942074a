package qcg.procedure;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.UserFunction;
import qcg.store.Resource;

/** Which plug-in this is. */
public class Version {
    private static final String VERSION = Resource.text("/qcg.properties").strip().split("=")[1];
    private static final String DIGEST = digestOf(Version.class);

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
}
