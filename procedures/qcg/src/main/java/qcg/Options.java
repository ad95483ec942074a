package qcg;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Transaction;
import qcg.algorithm.Spelling;

/** The keys that the configuration of a procedure may have. */
record Options(List<Option> all) {
    static Options of(Option... all) {
        return new Options(List.of(all));
    }

    /** The values for a procedure's own keys; of the corpus it is known that the database holds it. */
    static Map<String, Object> chosen(String procedure, Map<String, Object> configuration, Transaction transaction) {
        Map<String, Object> chosen = Declared.ALL.get(procedure).read(procedure, configuration);
        Corpus.check(procedure, chosen, transaction);
        return chosen;
    }

    /** The keys. */
    List<String> names() {
        return all.stream().map(Option::name).toList();
    }

    /** The value of every key: the given one, or the default. Unknown keys and values that do not fit are refused. */
    Map<String, Object> read(String procedure, Map<String, Object> configuration) {
        if (configuration == null) {
            throw new Refusal(procedure, "the configuration is null, but must be a map such as {}.");
        }
        List<String> names = names();
        for (String name : configuration.keySet()) {
            if (!names.contains(name)) {
                throw new Refusal(
                        procedure,
                        "there is no configuration key %s. %s",
                        Refusal.shown(name),
                        Spelling.hint(name, names));
            }
        }
        Map<String, Object> values = new LinkedHashMap<>();
        for (Option option : all) {
            Object given = configuration.get(option.name());
            boolean isGiven = configuration.containsKey(option.name());
            values.put(option.name(), isGiven ? option.checked(procedure, given) : option.standard());
        }
        return values;
    }
}
