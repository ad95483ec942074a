"""What is answered: a system, a question and a repetition; and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from qcg_neo4j.evaluate.questions import Question
from qcg_neo4j.records import Usage


@dataclass(frozen=True)
class Trial:
    """A question that a system answers, for the first, second … time."""

    system: str
    question: Question
    replicate: int


@dataclass(frozen=True)
class Context:
    """What a system found for a question, as a prompt shows it, and what finding it took.

    ``usage`` is what was paid when a language model was first asked for it; ``seconds`` is None where its replies were
    there already.
    """

    text: str
    passages: int
    tokens: int
    seconds: float | None
    usage: Usage = Usage()


@dataclass(frozen=True)
class Written:
    """An answer without its citations, and what it took from question to answer.

    ``usage`` is what was paid when it was first asked for; ``seconds`` is None where that is not known.
    """

    text: str
    model: str
    usage: Usage = Usage()
    seconds: float | None = None


@dataclass(frozen=True)
class Candidate:
    """An answer to be judged; ``context`` is what it was written from, None where nobody knows."""

    trial: Trial
    text: str
    context: str | None = None
