"""Contexts and answers as they come, in ``answers.jsonl``, so that an interrupted run goes on where it stopped."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qcg_neo4j.evaluate.answering.trials import Context, Trial, Written
from qcg_neo4j.evaluate.journal import Journal, own_folder
from qcg_neo4j.records import Usage

FILE = "answers.jsonl"


class Kept:
    """The contexts and answers that a file holds, by key; new ones are appended at once."""

    def __init__(self, path: Path) -> None:
        self._contexts: dict[str, Context] = {}
        self._written: dict[str, Written] = {}
        self._journal = Journal(path, self._keep)

    def context(self, key: str) -> Context | None:
        """The context of that key, if there is one."""
        return self._contexts.get(key)

    def add_context(self, key: str, context: Context, **about: str) -> None:
        """Keep a context; ``about`` is for people who read the file."""
        self._contexts[key] = context
        self._journal.append({"key": key, **about, "context": asdict(context)})

    def written(self, key: str) -> Written | None:
        """The answer of that key, if there is one."""
        return self._written.get(key)

    def add_written(self, key: str, written: Written, trial: Trial) -> None:
        """Keep an answer."""
        self._written[key] = written
        asked = {"system": trial.system, "question": trial.question.text, "replicate": trial.replicate}
        self._journal.append({"key": key, **asked, "answer": written.text, "written": asdict(written)})

    def close(self) -> None:
        """Close the file."""
        self._journal.close()

    def _keep(self, record: dict[str, Any]) -> None:
        kind = "context" if "context" in record else "written"
        fields = {**record[kind], "usage": Usage(**record[kind]["usage"])}
        if kind == "context":
            self._contexts[record["key"]] = Context(**fields)
        else:
            self._written[record["key"]] = Written(**fields)


@contextmanager
def open_kept(folder: Path) -> Iterator[Kept]:
    """The contexts and answers of a folder, which is made where it is missing; one evaluation at a time.

    Raises:
        InputError: the folder cannot be written, another evaluation is using it, or the file is not one of ours.
    """
    with own_folder(folder), closing(Kept(folder / FILE)) as kept:
        yield kept
