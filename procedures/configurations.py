"""The procedures of the plug-in that have a configuration, and the settings that its keys are.

What `qcg.configuration` lists, what the procedures check, and what their descriptions say is made from these
declarations by ``procedures/options.py``.
"""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.core.settings import Settings, like, setting
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.retrieval.atomic_question import AtomicSettings
from qcg_neo4j.retrieval.catalogue import METHODS, settings_of
from qcg_neo4j.retrieval.kg_cqr import KgCqrSettings
from qcg_neo4j.retrieval.lp import LpSettings

PERMITTED = "Ids of the documents that may be used; null for all."


@dataclass(frozen=True)
class BeamSettings(Settings):
    """``qcg.paths.beam``."""

    max_length: int = like(KgCqrSettings, "path_length", maximum=10)
    relationship_types: tuple[str, ...] = setting(("RELATED_TO",), "Relationship types to follow.", minimum=1)
    direction: str = like(KgCqrSettings, "direction", choices=("outgoing", "incoming", "undirected"))
    vector_property: str = setting("embedding", "Property with the vector of a relationship.")
    permitted: tuple[str, ...] | None = setting(None, PERMITTED)
    id_property: str = setting("id", "Property that identifies a relationship; if missing, the element id.")
    beam_width: int = like(KgCqrSettings, "beam_width", maximum=10_000)


@dataclass(frozen=True)
class PageRankSettings(Settings):
    """``qcg.pageRank.push``."""

    damping: float = like(AtomicSettings, "damping")
    tolerance: float = like(AtomicSettings, "tolerance")
    synonyms: bool = like(AtomicSettings, "synonyms")
    atoms_alone: bool = setting(False, "Return atoms only, no entities.")
    best: int = setting(0, "Number of nodes with the highest scores, ties included; 0 = all.", minimum=0)


@dataclass(frozen=True)
class LinkSettings(Settings):
    """``qcg.links.score``."""

    atoms: int = like(LpSettings, "atoms", default=0, help="Atoms at most; 0 for all.", minimum=0, maximum=None)
    selection: str = like(LpSettings, "selection")
    reasons: int = like(LpSettings, "reasons")
    permitted: tuple[str, ...] | None = setting(None, PERMITTED)


@dataclass(frozen=True)
class SnapshotSettings(Settings):
    """``qcg.snapshot``."""


@dataclass(frozen=True)
class EverywhereSettings(Settings):
    """Settings of every procedure; in Python the graph has them."""

    corpus: str = setting(DEFAULT, "Corpus to search.")


PROCEDURES: dict[str, type[Settings]] = {
    **{kind.procedure: settings_of(name) for name, kind in METHODS.items() if kind.procedure},
    "qcg.evidence.atomic": AtomicSettings,
    "qcg.evidence.kgCqr": KgCqrSettings,
    "qcg.paths.beam": BeamSettings,
    "qcg.pageRank.push": PageRankSettings,
    "qcg.links.score": LinkSettings,
    "qcg.snapshot": SnapshotSettings,
}
