"""A retriever of what an answer is written from: more passages than a person reads, by their tokens."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from qcg_neo4j.core.records import Evidence, Passage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.around.wrapper import NO_TOKEN_LIMIT, Around
from qcg_neo4j.retrieval.method import RetrieveSettings, Vector, within

MOST = 25  # passages of an answer
# Words by which a question asks about the order of events.
ORDER = re.compile(
    r"\b(?:before|after|first|last|latest|earliest|recent(?:ly)?|earlier|later|in (?:what|which) order)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Answering(Around):
    """The passages that an answer is written from: those of the inner method, and more up to ``answer_tokens``.

    Where a question asks in English about the order of events, they come in the order of their documents' dates.
    """

    @property
    def name(self) -> str:
        """The inner method's name: it finds what is found."""
        return self.retriever.name

    @property
    def needs_text(self) -> bool:
        """Whether the inner method looks at the question's words."""
        return self.retriever.needs_text

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence of the inner method, with as many passages as an answer takes."""
        start, wanted = time.perf_counter(), self.settings
        if not wanted.answer_tokens:
            return self.retriever.retrieve(graph, question, vector)
        deep = replace(wanted, passages=max(MOST, wanted.passages), context_tokens=NO_TOKEN_LIMIT)
        found = self.retriever.with_settings(deep).retrieve(graph, question, vector)
        passages, notes = enough(found.passages, wanted)
        if ORDER.search(question):
            passages = tuple(sorted(passages, key=_date))
        return replace(
            found,
            passages=passages,
            settings={**found.settings, "passages": wanted.passages, "context_tokens": wanted.context_tokens},
            seconds=time.perf_counter() - start,
            notes=(*found.notes, *notes),
        )


def _date(passage: Passage) -> tuple[bool, str]:
    """The date of a passage's document; what has none comes last."""
    date = passage.metadata.get("publishedAt")
    return date is None, str(date)


def enough(passages: Sequence[Passage], wanted: RetrieveSettings) -> tuple[tuple[Passage, ...], tuple[str, ...]]:
    """What is returned without an answer, and the next best as long as all fit into ``answer_tokens``."""
    first, notes = within(passages[: wanted.passages], wanted.context_tokens)
    further = passages[wanted.passages :]
    most = min(wanted.answer_tokens, wanted.context_tokens)
    totals = accumulate((one.token_count for one in further), initial=sum(one.token_count for one in first))
    fits = [total <= most for total in totals][1:]
    return (*first, *further[: fits.index(False) if False in fits else None]), notes
