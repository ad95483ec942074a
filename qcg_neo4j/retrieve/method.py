"""What a retrieval method is: a value that turns a question into one call of a statement, and rows into evidence."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from qcg_neo4j.errors import InputError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.records import Evidence, Passage, Step
from qcg_neo4j.retrieve.settings import RetrieveSettings

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vector = NDArray[np.float32]

NO_ATOMS = "the graph holds no atoms; make them with `qcg extract`, then `qcg build`"
LONGEST_QUESTION = 20_000  # characters; more is a document by mistake


class Method(Protocol):
    """A retrieval method; all but those that hold another or ask a model are one statement."""

    @property
    def name(self) -> str:
        """What tables and evidence call it."""

    @property
    def needs_vector(self) -> bool:
        """Whether the question's embedding is looked at."""

    @property
    def settings(self) -> RetrieveSettings:
        """The settings of this value of the method."""

    def with_settings(self, settings: Any) -> Method:
        """The same method with other settings of its class."""

    def call(self, question: str, vector: Vector | None) -> Call:
        """The statement and its parameters for a question and its embedding (None where it is not needed)."""

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question; ``vector`` is its embedding where the caller already has it."""


def retrieve(method: Method, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
    """Ask the graph: one round trip when the question's embedding is given or not needed.

    Raises:
        InputError: the question is empty or longer than `LONGEST_QUESTION` characters.
        ModelMismatchError: the graph was made with another embedding model.
    """
    question = checked_question(question)
    start = time.perf_counter()
    if method.needs_vector and vector is None:
        vector = graph.embed_question(question)
    rows = graph.rows_of(method.call(question, vector))
    passages, notes = within([passage(row) for row in rows], method.settings.context_tokens)
    notes = notes if rows else why_nothing(method, graph)
    return Evidence(question, method.name, passages, asdict(method.settings), time.perf_counter() - start, notes)


def why_nothing(method: Method, graph: Graph) -> tuple[str, ...]:
    """A word on why nothing was found, where the graph lacks what the method looks at."""
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    if not counts["Chunk"]:
        return ("the graph holds no documents; load some with `qcg load`",)
    if method.name == "qcg" and not counts["Query"]:
        return ("the graph holds no queries; make them with `qcg generate`, then `qcg build`",)
    if method.name in ("atomic", "lp") and not counts["Atom"]:
        return (NO_ATOMS,)
    return ()


def checked_question(question: str) -> str:
    """The question without white space at its ends.

    >>> checked_question("  Who is Li Hua?\\n")
    'Who is Li Hua?'

    Raises:
        InputError: it is empty or too long.
    """
    question = question.strip()
    if not question:
        raise InputError("The question is empty.")
    if len(question) > LONGEST_QUESTION:
        raise InputError(f"The question has {len(question):,} characters; at most {LONGEST_QUESTION:,} are taken.")
    return question


def passage(row: Mapping[str, Any]) -> Passage:
    """A row of a ``retrieve/`` statement as a passage."""
    paths = tuple(tuple(Step(**step) for step in path) for path in row["paths"])
    return Passage(**{**row, "paths": paths})


def within(passages: Iterable[Passage], tokens: int) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """The passages, in order, that fit into so many tokens together; the first one stays in any case."""
    kept: list[Passage] = []
    left, dropped = tokens, 0
    for item in passages:
        if kept and item.token_count > left:
            dropped += 1
            continue
        kept.append(item)
        left -= item.token_count
    note = f"{dropped} further passages did not fit into {tokens:,} tokens"
    return tuple(kept), (note,) if dropped else ()
