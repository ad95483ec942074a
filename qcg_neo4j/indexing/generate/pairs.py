"""Settings of the stage; pairs of question and answer: how they are asked for and what that costs; ranked and cut."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import chain
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from qcg_neo4j.core.settings import Settings, setting
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.stage import Payer, StoredChunk, stored_chunks
from qcg_neo4j.models.llm import Estimate, estimate
from qcg_neo4j.models.prompts import DEMONSTRATION, task
from qcg_neo4j.models.replies import Request

MODEL, REPLIES, SENTENCES = "model", "replies", "sentences"
BOTH, QUESTION, ANSWER = "question+answer", "question", "answer"


@dataclass(frozen=True)
class GenerateSettings(Settings):
    """Where the queries of a chunk come from, how many there are, and which of them are kept."""

    source: str = setting(
        MODEL,
        "Source of the queries: a language model, recorded replies, or the chunk's own sentences (no model).",
        choices=(MODEL, REPLIES, SENTENCES),
    )
    pairs_per_chunk: int = setting(
        20, "Number of question–answer pairs per chunk.", source="QCG-RAG paper, §4.1", minimum=1, maximum=200
    )
    kept_share: float = setting(
        0.8,
        "Share of pairs kept per chunk, most similar first; sentences are all kept.",
        source="QCG-RAG paper, §4.2",
        minimum=0.001,
        maximum=1,
    )
    node_text: str = setting(
        BOTH, "Embedded text of a pair.", source="QCG-RAG paper, §3.3", choices=(BOTH, QUESTION, ANSWER)
    )
    demonstration: bool = setting(False, DEMONSTRATION)

    def as_used(self) -> Self:
        """What the stage goes by: a sentence has no answer, and no faithfulness to rank by."""
        return replace(self, kept_share=1.0, node_text=BOTH) if self.source == SENTENCES else self


TASK = "generate/pairs"
TOKENS_PER_PAIR = 37  # a pair as JSON: mean over 9,950 recorded pairs of LiHua-World, in tokens of MiniLM
MOST = 1000  # pairs of a reply about one chunk; the rest is left out
_LONGEST = 20_000  # characters of a pair; a longer one has no end
# A line that goes on in lower case is wrapped prose; any other line, as in a chat, ends a sentence.
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t].*$", re.MULTILINE)
_LINE_END = re.compile(r"\s*\n\s*(?![a-z\s])")


def request(chunk: StoredChunk, settings: GenerateSettings) -> Request:
    """What is asked about a chunk."""
    variables = {"text": chunk.text, "count": str(settings.pairs_per_chunk)}
    return Request(task(TASK), chunk.text, variables, settings.demonstration)


def estimate_generation(
    graph: Graph, settings: GenerateSettings, payer: Payer, texts: Iterable[StoredChunk] = ()
) -> Estimate:
    """Calls, tokens and cost still to pay; reads the graph, makes no call.

    ``texts`` are chunks that the graph will hold besides.
    """
    model = payer.settings.model or ""
    per_pair, known = payer.store.mean_tokens(TASK, model, lambda reply: len(reply["pairs"])) or (TOKENS_PER_PAIR, 0)
    basis = f"mean of {known} earlier replies of {model}" if known else "mean of recorded pairs"
    expected = min(per_pair * settings.pairs_per_chunk, float(payer.settings.max_output_tokens))
    assumption = f"{settings.pairs_per_chunk} pairs a chunk, {per_pair:.0f} output tokens a pair ({basis})"
    requests = (request(chunk, settings) for chunk in chain(stored_chunks(graph, "generate/chunks"), texts))
    return estimate(requests, payer.source, payer.settings, payer.count, lambda _: expected, assumption)


@dataclass(frozen=True)
class Pair:
    """A question and its answer; a sentence is a question without an answer."""

    question: str
    answer: str = ""

    @property
    def text(self) -> str:
        """Question ⊕ answer: what is compared with the chunk."""
        return f"{self.question} {self.answer}".strip()

    def node_text(self, kind: str) -> str:
        """The text of the pair's node under the setting ``node_text``."""
        return {QUESTION: self.question, ANSWER: self.answer}.get(kind, self.text)


@dataclass(frozen=True)
class Cleaned:
    """The usable pairs in their order, and how many were dropped: empty, exact duplicates, or more than a reply has."""

    pairs: tuple[Pair, ...]
    empty: int = 0
    duplicates: int = 0
    left_out: int = 0


def says_something(text: str) -> bool:
    """Whether a text is more than a number or a lone letter, such as what marks the entries of a list.

    >>> [says_something(text) for text in ("Why?", "1.", "x", "b)", "👍", "好的。")]
    [True, False, False, False, False, True]
    """
    return sum(letter.isalpha() for letter in text) > 1


def clean(reply: Mapping[str, Any], node_text: str) -> Cleaned:
    """The usable pairs of a reply: with a question, with text for a node, without duplicates."""
    told = [Pair(item["question"].strip(), item["answer"].strip()) for item in reply["pairs"]]
    given = [pair for pair in told[:MOST] if len(pair.text) <= _LONGEST]
    usable = [pair for pair in given if says_something(pair.question) and pair.node_text(node_text)]
    unique = tuple(dict.fromkeys(usable))
    return Cleaned(unique, len(given) - len(usable), len(usable) - len(unique), len(told) - len(given))


def sentences(text: str, language: str) -> Cleaned:
    """Each sentence of the text once; fragments (a list's numbers, a lone letter or emoji) count as empty.

    A language (ISO 639-1) without rules of its own is cut by those of one like it, else by those of English. Headings
    of Markdown name what follows and state nothing: they are no sentences.
    """
    from sentencex import segment

    found = [
        " ".join(sentence.split())
        for line in _LINE_END.split(_HEADING.sub("\n", text))
        for sentence in segment(language, line)
        if sentence.strip()
    ]
    usable = [sentence for sentence in found if says_something(sentence)]
    unique = dict.fromkeys(usable)
    return Cleaned(tuple(Pair(sentence) for sentence in unique), len(found) - len(usable), len(usable) - len(unique))


def number_kept(count: int, share: float) -> int:
    """``ceil(share · count)``, computed exactly: 20 % of 15 are 3, although 0.2 · 15 > 3 in floating point."""
    return math.ceil(Fraction(str(share)) * count)


def most_similar(similarities: NDArray[np.float32], share: float) -> list[int]:
    """The positions of the share with the highest similarity, in their given order; of equals the first counts."""
    best = np.argsort(-similarities, kind="stable")[: number_kept(len(similarities), share)]
    return sorted(int(position) for position in best)
