"""The one way to the database: connect, read rows by statement path, write rows in batches."""

from qcg_neo4j.graph.address import Address, find_address
from qcg_neo4j.graph.asynchronous import AsyncGraph
from qcg_neo4j.graph.changes import Changes, Written
from qcg_neo4j.graph.connection import Call
from qcg_neo4j.graph.embedder import open_embedder_of, open_question_embedder
from qcg_neo4j.graph.facts import ServerFacts
from qcg_neo4j.graph.graph import Graph
from qcg_neo4j.graph.recorded_model import prefixes_of
from qcg_neo4j.graph.writer import described

__all__ = [
    "Address",
    "AsyncGraph",
    "Call",
    "Changes",
    "Graph",
    "ServerFacts",
    "Written",
    "described",
    "find_address",
    "open_embedder_of",
    "open_question_embedder",
    "prefixes_of",
]
