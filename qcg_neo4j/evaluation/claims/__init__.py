"""How many claims answers make, and how different these are (GraphRAG, section 4.2)."""
