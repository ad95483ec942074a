package qcg.procedure;

import java.util.List;
import java.util.stream.Stream;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;
import qcg.algorithm.Spelling;
import qcg.config.Option;
import qcg.config.Refusal;

/** What the configurations of the procedures may hold. */
public class Configurations {
    /** A key of a configuration. */
    public record KeyRow(
            @Description("The procedure.") String procedure,
            @Description("The key in its configuration.") String key,
            @Description("The type of the value.") String type,
            @Description("The value without the key.") Object defaultValue,
            @Description("The least value; null without one.") Number minimum,
            @Description("The greatest value; null without one.") Number maximum,
            @Description("The values that are possible; null where others are too.") List<String> choices,
            @Description("What it means.") String meaning) {}

    @Procedure(name = "qcg.configuration", mode = Mode.READ)
    @Description("The keys that the configuration of a procedure may have: what they mean, their defaults and ranges.")
    public Stream<KeyRow> configuration(
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
        return Option.ALL.entrySet().stream()
                .filter(entry -> every || entry.getKey().equals(procedure))
                .flatMap(entry -> entry.getValue().stream().map(option -> row(entry.getKey(), option)));
    }

    private static KeyRow row(String procedure, Option option) {
        return new KeyRow(
                procedure,
                option.name(),
                option.cypherType(),
                option.standard(),
                option.minimum(),
                option.maximum(),
                option.choices(),
                option.meaning());
    }
}
