"""Answers of several systems side by side, as a judge sees them (GraphRAG, sections 3.3 and 4.1)."""
