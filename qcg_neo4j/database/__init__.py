"""The connection to Neo4j, its statements, its schema, and what has run."""
