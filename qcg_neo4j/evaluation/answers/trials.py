"""What is answered: a system, a question and a repetition; and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.questions import Question

FILE = "answers.jsonl"


@dataclass(frozen=True)
class Trial:
    """A question that a system answers, for the first, second … time."""

    system: str
    question: Question
    replicate: int

    @property
    def about(self) -> dict[str, Any]:
        """The trial in a file that people read."""
        return {"system": self.system, "question": self.question.text, "replicate": self.replicate}


@dataclass(frozen=True)
class Context:
    """What a system found for a question, as a prompt shows it, and what finding it took.

    ``documents`` are those of each numbered passage, ``steps`` counts the searches. ``usage`` is what was paid when a
    language model was first asked for it; ``seconds`` is None where its replies were there already.
    """

    text: str
    passages: int
    tokens: int
    seconds: float | None
    usage: Usage = Usage()
    documents: tuple[tuple[str, ...], ...] = ()
    steps: int = 1


@dataclass(frozen=True)
class Written:
    """An answer without its citations, the documents of these, and what it took from question to answer.

    ``cited`` is None where the documents are not known. ``usage`` is what was paid when it was first asked for;
    ``seconds`` is None where that is not known.
    """

    text: str
    model: str
    usage: Usage = Usage()
    seconds: float | None = None
    cited: tuple[str, ...] | None = None


@dataclass(frozen=True)
class Candidate:
    """An answer to be judged, what it was written from, and the documents that were read and cited.

    Each is None where nobody knows.
    """

    trial: Trial
    text: str
    context: str | None = None
    read: frozenset[str] | None = None
    cited: frozenset[str] | None = None


def trials_of(systems: Sequence[str], questions: Sequence[Question], replicates: int) -> list[Trial]:
    """All trials, question by question, so that an interrupted run has something of every system.

    A question without a reference is answered once.
    """
    return [
        Trial(system, question, number)
        for question in questions
        for system in systems
        for number in range(1, (replicates if question.has_reference else 1) + 1)
    ]


def _context(record: dict[str, Any]) -> Context:
    told = record[CONTEXT]
    documents = tuple(map(tuple, told.get("documents", ())))
    return Context(**{**told, "usage": Usage(**told["usage"]), "documents": documents})


def _written(record: dict[str, Any]) -> Written:
    told = record[WRITTEN]
    cited = told.get("cited")
    return Written(**{**told, "usage": Usage(**told["usage"]), "cited": None if cited is None else tuple(cited)})


CONTEXT, WRITTEN = "context", "written"
KINDS = {CONTEXT: _context, WRITTEN: _written}
