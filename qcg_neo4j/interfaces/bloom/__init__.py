"""A perspective for Neo4j Bloom and Explore, made from the graph's schema and the statements for people."""

from qcg_neo4j.interfaces.bloom.perspective import VERSIONS, perspective
from qcg_neo4j.interfaces.bloom.phrases import PHRASES, SCENE_ACTIONS

__all__ = ["PHRASES", "SCENE_ACTIONS", "VERSIONS", "perspective"]
