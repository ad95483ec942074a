"""The methods as retrievers of other frameworks: neo4j-graphrag, LangChain, LlamaIndex; each has a module."""
