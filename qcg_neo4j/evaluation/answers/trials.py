"""What is answered: a system, a question and a repetition; what came of it, and what the replies took."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request, Result, replies_about

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
    """What an answer is written from, as a prompt shows it, and what finding it took.

    ``text`` is None where no single prompt showed it; ``tokens`` are those of all that was shown. ``documents`` are
    those of each numbered passage, ``steps`` counts the searches. ``usage`` is what was paid when a language model was
    first asked for it; ``seconds`` is None where its replies were there already. ``declined``: nothing in the graph is
    relevant, and no answer is asked for.
    """

    text: str | None
    passages: int
    tokens: int
    seconds: float | None
    usage: Usage = Usage()
    documents: tuple[tuple[str, ...], ...] = ()
    steps: int = 1
    declined: bool = False


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


def repeated(request: Request, replicate: int) -> Request:
    """The request of a repetition: the first is the request itself, the others have keys of their own."""
    if replicate == 1:
        return request
    return Request(request.task, f"{request.key_text}\n(repetition {replicate})", request.variables)


class Metered:
    """Another source, with what its replies took.

    ``batched`` is asked instead for what is wanted all at once; None where that is asked like the rest. ``paid`` is all
    that was paid now; ``usage`` what was paid, whenever that was, for the replies since `begin`, and ``all_new`` is
    False when one of these was there already; ``asked`` are the requests for them.
    """

    def __init__(self, source: ReplySource, batched: ReplySource | None = None) -> None:
        self._source, self.batched, self._replicate = source, batched or source, 1
        self.paid = self.usage = Usage()
        self.all_new = True
        self.asked: list[Request] = []

    @property
    def name(self) -> str:
        """The source's name."""
        return self._source.name

    def begin(self, replicate: int = 1) -> None:
        """Count from here, and ask for a repetition."""
        self._replicate, self.usage, self.all_new, self.asked = replicate, Usage(), True, []

    def known(self, request: Request) -> Reply | None:
        """The reply if it is there without any cost."""
        found = self._source.known(repeated(request, self._replicate))
        return replace(found, request=request) if found else None

    def replies(self, requests: Iterable[Request]) -> Iterator[Result]:
        """One result per request, in the order in which they come."""
        return self._counted(requests, self._source)

    def replies_at_once(self, requests: Iterable[Request]) -> Iterator[Result]:
        """The same for requests that are all there before the first reply is needed, which may go in batches."""
        return self._counted(requests, self.batched)

    def _counted(self, requests: Iterable[Request], source: ReplySource) -> Iterator[Result]:
        for request, result in replies_about(source, requests, lambda asked: repeated(asked, self._replicate)):
            self.asked.append(request)
            self.paid += result.usage
            self.usage += result.usage if isinstance(result, Failure) else usage_of(result)
            self.all_new = self.all_new and result.usage.calls > 0
            yield replace(result, request=request)


def usage_of(reply: Reply) -> Usage:
    """What a reply took when it was asked for: a call at least, its tokens where they are known."""
    return reply.paid if reply.paid.calls else replace(reply.paid, calls=1)
