"""Graph retrieval-augmented generation that lives inside Neo4j."""
