package qcg.request;

import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.schema.IndexDefinition;
import qcg.algorithm.Spelling;
import qcg.config.Configs;
import qcg.config.Refusal;

/** One of several corpora in a database: its marks, indexes and relations end in its name; the default one has none. */
public record Corpus(String name) {
    public static final String RELATED_TO = "RELATED_TO";
    private static final String MARK = Configs.CORPUS_MARK; // begins the second label of our nodes: others may have the first
    private static final String DEFAULT = Configs.CORPUS_DEFAULT;
    private static final String BETWEEN = "__";
    private static final String KNOWN_BY = "qcg_corpus_id"; // a constraint that every corpus has
    private static final Pattern NAME = Pattern.compile(Configs.CORPUS_NAME);
    private static final Pattern OWN = Pattern.compile(Configs.CORPUS_OWN);

    /** The corpus of a name; refuses what is no name, or that of none that the database holds. */
    public static Corpus checked(String procedure, String name, Transaction transaction) {
        if (name.length() > Configs.CORPUS_LONGEST || !NAME.matcher(name).matches()) { // no other becomes a part of Cypher
            throw new Refusal(
                    procedure,
                    "%s is not a valid name of a corpus: lower-case letters, digits and single underscores, at most %d.",
                    Refusal.shown(name),
                    Configs.CORPUS_LONGEST);
        }
        if (!name.equals(DEFAULT)) {
            Set<String> known = known(transaction);
            if (!known.contains(name)) {
                throw new Refusal(procedure, "the database has no corpus %s. %s", Refusal.shown(name), Spelling.hint(name, known));
            }
        }
        return new Corpus(name);
    }

    private static Set<String> known(Transaction transaction) {
        Set<String> known = new TreeSet<>();
        for (IndexDefinition index : transaction.schema().getIndexes()) {
            if (index.getName().equals(KNOWN_BY)) {
                known.add(DEFAULT);
            } else if (index.getName().startsWith(KNOWN_BY + BETWEEN)) {
                known.add(index.getName().substring((KNOWN_BY + BETWEEN).length()));
            }
        }
        return known;
    }

    /** The label by which nodes of a kind are found. */
    public Label mark(String kind) {
        return Label.label(MARK + kind + suffix());
    }

    /** A type of relationships; that of triples is each corpus's own, because relationships have no mark. */
    public RelationshipType type(String type) {
        return RelationshipType.withName(type.equals(RELATED_TO) ? type + suffix() : type);
    }

    /** The text of a statement, which is for the default corpus, for this one. */
    String translated(String text) {
        if (suffix().isEmpty()) {
            return text;
        }
        return OWN.matcher(text)
                .replaceAll(found -> found.group() + suffix())
                .replace(chosen(DEFAULT), chosen(name));
    }

    private static String chosen(String corpus) {
        return "corpus: '" + corpus + "'";
    }

    private String suffix() {
        return name.equals(DEFAULT) ? "" : BETWEEN + name;
    }
}
