package qcg.config;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import qcg.algorithm.Spelling;

/** A checked configuration of a procedure: one of the records that Python declares. */
public interface Config {
    /** The name of the corpus that is asked. */
    String corpus();

    /** Reads a map: of every key the given value, or the default. Unknown keys and values that do not fit are refused. */
    static <C extends Record & Config> C of(Class<C> kind, String procedure, Map<String, Object> given) {
        if (given == null) {
            throw new Refusal(procedure, "the configuration is null, but must be a map such as {}.");
        }
        List<Option> options = Option.ALL.get(procedure); // in the order of the fields
        List<String> names = options.stream().map(Option::key).toList();
        given.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new Refusal(
                    procedure, "there is no configuration key %s. %s", Refusal.shown(name), Spelling.hint(name, names));
        });
        Object[] values = options.stream()
                .map(one -> given.containsKey(one.key()) ? one.checked(given.get(one.key())) : one.defaultValue())
                .toArray();
        try {
            return kind.cast(kind.getConstructors()[0].newInstance(values));
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }

    /** The values by their keys, as statements take them; others can be added. */
    default Map<String, Object> values() {
        Map<String, Object> values = new HashMap<>();
        try {
            for (RecordComponent field : getClass().getRecordComponents()) {
                values.put(field.getName(), field.getAccessor().invoke(this));
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
        return values;
    }
}
