"""What goes around a method: fusion, expansion, a reranker, MMR, steps; each holds a retriever and is one."""
