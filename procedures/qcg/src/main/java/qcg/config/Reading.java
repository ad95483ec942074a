package qcg.config;

import java.lang.reflect.RecordComponent;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import qcg.algorithm.Spelling;
import qcg.store.Resource;

/** Reads configurations, which are maps, into records; the table that Python writes says what their keys may be. */
public final class Reading {
    private static final Map<String, List<Option>> OPTIONS = Resource.table("/options.tsv").stream() // by records
            .collect(Collectors.groupingBy(cells -> cells[0], Collectors.mapping(Option::of, Collectors.toList())));

    private Reading() {}

    /** The keys of a configuration. */
    public static List<Option> options(Class<? extends Record> kind) {
        return OPTIONS.get(kind.getSimpleName());
    }

    /** The configuration: of every key the given value, or the default. Unknown keys and values that do not fit are refused. */
    public static <C extends Record> C read(Class<C> kind, String procedure, Map<String, Object> given) {
        if (given == null) {
            throw new Refusal(procedure, "the configuration is null, but must be a map such as {}.");
        }
        List<Option> options = options(kind);
        List<String> names = options.stream().map(Option::name).toList();
        given.keySet().stream().filter(name -> !names.contains(name)).findFirst().ifPresent(name -> {
            throw new Refusal(
                    procedure, "there is no configuration key %s. %s", Refusal.shown(name), Spelling.hint(name, names));
        });
        return made(kind, options.stream()
                .map(option -> given.containsKey(option.name())
                        ? option.checked(procedure, given.get(option.name()))
                        : option.standard())
                .toArray());
    }

    /** The values by their keys, as statements take them. */
    public static Map<String, Object> values(Record config) {
        Map<String, Object> values = new HashMap<>();
        try {
            for (RecordComponent component : config.getClass().getRecordComponents()) {
                values.put(component.getName(), component.getAccessor().invoke(config));
            }
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
        return values;
    }

    private static <C extends Record> C made(Class<C> kind, Object[] values) {
        try {
            return kind.cast(kind.getConstructors()[0].newInstance(values));
        } catch (ReflectiveOperationException error) {
            throw new IllegalStateException(error);
        }
    }
}
