/** Embedding inside the database: thin procedures over a model that is loaded once, at its first use. */
package qcg.embedding;
