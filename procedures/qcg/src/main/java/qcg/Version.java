package qcg;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.UserFunction;

/** Which plug-in this is. */
public class Version {
    private static final String VERSION = read();

    @UserFunction("qcg.version")
    @Description("The version of the plug-in; the Python package's is the same.")
    public String version() {
        return VERSION;
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
}
