"""Readers, a writer, an agent and kills on one graph, for as long as is wanted."""
