package qcg.config;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import qcg.algorithm.Spelling;

/** A checked configuration of a procedure: of every key the given value, or the default. Statements take it as parameters. */
public record Config(Map<String, Object> values) {
    /** Reads what was given; unknown keys and values that do not fit are refused. */
    public static Config of(String procedure, Map<String, Object> given) {
        if (given == null) {
            throw new Refusal(procedure, "the configuration is null, but must be a map such as {}.");
        }
        List<Option> options = Option.ALL.get(procedure);
        List<String> names = options.stream().map(Option::key).toList();
        given.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new Refusal(
                    procedure, "there is no configuration key %s. %s", Refusal.shown(name), Spelling.hint(name, names));
        });
        Map<String, Object> values = new HashMap<>();
        for (Option option : options) {
            String key = option.key();
            values.put(key, given.containsKey(key) ? option.checked(given.get(key)) : option.defaultValue());
        }
        return new Config(values);
    }

    /** A value that is a whole number. */
    public long whole(String key) {
        return (long) values.get(key);
    }

    /** A value that is a number. */
    public double number(String key) {
        return (double) values.get(key);
    }

    /** A value that is a text. */
    public String text(String key) {
        return (String) values.get(key);
    }

    /** A value that is true or false. */
    public boolean isTrue(String key) {
        return (boolean) values.get(key);
    }

    /** A value that is a list of texts; null where none is given. */
    @SuppressWarnings("unchecked")
    public List<String> texts(String key) {
        return (List<String>) values.get(key);
    }
}
