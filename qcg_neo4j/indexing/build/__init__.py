"""Join what belongs together, in parts: similar queries and atoms (``SIMILAR_TO``), synonyms, communities."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.indexing.build.communities import HierarchyReport, build_communities
from qcg_neo4j.indexing.build.indexes import IndexesReport, measure_indexes
from qcg_neo4j.indexing.build.joins import (
    AtomReport,
    BuildReport,
    SynonymReport,
    build_atoms,
    build_queries,
    build_synonyms,
)
from qcg_neo4j.indexing.build.settings import (
    AtomSettings,
    BuildSettings,
    CommunitySettings,
    IndexesSettings,
    SynonymSettings,
)

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


@dataclass(frozen=True)
class BuildPart:
    """A part of the build: its stage, which its settings are named after, the kind of nodes it joins, how it runs."""

    stage: str
    kind: str
    run: Callable[..., Any]


BUILD_PARTS: Mapping[str, BuildPart] = {
    "queries": BuildPart("build", "Query", build_queries),
    "communities": BuildPart("communities", "Entity", build_communities),
    "synonyms": BuildPart("synonyms", "Entity", build_synonyms),
    "atoms": BuildPart("atoms", "Atom", build_atoms),
    "indexes": BuildPart("indexes", "Chunk", measure_indexes),
}
