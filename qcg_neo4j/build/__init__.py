"""Join what belongs together, in parts: similar queries (``SIMILAR_TO``), synonyms (``SYNONYM_OF``), communities."""

from qcg_neo4j.build.communities import CommunitySettings, HierarchyReport, find_communities
from qcg_neo4j.build.queries import BuildReport, BuildSettings, build
from qcg_neo4j.build.synonyms import SynonymReport, SynonymSettings, build_synonyms

__all__ = [
    "BuildReport",
    "BuildSettings",
    "CommunitySettings",
    "HierarchyReport",
    "SynonymReport",
    "SynonymSettings",
    "build",
    "build_synonyms",
    "find_communities",
]
