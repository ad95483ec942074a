package qcg.procedure;

import org.neo4j.graphdb.Transaction;
import org.neo4j.procedure.Context;
import org.neo4j.procedure.Description;
import org.neo4j.procedure.Name;
import org.neo4j.procedure.UserFunction;
import qcg.config.Declared;
import qcg.config.Refusal;
import qcg.request.Corpus;
import qcg.request.Statement;

/** The statements of retrieval, to be read and run by hand. */
public class Statements {
    private static final String NAME = "qcg.statement";

    @Context
    public Transaction transaction;

    @UserFunction(NAME)
    @Description("The Cypher text of a statement that the procedures run, for a corpus.")
    public String statement(
            @Name(value = "path", description = "Such as 'retrieve/qcg'.") String path,
            @Name(value = "corpus", description = "The corpus; without it, the default one.", defaultValue = Declared.CORPUS_DEFAULT)
                    String corpus) {
        Corpus asked = Corpus.checked(NAME, corpus == null ? Declared.CORPUS_DEFAULT : corpus, transaction);
        String text = path == null ? null : Statement.textOf(path, asked);
        if (text == null) {
            throw new Refusal(NAME, "there is no statement %s.", Refusal.shown(path));
        }
        return text;
    }
}
