"""What is answered: a system, a question and a repetition; and what came of it, kept as it comes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.folder import Journal, own_folder
from qcg_neo4j.evaluation.questions import Question

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
    """What a system found for a question, as a prompt shows it, and what finding it took.

    ``documents`` are those of each numbered passage, ``steps`` counts the searches. ``usage`` is what was paid when a
    language model was first asked for it; ``seconds`` is None where its replies were there already.
    """

    text: str
    passages: int
    tokens: int
    seconds: float | None
    usage: Usage = Usage()
    documents: tuple[tuple[str, ...], ...] = ()
    steps: int = 1


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


class Kept:
    """The contexts and answers that a file holds, by key; new ones are appended at once."""

    def __init__(self, path: Path) -> None:
        self._contexts: dict[str, Context] = {}
        self._written: dict[str, Written] = {}
        self._journal = Journal(path, self._keep)

    def context(self, key: str) -> Context | None:
        """The context of that key, if there is one."""
        return self._contexts.get(key)

    def add_context(self, key: str, context: Context, trial: Trial) -> None:
        """Keep a context."""
        self._contexts[key] = context
        about = {"system": trial.system, "question": trial.question.text}
        self._journal.append({"key": key, **about, "context": asdict(context)})

    def written(self, key: str) -> Written | None:
        """The answer of that key, if there is one."""
        return self._written.get(key)

    def add_written(self, key: str, written: Written, trial: Trial) -> None:
        """Keep an answer."""
        self._written[key] = written
        self._journal.append({"key": key, **trial.about, "answer": written.text, "written": asdict(written)})

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _keep(self, record: dict[str, Any]) -> None:
        kind = "context" if "context" in record else "written"
        fields = {**record[kind], "usage": Usage(**record[kind]["usage"])}
        if kind == "context":
            documents = tuple(map(tuple, fields.pop("documents", ())))
            self._contexts[record["key"]] = Context(**fields, documents=documents)
        else:
            cited = fields.pop("cited", None)
            self._written[record["key"]] = Written(**fields, cited=None if cited is None else tuple(cited))


@contextmanager
def open_kept(folder: Path) -> Iterator[Kept]:
    """The contexts and answers of a folder, which is made where it is missing; one evaluation at a time.

    Raises:
        InputError: the folder cannot be written, another evaluation is using it, or the file is not one of ours.
    """
    with own_folder(folder), closing(Kept(folder / FILE)) as kept:
        yield kept
