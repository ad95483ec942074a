"""Join what belongs together, in parts: similar queries and atoms (``SIMILAR_TO``), synonyms, communities."""

from qcg_neo4j.indexing.build.atoms import AtomReport, build_atoms
from qcg_neo4j.indexing.build.communities import HierarchyReport, build_communities
from qcg_neo4j.indexing.build.indexes import IndexesReport, measure_indexes
from qcg_neo4j.indexing.build.parts import BUILD_PARTS, BuildPart
from qcg_neo4j.indexing.build.queries import BuildReport, build_queries
from qcg_neo4j.indexing.build.settings import (
    AtomSettings,
    BuildSettings,
    CommunitySettings,
    IndexesSettings,
    SynonymSettings,
)
from qcg_neo4j.indexing.build.synonyms import SynonymReport, build_synonyms

__all__ = [
    "BUILD_PARTS",
    "AtomReport",
    "AtomSettings",
    "BuildPart",
    "BuildReport",
    "BuildSettings",
    "CommunitySettings",
    "HierarchyReport",
    "IndexesReport",
    "IndexesSettings",
    "SynonymReport",
    "SynonymSettings",
    "build_atoms",
    "build_communities",
    "build_queries",
    "build_synonyms",
    "measure_indexes",
]
