package qcg.request;

import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Transaction;
import qcg.config.Config;
import qcg.config.Reading;
import qcg.config.Refusal;

/** A call of a procedure: its name, its checked configuration, the corpus that it asks, and its transaction. */
public record Call<C extends Config>(String procedure, C config, Corpus corpus, Transaction transaction) {
    /** The call; refuses a configuration that does not fit, and a corpus that the database lacks. */
    public static <C extends Record & Config> Call<C> of(
            Class<C> kind, String procedure, Map<String, Object> configuration, Transaction transaction) {
        C config = Reading.read(kind, procedure, configuration);
        return new Call<>(procedure, config, Corpus.checked(procedure, config.corpus(), transaction), transaction);
    }

    /** The rows of a statement for those of the values that it declares as parameters. */
    public List<Map<String, Object>> rows(String path, Map<String, Object> values) {
        return Statement.of(path, corpus).rows(transaction, values);
    }

    /** The configuration as values of parameters. */
    public Map<String, Object> values() {
        return Reading.values((Record) config);
    }

    /** An error that names the procedure. */
    public Refusal refusal(String problem, Object... values) {
        return new Refusal(procedure, problem, values);
    }
}
