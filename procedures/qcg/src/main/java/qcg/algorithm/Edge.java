package qcg.algorithm;

/** A relationship that leads on from a node: its id and its score for the question, and the node it leads to. */
public record Edge<N, R>(R relationship, Id id, double score, N target) {}
