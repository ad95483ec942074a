package qcg.request;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.neo4j.graphdb.Node;
import qcg.algorithm.Spelling;
import qcg.config.RetrieveConfig;

/**
 * The documents that the filter {@code where} permits, by their ids, null for all; how much wider an index must be
 * searched for as many hits, for the size of the graph and for the filter; and from how many wanted candidates on looking
 * at all that is permitted is sooner.
 */
public record Filter(List<?> documents, double widening, double exactFrom) {

    /** What the configuration of a call permits. */
    public static Filter of(Call<? extends RetrieveConfig> call) {
        Object where = call.config().where();
        if (where == null) {
            Node corpus = call.transaction().findNode(call.corpus().mark("Corpus"), "id", "corpus");
            double widening = corpus == null ? 1 : ((Number) corpus.getProperty("widening", 1)).doubleValue();
            return new Filter(null, widening, Double.POSITIVE_INFINITY);
        }
        List<Map<String, Object>> steps = new Where(call).steps(where);
        Map<String, Object> values = new HashMap<>();
        values.put("where", steps);
        values.put("permitted", null);
        Map<String, Object> row = call.rows("retrieve/permitted", values).get(0);
        List<?> unknown = (List<?>) row.get("unknown");
        if (!unknown.isEmpty() && (long) row.get("documents") > 0) {
            String name = (String) unknown.get(0);
            List<String> known = ((List<?>) row.get("known")).stream().map(String.class::cast).toList();
            throw call.refusal("no document has '%s', which the filter names. %s", name, Spelling.hint(name, known));
        }
        return new Filter((List<?>) row.get("permitted"), (double) row.get("widening"), (double) row.get("exactFrom"));
    }

    /** Whether it permits nothing. */
    public boolean isEmpty() {
        return documents != null && documents.isEmpty();
    }

    /** Whether it permits less than all. */
    public boolean isRestricted() {
        return documents != null;
    }

    /** How many candidates an index is asked for; 1 where that is too few, so that all permitted are looked at. */
    public long candidates(long wanted) {
        return wanted > 0 && wanted >= exactFrom ? 1 : (long) Math.ceil(wanted * widening);
    }
}
