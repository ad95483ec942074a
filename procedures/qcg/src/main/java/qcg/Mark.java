package qcg;

import org.neo4j.graphdb.Label;

/** The second label of the nodes of a kind: nodes of others may have the first one too. */
final class Mark {
    private static final String MARK = "Qcg";

    private Mark() {}

    /** The label by which nodes of a kind are found. */
    static Label of(String kind) {
        return Label.label(MARK + kind);
    }
}
