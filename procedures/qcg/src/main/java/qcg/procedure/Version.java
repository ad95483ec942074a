package qcg.procedure;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Properties;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.UserFunction;

/** Which plug-in this is. */
public class Version {
    private static final String VERSION = read();
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

    private static String read() {
        try (InputStream stream = Version.class.getResourceAsStream("/qcg.properties")) {
            Properties properties = new Properties();
            properties.load(stream);
            return properties.getProperty("version");
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
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
