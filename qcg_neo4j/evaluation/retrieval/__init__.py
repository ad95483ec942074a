"""Retrieval, measured on questions whose evidence is known: rankings of documents, tokens, latency."""
