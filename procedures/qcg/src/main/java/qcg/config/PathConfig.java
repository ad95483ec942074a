package qcg.config;

import java.util.List;

/** What the searches for paths share. */
public interface PathConfig extends Config {
    /** How many relationships a path has at most. */
    long maxLength();

    /** The types of relationships that are followed. */
    List<String> relationshipTypes();

    /** Which way they are followed: outgoing, incoming or undirected. */
    String direction();

    /** The property with a relationship's vector. */
    String vectorProperty();

    /** The property that tells relationships apart. */
    String idProperty();

    /** The ids of the documents that may be used; null for all. */
    List<String> permitted();
}
