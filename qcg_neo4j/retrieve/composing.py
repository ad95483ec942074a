"""A method with what it needs: its settings, a language model, and the retrievers that hold it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from qcg_neo4j.errors import SettingsError
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve import method
from qcg_neo4j.retrieve.atomic import Atomic
from qcg_neo4j.retrieve.expansion import HYDE, TERMS, Expanded
from qcg_neo4j.retrieve.kg_cqr import KgCqr
from qcg_neo4j.retrieve.method import Method
from qcg_neo4j.retrieve.multi_step import MultiStep
from qcg_neo4j.settings import Settings, setting


@dataclass(frozen=True)
class AroundSettings(Settings):
    """What is put around a method; everything here asks a language model, or a recording of one."""

    expand: str | None = setting(
        None,
        "Search with more than the question: a hypothetical passage (hyde), or its entities and sub-questions (terms).",
        choices=(HYDE, TERMS),
    )
    expand_alpha: float = setting(0.5, "Share of the question beside the hypothetical passage.", minimum=0, maximum=1)
    steps: int | None = setting(
        None, "Search, think and search again in at most so many steps (IRCoT).", minimum=1, maximum=20
    )


def compose(name: str, settings: Mapping[str, Any], around: AroundSettings, source: ReplySource | None) -> Method:
    """The method of that name, with the language model it may ask, inside what ``around`` says.

    Raises:
        InputError: no such method.
        SettingsError: no such setting, a value out of its range, or no language model where one is needed.
    """
    made = method(name, settings)
    if isinstance(made, KgCqr | Atomic):
        made = replace(made, source=source)
    if around.expand:
        made = Expanded(made, _needed(source, "expand"), around.expand, around.expand_alpha)
    if around.steps:
        made = MultiStep(made, _needed(source, "steps"), around.steps)
    return made


def asks_a_model(name: str, settings: Mapping[str, Any], around: AroundSettings) -> bool:
    """Whether such a method asks a language model."""
    return bool(around.expand or around.steps or asks(method(name, settings)))


def asks(made: Method) -> bool:
    """Whether this method, or one that it holds, asks a language model."""
    if isinstance(made, Expanded | MultiStep):
        return True
    inner = getattr(made, "retriever", None)
    return asks(inner) if inner else isinstance(made, KgCqr | Atomic) and made.asks_model()


def _needed(source: ReplySource | None, what: str) -> ReplySource:
    if source is None:
        raise SettingsError(
            f"The setting {what!r} asks a language model, and none is given.",
            f"Give --language-model-endpoint and --language-model, or recorded replies, or leave {what!r} out.",
        )
    return source
