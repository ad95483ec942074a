package qcg;

import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.neo4j.graphdb.Label;
import org.neo4j.graphdb.RelationshipType;
import org.neo4j.graphdb.Transaction;
import org.neo4j.graphdb.schema.IndexDefinition;
import qcg.algorithm.Spelling;

/** One of several corpora in a database: its marks, indexes and relations end in its name; the default one has none. */
record Corpus(String name) {
    static final String KEY = "corpus";
    static final String RELATED_TO = "RELATED_TO";
    private static final String MARK = "Qcg"; // begins the second label of our nodes: others may have the first one too
    private static final String DEFAULT = Declared.CORPUS_DEFAULT;
    private static final String BETWEEN = "__";
    private static final String KNOWN_BY = "qcg_corpus_id"; // a constraint that every corpus has
    private static final Pattern NAME = Pattern.compile(Declared.CORPUS_NAME);
    private static final Pattern OWN = Pattern.compile(Declared.CORPUS_OWN);

    /** No other name becomes a part of Cypher. */
    Corpus {
        if (!isName(name)) {
            throw new IllegalArgumentException("no name of a corpus: " + name);
        }
    }

    /** The corpus that a checked configuration names. */
    static Corpus of(Map<String, Object> configuration) {
        return new Corpus((String) configuration.get(KEY));
    }

    /** Refuses what is no name of a corpus, or of none that the database holds. */
    static void check(String procedure, Map<String, Object> configuration, Transaction transaction) {
        String name = (String) configuration.get(KEY);
        if (!isName(name)) {
            throw new Refusal(
                    procedure,
                    "%s is no name of a corpus: that is lower-case letters, digits and single low lines, at most %d.",
                    Refusal.shown(name),
                    Declared.CORPUS_LONGEST);
        }
        if (!name.equals(DEFAULT)) {
            Set<String> known = known(transaction);
            if (!known.contains(name)) {
                throw new Refusal(procedure, "the database has no corpus %s. %s", Refusal.shown(name), Spelling.hint(name, known));
            }
        }
    }

    private static boolean isName(String name) {
        return name.length() <= Declared.CORPUS_LONGEST && NAME.matcher(name).matches();
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
    Label mark(String kind) {
        return Label.label(MARK + kind + suffix());
    }

    /** A type of relationships; that of triples is each corpus's own, because relationships have no mark. */
    RelationshipType type(String type) {
        return RelationshipType.withName(type.equals(RELATED_TO) ? type + suffix() : type);
    }

    /** The type as people know it. */
    String shown(String type) {
        return type.equals(RELATED_TO + suffix()) ? RELATED_TO : type;
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
