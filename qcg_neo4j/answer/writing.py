"""Write an answer from evidence: streamed, with citations of its passages, and a word where the evidence is missing."""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

from qcg_neo4j.prompts import citations, numbered, task
from qcg_neo4j.records import Answer, Evidence

if TYPE_CHECKING:
    from qcg_neo4j.language_model import Endpoint


class Writing:
    """An answer as it is written: iterate over its pieces, then take `answer`."""

    def __init__(self, evidence: Evidence, endpoint: Endpoint) -> None:
        self._evidence = evidence
        self._model = endpoint.model
        variables = {
            # Passages may try to pass for instructions; they cannot know the mark that ends them.
            "mark": f"passages-{secrets.token_hex(8)}",
            "passages": numbered(evidence.passages),
            "question": evidence.question,
        }
        self._stream = endpoint.stream(task("answer/passages").messages(variables, as_json=False))
        self._pieces: list[str] = []

    def __iter__(self) -> Iterator[str]:
        for piece in self._stream:
            self._pieces.append(piece)
            yield piece

    @property
    def answer(self) -> Answer:
        """What has been written so far, with the ids of the passages that it cites and what it cost."""
        text = "".join(self._pieces).strip()
        cited = citations(text, self._evidence.passages)
        return Answer(text, cited, self._evidence, self._model, self._stream.usage)


def answer(evidence: Evidence, endpoint: Endpoint) -> Answer:
    """The whole answer at once.

    Raises:
        LanguageModelError: the endpoint failed.
    """
    writing = Writing(evidence, endpoint)
    for _ in writing:
        pass
    return writing.answer
