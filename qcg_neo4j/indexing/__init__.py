"""From documents to a graph that answers questions: a folder per stage, and `run` for all of them."""
