"""Methods that ask a language model, and what for: to analyse a question, drop triples or atoms, summarize, expand."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar, Self, TypeVar

from qcg_neo4j.core.errors import MissingReplyError, SettingsError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import in_one_line, task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request, replies_about
from qcg_neo4j.retrieval.method import MODEL, StoredMethod, Vector, checked_question

ANALYSE, FILTER, SUMMARIZE = "analyse/question", "retrieve/filter_triples", "retrieve/summarize_triples"
T = TypeVar("T")
SIEVE, EXPAND, REFINE = "retrieve/sieve_atoms", "retrieve/expand", "retrieve/refine"


class AskingMethod(StoredMethod):
    """A method that may ask a language model: its field ``source`` (or a recording) answers."""

    source: ReplySource | None
    by_model: ClassVar[Mapping[str, str]] = {}

    @property
    def left_out(self) -> tuple[str, ...]:  # type: ignore[override] # it is a matter of the settings
        """A note on the steps of the paper (``by_model``: setting and step) that no language model takes here."""
        chosen = self.settings.listed()
        steps = [step for name, step in self.by_model.items() if chosen[name] != self.paper[name]]
        if not steps:
            return ()
        return (f"{self.name} without the paper's {' and '.join(steps)}, which a language model makes (preset paper)",)

    def with_source(self, source: ReplySource | None) -> Self:
        """The same method with this language model, or recording."""
        return replace(self, source=source)  # type: ignore[type-var] # each subclass is a dataclass

    def needed_source(self) -> ReplySource:
        """The language model.

        Raises:
            SettingsError: the settings ask for one, and none is given.
        """
        if self.source is None:
            raise SettingsError(
                f"The settings of {self.name} require a language model, and none is given.",
                f"Give --llm NAME@URL, or leave out each setting that is {MODEL!r}.",
            )
        return self.source

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question; the language model is missed before anything is done."""
        question = checked_question(question)
        if self.asks_model:
            self.needed_source()
        return super().retrieve(graph, question, vector)


def analysis(question: str, source: ReplySource) -> Mapping[str, Any]:
    """The analysis of a question: complexity, entities, sub-questions, hypothetical passage (``replies.md``).

    Raises:
        MissingReplyError: the recording has none, or the model gave nothing usable.
    """
    return reply(source, Request(task(ANALYSE), question, {"question": question}))


def kept(name: str, kind: str, question: str, texts: Sequence[str], source: ReplySource) -> list[int]:
    """The positions of the texts (triples, atoms: ``kind``) that a language model keeps for the question, in order.

    ``name`` is that of the task. Numbers that no text has are left out.
    """
    if not texts:
        return []
    numbered = _numbered(texts)
    request = Request(task(name), f"{question}\n{numbered}", {"question": question, kind: numbered})
    return sorted({number - 1 for number in reply(source, request)["keep"] if 1 <= number <= len(texts)})


def summary(texts: Sequence[str], source: ReplySource) -> str:
    """One coherent text of the triples' texts; as in the KG-CQR paper the model does not see the question."""
    numbered = _numbered(texts)
    return str(reply(source, Request(task(SUMMARIZE), numbered, {"triples": numbered}))["context"]).strip()


def expansion(question: str, needed: str, passages: Sequence[str], source: ReplySource) -> str:
    """What a search for the question is widened with: generated from an analysis and found passages, then refined."""
    shown = {"question": question, "passages": _numbered(passages)}
    key = f"{question}\n{shown['passages']}"
    texts = _numbered(reply(source, Request(task(EXPAND), key, {**shown, "analysis": needed}))["texts"])
    return str(reply(source, Request(task(REFINE), f"{key}\n{texts}", {**shown, "texts": texts}))["text"]).strip()


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"[{number}] {in_one_line(text)}" for number, text in enumerate(texts, start=1))


def reply(source: ReplySource, request: Request) -> Mapping[str, Any]:
    """What the `whole_reply` to a single request says."""
    return whole_reply(source, request).value


def whole_reply(source: ReplySource, request: Request) -> Reply:
    """The reply to a single request, with the model that gave it and what it cost.

    Raises:
        MissingReplyError: there is none; says why.
        LanguageModelError: the endpoint failed for good.
    """
    return next(answered(source, [request], lambda asked: asked))[1]


def answered(source: ReplySource, items: Iterable[T], request: Callable[[T], Request]) -> Iterator[tuple[T, Reply]]:
    """Each item with the reply to its request, in the order in which they come.

    Raises:
        MissingReplyError: there is none to one of them; says why.
        LanguageModelError: the endpoint failed for good.
    """
    for item, result in replies_about(source, items, request):
        if isinstance(result, Failure):
            raise MissingReplyError(f"There is no reply to {result.request.task.name}: {result.reason}.")
        yield item, result
