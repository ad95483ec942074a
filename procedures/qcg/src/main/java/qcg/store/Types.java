package qcg.store;

import org.neo4j.graphdb.RelationshipType;

/** The types of relationships that all corpora share. */
public enum Types implements RelationshipType {
    FROM_DOCUMENT,
    FROM_CHUNK,
    SAME_TEXT_AS,
    MENTIONS,
    SYNONYM_OF,
    SIMILAR_TO
}
