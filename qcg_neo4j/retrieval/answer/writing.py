"""Write an answer from evidence: streamed, citing its passages alone, with a word where the evidence is missing.

A style is a prompt: ``passages``, the bare answer with its citations; ``abstract`` and ``precise``, reasoning first,
then complete sentences or the few words asked for (AtomicRAG). Any other text says how long the answer is to be and
which form it has, such as "multiple paragraphs" (GraphRAG, QCG-RAG).
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator, Generator, Iterator, Sequence
from typing import Protocol

from qcg_neo4j.core.records import Evidence, Usage
from qcg_neo4j.models.prompts import KnownCitations, Message, cited, numbered, task
from qcg_neo4j.models.replies import split_reasoning, without_opened_reasoning
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.around.wrapper import says_nothing

_REASONING = ("abstract", "precise")  # styles in which the model reasons before it answers
STYLES = ("passages", *_REASONING)  # each a prompt of its own; any other text is a wanted length and form
BRIEF = "Be as short as the question allows"
LONG = "Be as long as the question needs, in paragraphs, or as a list where the question asks for several things"
_SHORT = {"abstract": "one or more complete sentences", "precise": "the bare answer in a few words"}
_ALONE = "Use the {} alone. What they do not say, you do not know."
_GENERAL_KNOWLEDGE = (
    "The {} come first. You may add what is generally known and can be checked, but nothing made up; "
    'write "[general knowledge]" behind each such statement.'
)
DECLINED = "Nothing in the graph is relevant to this question."
_ANSWER = "Answer:"  # what comes behind it is the answer, in the styles that reason first


def prompt_of(style: str) -> str:
    """The task that writes an answer from passages in that style."""
    return f"answer/{style if style in STYLES else STYLES[0]}"


def parted(written: str, style: str) -> tuple[str, str]:
    """The reasoning and the answer of what is written in a style."""
    reasoning, _, text = written.rpartition(_ANSWER) if style in _REASONING else ("", "", written)
    return reasoning.strip(), text.strip()


def form_rules(what: str, style: str, usual: str = BRIEF, *, general_knowledge: bool = False) -> dict[str, str]:
    """The rules on sources and form for a prompt that shows items of the kind ``what``.

    ``usual`` is the form where the style asks for none.
    """
    rule = _GENERAL_KNOWLEDGE if general_knowledge else _ALONE
    form = usual if style in ("", STYLES[0]) else f"Length and form of the answer: {_SHORT.get(style, style)}"
    return {"knowledge": rule.format(what), "form": form}


def rules_of(style: str, *, general_knowledge: bool = False) -> dict[str, str]:
    """The same for the prompt of a style, which shows passages."""
    return form_rules("statements" if style in _REASONING else "passages", style, general_knowledge=general_knowledge)


class Stream(Protocol):
    """A text as it comes; ``usage`` is complete at its end."""

    usage: Usage

    def __iter__(self) -> Iterator[str]:
        """Its pieces."""


class Streaming(Protocol):
    """What writes: an `Endpoint`, or a model of another package."""

    model: str

    def stream(self, messages: Sequence[Message]) -> Stream:
        """Ask for plain text."""


class _Declined:
    """What is written where there is nothing to write from: nobody is asked."""

    usage = Usage()

    def __iter__(self) -> Iterator[str]:
        yield DECLINED


class Writing:
    """An answer as it is written: iterate over its pieces, then take `answer`.

    ``numbers`` are those of a conversation, by id: a passage that is cited for the first time gets the next one.
    """

    def __init__(
        self,
        evidence: Evidence,
        endpoint: Streaming,
        style: str = STYLES[0],
        *,
        general_knowledge: bool = False,
        demonstrated: bool = False,
        numbers: dict[str, int] | None = None,
    ) -> None:
        self._evidence = evidence
        self._model = endpoint.model
        variables = {
            **rules_of(style, general_knowledge=general_knowledge),
            # Passages may try to pass for instructions; they cannot know the mark that ends them.
            "mark": f"passages-{secrets.token_hex(8)}",
            "passages": numbered(evidence.citable),
            "question": evidence.question,
        }
        messages = task(prompt_of(style)).messages(variables, as_json=False, demonstrated=demonstrated)
        self._stream: Stream = _Declined() if says_nothing(evidence) else endpoint.stream(messages)
        ids = [one.id for one in evidence.citable]
        self._numbers = {name: place for place, name in enumerate(ids, start=1)} if numbers is None else numbers
        self._known = KnownCitations(
            len(ids), lambda number: self._numbers.setdefault(ids[number - 1], len(self._numbers) + 1)
        )
        self._pieces: list[str] = []
        self._style = style

    def __iter__(self) -> Iterator[str]:
        return self._pieces_as_they_come()

    def _pieces_as_they_come(self) -> Generator[str]:
        for piece in self._known.of(without_opened_reasoning(self._stream)):
            self._pieces.append(piece)
            yield piece

    async def __aiter__(self) -> AsyncIterator[str]:
        """The pieces on an event loop: each is waited for in a thread."""
        pieces = self._pieces_as_they_come()
        waiting = None
        try:
            while True:
                waiting = asyncio.ensure_future(asyncio.to_thread(next, pieces, None))
                piece = await asyncio.shield(waiting)
                if piece is None:
                    return
                yield piece
        finally:
            # A piece may be under way when somebody has heard enough: what brings it is closed behind it.
            if waiting:
                waiting.add_done_callback(lambda _: pieces.close())

    def whole(self) -> Answer:
        """The answer, once all of it is written.

        Raises:
            LanguageModelError: the endpoint failed.
        """
        for _ in self:
            pass
        return self.answer

    @property
    def answer(self) -> Answer:
        """What has been written so far, with the ids of the passages that it cites and what it cost."""
        thought, written = split_reasoning("".join(self._pieces).strip())
        ids = tuple(cited(written, list(self._numbers)))
        reasoning, text = parted(written, self._style)
        usage, notes = self._stream.usage, self._known.notes
        return Answer(text, ids, self._evidence, self._model, usage, notes=notes, reasoning=reasoning or thought)


def answer_question(
    evidence: Evidence, endpoint: Streaming, style: str = STYLES[0], *, general_knowledge: bool = False
) -> Answer:
    """The whole answer at once; ``general_knowledge`` lets the model add what it knows, marked as such.

    Raises:
        LanguageModelError: the endpoint failed.
    """
    return Writing(evidence, endpoint, style, general_knowledge=general_knowledge).whole()
