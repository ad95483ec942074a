"""The methods by the names that the command line uses, their presets, and what is put around them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, get_type_hints

from qcg_neo4j.core.addresses import shown_address
from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.settings import Settings, from_mapping, nearest, setting
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.around.expansion import EXPANSIONS, Expanded, MultiStep
from qcg_neo4j.retrieval.around.reordered import MOST, RANKS, SCORES, Diverse, Fused, JudgedOrder
from qcg_neo4j.retrieval.around.scorers import CrossEncoderScorer, EndpointScorer, Reranked, Scorer
from qcg_neo4j.retrieval.around.wrapper import Relevant
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


@dataclass(frozen=True)
class AroundSettings(Settings):
    """What is put around a method; ``expand``, ``judge`` and ``steps`` ask a language model or a recording."""

    fuse: str | None = setting(None, "Fuse with these methods in their default settings, such as fulltext,atomic.")
    fuse_by: str = setting(RANKS, "Fuse by reciprocal ranks or by standardized scores.", choices=(RANKS, SCORES))
    expand: str | None = setting(
        None,
        "Expand the question: by a hypothetical passage (hyde), by its entities and sub-questions (terms), or by texts "
        "that are generated from an analysis and a first search, and refined (analyse-generate-refine).",
        choices=EXPANSIONS,
    )
    expand_alpha: float = setting(
        0.5, "Weight of the question; the rest is the hypothetical passage.", minimum=0, maximum=1
    )
    steps: int | None = setting(
        None, "Search, reason and search again in at most this many steps (IRCoT).", minimum=1, maximum=20
    )
    rerank: str | None = setting(
        None, "Reranking model: a CrossEncoder by name or folder, or a model at rerank_endpoint."
    )
    rerank_endpoint: str | None = setting(
        None,
        "Address of a /rerank endpoint (Cohere, Jina, vLLM, Infinity, TEI), such as http://localhost:8000/v1.",
    )
    rerank_candidates: int = setting(50, "Number of passages to rerank.", minimum=1, maximum=1000)
    judge: int | None = setting(
        None,
        "Number of passages ordered by a language model that reads the question with the first one.",
        minimum=2,
        maximum=MOST,
    )
    mmr: float | None = setting(
        None,
        "Prefer diverse passages (maximal marginal relevance); the value is the weight of relevance.",
        minimum=0,
        maximum=1,
    )
    mmr_candidates: int = setting(50, "Number of candidates for MMR.", minimum=1, maximum=1000)
    minimum_relevance: float | None = setting(
        None,
        "Return nothing if the best match in the graph is below this cosine.",
        minimum=-1,
        maximum=1,
    )


def compose(
    name: str,
    settings: Mapping[str, Any],
    around: AroundSettings,
    source: ReplySource | None,
    rerank_key: str | None = None,
) -> Method:
    """The method of that name with these settings, inside what ``around`` says, as `around_method` does.

    Raises:
        InputError: no such method.
        SettingsError: no such setting, a value out of its range, or no language model where one is needed.
    """
    return around_method(method(name, settings), around, source, rerank_key)


def around_method(
    made: Method, around: AroundSettings, source: ReplySource | None, rerank_key: str | None = None
) -> Method:
    """The method, with the language model it may ask, inside what ``around`` says.

    ``rerank_key`` is the key of the reranker's endpoint.

    Raises:
        InputError: no method of a name to fuse with.
        SettingsError: a language model is needed, and none is given.
    """
    made = made.with_source(source)
    if around.fuse:
        others = tuple(method(other.strip()) for other in around.fuse.split(","))
        made = Fused(made, others, around.fuse_by)
    if around.expand:
        made = Expanded(made, _needed(source, "expand"), around.expand, around.expand_alpha)
    if around.rerank or around.rerank_endpoint:
        made = Reranked(made, _scorer(around, rerank_key), candidates=around.rerank_candidates)
    if around.judge:
        made = JudgedOrder(made, candidates=around.judge, source=_needed(source, "judge"))
    if around.mmr is not None:
        made = Diverse(made, around.mmr, candidates=around.mmr_candidates)
    if around.steps:
        made = MultiStep(made, _needed(source, "steps"), around.steps)
    return made if around.minimum_relevance is None else Relevant(made, around.minimum_relevance)


def asks_a_model(made: Method, around: AroundSettings) -> bool:
    """Whether the method asks a language model inside what ``around`` says."""
    return bool(around.expand or around.judge or around.steps or made.asks_model)


def _scorer(around: AroundSettings, key: str | None) -> Scorer:
    if around.rerank_endpoint is None:
        return CrossEncoderScorer(around.rerank or "")
    if around.rerank is None:
        raise SettingsError(
            f"The setting 'rerank_endpoint' is {shown_address(around.rerank_endpoint)!r}, and no model is named.",
            "Name the endpoint's model with 'rerank'.",
        )
    return EndpointScorer(around.rerank_endpoint, around.rerank, key)


def _needed(source: ReplySource | None, what: str) -> ReplySource:
    if source is None:
        raise SettingsError(
            f"The setting {what!r} requires a language model, and none is given.",
            f"Give --llm NAME@URL, or recorded replies, or leave {what!r} out.",
        )
    return source
