"""Named settings of the papers' methods: ``paper``, which are their defaults, and ``tuned``.

The tuned ones did better than the paper's on LiHua-World and MuSiQue-100, one setting for both; the README's results
show both columns.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from qcg_neo4j.errors import SettingsError
from qcg_neo4j.settings import nearest

PRESET = "preset"  # the key in a file of systems
PAPER, TUNED = "paper", "tuned"

# By method, what differs from the defaults.
TUNED_SETTINGS: Mapping[str, Mapping[str, Any]] = {
    # A chunk's score is that of its best query, as an exact search over all queries has it.
    "qcg": {"hops": 0, "queries": 200, "minimum_score": 0.0, "aggregation": "max"},
    # The triples as a layer of their own, instead of a context in which most triples are from other documents.
    "kg-cqr": {"search": "layers", "context": "none"},
    # The entities of exactly the question's names; what is for chains counts where `analysis` finds a question complex.
    "atomic": {"entity_floor": 0.9, "atom_weight": 1.0, "chain_atom_weight": 0.01, "chain_damping": 0.5},
    "graphrag-local": {"ranking": "relation", "entities": 50},
    "graphrag-global": {"level": 1, "reports": 20},
}


def preset_settings(name: str, preset: str) -> dict[str, Any]:
    """The settings of a preset of the method of that name; ``paper`` has none, for these are the defaults.

    Raises:
        SettingsError: there is no such preset, or the method has none of that name.
    """
    if preset == PAPER:
        return {}
    if preset != TUNED:
        raise SettingsError(f"There is no preset {preset!r}.", nearest(str(preset), [PAPER, TUNED]))
    if name not in TUNED_SETTINGS:
        raise SettingsError(f"The method {name} has no preset {preset!r}.", f"These have: {', '.join(TUNED_SETTINGS)}.")
    return dict(TUNED_SETTINGS[name])


def with_preset(name: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings of a method, over those of the preset that the key ``preset`` among them names.

    Raises:
        SettingsError: there is no such preset, or the method has none of that name.
    """
    given = dict(settings)
    preset = given.pop(PRESET, PAPER)
    return {**preset_settings(name, preset), **given}
