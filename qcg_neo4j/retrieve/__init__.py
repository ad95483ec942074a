"""Retrieval methods as values; `METHODS` has each by the name that the command line uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

from qcg_neo4j.errors import InputError
from qcg_neo4j.retrieve.atomic import Atomic
from qcg_neo4j.retrieve.auto import Auto
from qcg_neo4j.retrieve.expansion import Expanded
from qcg_neo4j.retrieve.fusing import Fused
from qcg_neo4j.retrieve.graphrag import GraphragGlobal, GraphragLocal
from qcg_neo4j.retrieve.kg_cqr import KgCqr
from qcg_neo4j.retrieve.lp import Lp
from qcg_neo4j.retrieve.method import Method
from qcg_neo4j.retrieve.methods import D2q, D2qFiltered, Fulltext, Hybrid, Layers, Qcg, VectorBaseline
from qcg_neo4j.retrieve.multi_step import MultiStep
from qcg_neo4j.retrieve.presets import PAPER, preset_settings
from qcg_neo4j.retrieve.reranking import Diverse, Reranked
from qcg_neo4j.retrieve.scorers import CrossEncoderScorer, EndpointScorer
from qcg_neo4j.retrieve.settings import (
    AtomicSettings,
    AutoSettings,
    GraphragDriftSettings,
    GraphragGlobalSettings,
    GraphragLocalSettings,
    HybridSettings,
    KgCqrSettings,
    LayersSettings,
    LpSettings,
    QcgSettings,
    RetrieveSettings,
    VectorSettings,
)
from qcg_neo4j.settings import from_mapping, nearest

METHODS: dict[str, type[Any]] = {
    kind.name: kind
    for kind in (
        Layers,
        Auto,
        Qcg,
        KgCqr,
        Atomic,
        Lp,
        GraphragLocal,
        GraphragGlobal,
        VectorBaseline,
        Fulltext,
        Hybrid,
        D2q,
        D2qFiltered,
    )
}
DEFAULT_METHOD = Layers.name


def settings_of(name: str) -> type[RetrieveSettings]:
    """The class of the settings of the method of that name."""
    if name not in METHODS:
        raise InputError(f"There is no retrieval method {name!r}.", nearest(name, list(METHODS)))
    kind: type[RetrieveSettings] = get_type_hints(METHODS[name])["settings"]
    return kind


def method(name: str, settings: Mapping[str, Any] | None = None, preset: str = PAPER) -> Method:
    """A method by its name, with settings by their names; the others are the preset's, else they keep their defaults.

    Raises:
        InputError: no such method.
        SettingsError: no such setting or preset, or a value out of its range.
    """
    kind = settings_of(name)
    chosen = {**preset_settings(name, preset), **(settings or {})}
    made: Method = METHODS[name](from_mapping(kind, chosen, name))
    return made


__all__ = [
    "DEFAULT_METHOD",
    "METHODS",
    "Atomic",
    "AtomicSettings",
    "Auto",
    "AutoSettings",
    "CrossEncoderScorer",
    "D2q",
    "D2qFiltered",
    "Diverse",
    "EndpointScorer",
    "Expanded",
    "Fulltext",
    "Fused",
    "GraphragDriftSettings",
    "GraphragGlobal",
    "GraphragGlobalSettings",
    "GraphragLocal",
    "GraphragLocalSettings",
    "Hybrid",
    "HybridSettings",
    "KgCqr",
    "KgCqrSettings",
    "Layers",
    "LayersSettings",
    "Lp",
    "LpSettings",
    "Method",
    "MultiStep",
    "Qcg",
    "QcgSettings",
    "Reranked",
    "RetrieveSettings",
    "VectorBaseline",
    "VectorSettings",
    "method",
    "settings_of",
]
