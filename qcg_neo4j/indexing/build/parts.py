"""The parts of a build by their names: what each joins, the stage it is recorded as, and its settings."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.settings import Settings
from qcg_neo4j.indexing.build.atoms import build_atoms
from qcg_neo4j.indexing.build.communities import build_communities
from qcg_neo4j.indexing.build.indexes import measure_indexes
from qcg_neo4j.indexing.build.queries import build_queries
from qcg_neo4j.indexing.build.settings import (
    AtomSettings,
    BuildSettings,
    CommunitySettings,
    IndexesSettings,
    SynonymSettings,
)
from qcg_neo4j.indexing.build.synonyms import build_synonyms


@dataclass(frozen=True)
class BuildPart:
    """A part of the build: its stage, which is its table of settings too, the kind of nodes it joins, how it runs."""

    stage: str
    kind: str
    settings: type[Settings]
    run: Callable[..., Any]


BUILD_PARTS: Mapping[str, BuildPart] = {
    "queries": BuildPart("build", "Query", BuildSettings, build_queries),
    "communities": BuildPart("communities", "Entity", CommunitySettings, build_communities),
    "synonyms": BuildPart("synonyms", "Entity", SynonymSettings, build_synonyms),
    "atoms": BuildPart("atoms", "Atom", AtomSettings, build_atoms),
    "indexes": BuildPart("indexes", "Chunk", IndexesSettings, measure_indexes),
}
