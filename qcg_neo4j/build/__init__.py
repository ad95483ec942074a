"""Join what belongs together, in parts: similar queries (``SIMILAR_TO``), entities in communities."""

from qcg_neo4j.build.communities import CommunitySettings, HierarchyReport, find_communities
from qcg_neo4j.build.queries import BuildReport, BuildSettings, build

__all__ = ["BuildReport", "BuildSettings", "CommunitySettings", "HierarchyReport", "build", "find_communities"]
