"""The methods by the names that the command line uses, and their presets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_type_hints

from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.settings import from_mapping, nearest
from qcg_neo4j.retrieval.atomic import Atomic
from qcg_neo4j.retrieval.auto import Auto
from qcg_neo4j.retrieval.baselines import D2q, D2qFiltered, Fulltext, Hybrid, VectorBaseline
from qcg_neo4j.retrieval.graphrag import GraphragGlobal, GraphragLocal
from qcg_neo4j.retrieval.kg_cqr import KgCqr
from qcg_neo4j.retrieval.layers import Layers
from qcg_neo4j.retrieval.lp import Lp
from qcg_neo4j.retrieval.method import Method, RetrieveSettings
from qcg_neo4j.retrieval.qcg import Qcg

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
PRESET = "preset"  # the key in a file of systems
DEFAULT, PAPER, TUNED = "default", "paper", "tuned"
# The papers' settings, where the defaults leave something of the paper out; by method.
PAPER_SETTINGS: Mapping[str, Mapping[str, Any]] = {name: kind.paper for name, kind in METHODS.items() if kind.paper}
# The tuned settings did better than the papers' on LiHua-World and MuSiQue-100, one setting for both; by method.
TUNED_SETTINGS: Mapping[str, Mapping[str, Any]] = {name: kind.tuned for name, kind in METHODS.items() if kind.tuned}
# Presets that some methods have: these, and a paper's settings for one of its data sets; by preset and method.
OF_SOME: Mapping[str, Mapping[str, Mapping[str, Any]]] = {
    TUNED: TUNED_SETTINGS,
    **{preset: {Qcg.name: settings} for preset, settings in Qcg.data_sets.items()},
}
PRESETS = (DEFAULT, PAPER, *OF_SOME)


def settings_of(name: str) -> type[RetrieveSettings]:
    """The class of the settings of the method of that name."""
    if name not in METHODS:
        raise InputError(f"There is no retrieval method {name!r}.", nearest(name, list(METHODS)))
    kind: type[RetrieveSettings] = get_type_hints(METHODS[name])["settings"]
    return kind


def method(name: str, settings: Mapping[str, Any] | None = None, preset: str = DEFAULT) -> Method:
    """A method by its name, with settings by their names; the others are the preset's, else they keep their defaults.

    Raises:
        InputError: no such method.
        SettingsError: no such setting or preset, or a value out of its range.
    """
    kind = settings_of(name)
    chosen = {**preset_settings(name, preset), **(settings or {})}
    made: Method = METHODS[name](from_mapping(kind, chosen, name))
    return made


def preset_settings(name: str, preset: str) -> dict[str, Any]:
    """The settings of a preset of the method of that name.

    ``default`` has none, nor has ``paper`` where the defaults are the paper's.

    Raises:
        SettingsError: there is no such preset, or the method has none of that name.
    """
    if preset == DEFAULT:
        return {}
    if preset == PAPER:
        return dict(PAPER_SETTINGS.get(name, {}))
    if not isinstance(preset, str) or preset not in PRESETS:
        raise SettingsError(f"There is no preset {preset!r}.", nearest(str(preset), list(PRESETS)))
    having = OF_SOME[preset]
    if name not in having:
        raise SettingsError(f"The method {name} has no preset {preset!r}.", f"These have: {', '.join(having)}.")
    return dict(having[name])


def with_preset(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a method, over those of the preset that the key ``preset`` among them names.

    Raises:
        SettingsError: there is no such preset, or the method has none of that name.
    """
    given = dict(settings)
    preset = given.pop(PRESET, DEFAULT)
    return {**preset_settings(name, preset), **given}
