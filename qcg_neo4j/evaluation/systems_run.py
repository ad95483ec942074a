"""One run of systems over questions, of retrieval or of answers: what is kept as it comes, and what lacks a reply."""

from __future__ import annotations

import json
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from qcg_neo4j.core.errors import GraphError, InputError, MissingReplyError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.folder import own_folder
from qcg_neo4j.evaluation.graph_state import GraphState

if TYPE_CHECKING:
    from qcg_neo4j.retrieval.method import Vector

Record = dict[str, Any]


class Kept:
    """The values that a file of JSON Lines holds, by kind and key; new ones are appended at once."""

    def __init__(self, path: Path, kinds: Mapping[str, Callable[[Record], Any]]) -> None:
        """Read the file where it exists; a record is of the kind whose name it has, which makes its value.

        Raises:
            InputError: a line is none of ours.
        """
        self._values: dict[tuple[str, str], Any] = {}
        if path.exists():
            self._read(path, kinds)
        self._file = path.open("a", encoding="utf-8")

    def value(self, kind: str, key: str) -> Any:
        """The value of that key; None if there is none."""
        return self._values.get((kind, key))

    def add(self, kind: str, key: str, value: object, record: Record) -> None:
        """Keep a value, as the record that it is made of again."""
        self._values[kind, key] = value
        self._file.write(json.dumps({"key": key, **record}, ensure_ascii=False) + "\n")
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def _read(self, path: Path, kinds: Mapping[str, Callable[[Record], Any]]) -> None:
        content = path.read_bytes()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):  # a killed run leaves half a line, which the next one would be glued to
            with path.open("r+b") as file:
                file.truncate(whole)
        for number, line in enumerate(content[:whole].decode(errors="replace").split("\n")[:-1], start=1):
            try:
                record = json.loads(line)
                kind = next(name for name in kinds if name in record)
                self._values[kind, record["key"]] = kinds[kind](record)
            except (ValueError, TypeError, KeyError, AttributeError, StopIteration):
                raise InputError(
                    f"{path}:{number} is no result of an evaluation.", "Remove the line, or the file to start again."
                ) from None


@contextmanager
def open_kept(path: Path, kinds: Mapping[str, Callable[[Record], Any]]) -> Iterator[Kept]:
    """The values of a file, whose folder is made where it is missing; one evaluation at a time.

    Raises:
        InputError: the folder cannot be written, another evaluation is using it, or the file is not one of ours.
    """
    with own_folder(path.parent), closing(Kept(path, kinds)) as kept:
        yield kept


class Step(NamedTuple):
    """Something to do for a system; without a reply, ``key`` is what is not done."""

    key: Hashable
    system: str
    work: Callable[[], None]


@dataclass(frozen=True)
class SystemsRun:
    """A graph that systems are asked on, and what came of it before.

    ``failed`` has what lacks a language model's reply, with the reason; it is asked again the next time.
    """

    graph: Graph
    state: GraphState
    kept: Kept
    failed: dict[Any, str] = field(default_factory=dict, init=False)
    _vectors: dict[str, Vector] = field(default_factory=dict, init=False, repr=False)

    def go(self, steps: Sequence[Step], progress: Progress, before: int = 0) -> None:
        """Do one step after the other; ``before`` counts what the progress has done already.

        Raises:
            GraphError: the graph cannot serve a system, which is named.
        """
        total = before + len(steps)
        for done, step in enumerate(steps, start=before + 1):
            if step.key not in self.failed:
                try:
                    step.work()
                except MissingReplyError as error:
                    self.failed[step.key] = error.problem
                except GraphError as error:
                    raise type(error)(f"{step.system}: {error.problem}", error.remedy) from None
            progress(done, total)

    def key(self, asked: str, settings: Mapping[str, Any], question: str, *how: str) -> str:
        """Identifies what a system finds for a question; ``asked`` names it, with the model that it asks."""
        return content_id(self.state.key, *how, asked, repr(sorted(settings.items())), question)

    def embed(self, questions: Iterable[str]) -> None:
        """Make the questions' vectors in one batch, by the rule of `Graph.embed_question`."""
        from qcg_neo4j.models.embedding.windows import mean_of_windows, parts

        texts = [text for text in dict.fromkeys(questions) if text not in self._vectors]
        if not texts:
            return
        self.graph.embed_question(texts[0])  # opens the model and checks that it is the graph's
        embedder = self.graph.question_embedder()
        cut = [parts(text, embedder) for text in texts]
        vectors = iter(embedder.embed_questions([piece for pieces in cut for piece in pieces]))
        for text, pieces in zip(texts, cut, strict=True):
            self._vectors[text] = mean_of_windows([next(vectors) for _ in pieces])

    def vector(self, question: str) -> Vector | None:
        """The vector of a question, if it is made."""
        return self._vectors.get(question)
