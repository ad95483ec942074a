package qcg;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Mode;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.Procedure;

/** LP-RAG's retrieval, as {@link Retrieve} has that of the other methods. */
public class RetrieveLp {
    @Context
    public Transaction transaction;

    @Procedure(name = "qcg.retrieve.lp", mode = Mode.READ)
    @Description("The best chunks for a question by the atoms that the graph's link predictor ranks best (LP-RAG).")
    public Stream<Retrieve.PassageRow> lp(
            @Name(value = "question", description = Retrieve.QUESTION) Object question,
            @Name(value = "configuration", description = Declared.LP_KEYS, defaultValue = "{}")
                    Map<String, Object> configuration) {
        String name = "qcg.retrieve.lp";
        Map<String, Object> chosen = Options.chosen(name, configuration, transaction);
        Map<String, Object> values = new HashMap<>(chosen);
        if (!Permission.resolve(name, values, transaction)) {
            return Stream.empty();
        }
        values.put("candidates", Permission.candidates((long) chosen.get("candidates"), values));
        values.put("questionVector", Question.of(name, question, chosen).neededVector(transaction));
        List<Map<String, Object>> found = Statement.of("retrieve/parts/lp_evidence", Corpus.of(chosen)).rows(transaction, values);
        List<Map<String, Object>> atoms = found.isEmpty() ? List.of() : atoms(found.get(0));
        List<Map<String, Object>> rows = StatedBy.rows(atoms, (long) chosen.get("passages"));
        boolean isFiltered = chosen.get("where") != null;
        rows = Retrieve.within(rows, (long) chosen.get("contextTokens"));
        return Retrieve.asGraph(rows, isFiltered, Corpus.of(chosen), transaction);
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> atoms(Map<String, Object> row) {
        return (List<Map<String, Object>>) row.get("atoms");
    }
}
