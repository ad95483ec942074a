"""What is written from evidence, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from qcg_neo4j.core.records import Evidence, Usage


@dataclass(frozen=True)
class PartialAnswer:
    """A part of an answer on the way: to which question, from which turn, how helpful (0 to 100), and what it cites.

    ``turn`` is the window (map-reduce) or the round (DRIFT); ``parent`` is the place of the partial answer that asked
    the question.
    """

    text: str
    score: float
    question: str
    citations: tuple[str, ...]
    turn: int
    parent: int | None = None


@dataclass(frozen=True)
class Answer:
    """A written answer, the ids of the passages (or atoms) that it cites, and the evidence it was written from.

    ``partial`` are the partial answers that it was made of, ``costs`` what each phase cost, where there are any;
    ``reasoning`` is what was written before it. ``supported`` says whether the answer cites anything.
    """

    text: str
    citations: tuple[str, ...]
    evidence: Evidence
    model: str
    usage: Usage = Usage()
    partial: tuple[PartialAnswer, ...] = ()
    costs: Mapping[str, Usage] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    reasoning: str = ""
    supported: bool = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "supported", bool(self.citations))
