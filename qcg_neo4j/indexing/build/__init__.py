"""Join what belongs together, in parts: similar queries and atoms (``SIMILAR_TO``), synonyms, communities."""

from qcg_neo4j.indexing.build.atoms import AtomReport, AtomSettings, build_atoms
from qcg_neo4j.indexing.build.communities import CommunitySettings, HierarchyReport, build_communities
from qcg_neo4j.indexing.build.parts import BUILD_PARTS, BuildPart
from qcg_neo4j.indexing.build.queries import BuildReport, BuildSettings, build_queries
from qcg_neo4j.indexing.build.synonyms import SynonymReport, SynonymSettings, build_synonyms

__all__ = [
    "BUILD_PARTS",
    "AtomReport",
    "AtomSettings",
    "BuildPart",
    "BuildReport",
    "BuildSettings",
    "CommunitySettings",
    "HierarchyReport",
    "SynonymReport",
    "SynonymSettings",
    "build_atoms",
    "build_communities",
    "build_queries",
    "build_synonyms",
]
