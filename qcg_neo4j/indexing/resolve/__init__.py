"""Entities that are the same although their names differ: proposed, merged, and split again."""

from qcg_neo4j.indexing.resolve.merges import merge, merged, part
from qcg_neo4j.indexing.resolve.proposals import Merge, ResolveSettings, propose

__all__ = ["Merge", "ResolveSettings", "merge", "merged", "part", "propose"]
