"""Entities that are the same although their names differ: proposed, merged, and parted again."""

from qcg_neo4j.indexing.resolve.merges import merge, merged, part
from qcg_neo4j.indexing.resolve.proposals import Merge, propose
from qcg_neo4j.indexing.resolve.settings import ResolveSettings

__all__ = ["Merge", "ResolveSettings", "merge", "merged", "part", "propose"]
