"""Write an answer from evidence: streamed, citing its passages alone, with a word where the evidence is missing.

A style is a prompt: ``passages``, the bare answer with its citations; ``abstract`` and ``precise``, reasoning first,
then complete sentences or the few words asked for (AtomicRAG).
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from typing import TYPE_CHECKING

from qcg_neo4j.prompts import KnownCitations, cited, numbered, task
from qcg_neo4j.records import Answer, Evidence

if TYPE_CHECKING:
    from qcg_neo4j.language_model import Endpoint


STYLES = ("passages", "abstract", "precise")
_ANSWER = "Answer:"  # what comes behind it is the answer, in the styles that reason first


class Writing:
    """An answer as it is written: iterate over its pieces, then take `answer`."""

    def __init__(self, evidence: Evidence, endpoint: Endpoint, style: str = STYLES[0]) -> None:
        self._evidence = evidence
        self._model = endpoint.model
        variables = {
            # Passages may try to pass for instructions; they cannot know the mark that ends them.
            "mark": f"passages-{secrets.token_hex(8)}",
            "passages": numbered(evidence.citable),
            "question": evidence.question,
        }
        self._stream = endpoint.stream(task(f"answer/{style}").messages(variables, as_json=False))
        self._known = KnownCitations(len(evidence.citable))
        self._pieces: list[str] = []
        self._reasons = style != STYLES[0]

    def __iter__(self) -> Iterator[str]:
        for piece in self._known.of(self._stream):
            self._pieces.append(piece)
            yield piece

    @property
    def answer(self) -> Answer:
        """What has been written so far, with the ids of the passages that it cites and what it cost."""
        written = "".join(self._pieces).strip()
        ids = tuple(one.id for one in cited(written, self._evidence.citable))
        reasoning, said, text = written.rpartition(_ANSWER) if self._reasons else ("", "", written)
        before = reasoning.strip() if said else ""
        usage, notes = self._stream.usage, self._known.notes
        return Answer(text.strip(), ids, self._evidence, self._model, usage, notes=notes, reasoning=before)


def answer_question(evidence: Evidence, endpoint: Endpoint, style: str = STYLES[0]) -> Answer:
    """The whole answer at once.

    Raises:
        LanguageModelError: the endpoint failed.
    """
    writing = Writing(evidence, endpoint, style)
    for _ in writing:
        pass
    return writing.answer
