"""Uses of a language model in retrieval: analyse a question, drop triples or atoms, summarize, take the next step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.models.prompts import in_one_line, task
from qcg_neo4j.models.replies import Failure, Reply, ReplySource, Request

ANALYSE, FILTER, SUMMARIZE = "analyse/question", "retrieve/filter_triples", "retrieve/summarize_triples"
SIEVE, EXPAND, REFINE = "retrieve/sieve_atoms", "retrieve/expand", "retrieve/refine"


def analysis(question: str, source: ReplySource) -> Mapping[str, Any]:
    """The analysis of a question: complexity, entities, sub-questions, hypothetical passage (``replies.md``).

    Raises:
        MissingReplyError: the recording has none, or the model gave nothing usable.
    """
    return reply(source, Request(task(ANALYSE), question, {"question": question}))


def relevant(question: str, texts: Sequence[str], source: ReplySource) -> list[int]:
    """The positions of the texts that a language model keeps for the question, in their order.

    Numbers that no text has are left out.
    """
    if not texts:
        return []
    return _kept(_about(FILTER, question, texts), len(texts), source)


def sieved(question: str, texts: Sequence[str], source: ReplySource) -> list[int]:
    """The positions of the atoms that a language model keeps for the question, in their order."""
    return _kept(_about(SIEVE, question, texts, "atoms"), len(texts), source)


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


def _kept(request: Request, number: int, source: ReplySource) -> list[int]:
    return sorted({kept - 1 for kept in reply(source, request)["keep"] if 1 <= kept <= number})


def _about(name: str, question: str, texts: Sequence[str], kind: str = "triples") -> Request:
    numbered = _numbered(texts)
    return Request(task(name), f"{question}\n{numbered}", {"question": question, kind: numbered})


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
    result = next(iter(source.replies([request])))
    if isinstance(result, Failure):
        raise MissingReplyError(f"There is no reply to {request.task.name}: {result.reason}.")
    return result
