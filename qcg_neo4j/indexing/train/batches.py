"""Batches of atoms that questions are asked about: drawn along the neighbours, or as a recording has them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Request, key_of

TASK = "train/questions"
_PAGE = 1000  # atoms read at once


@dataclass(frozen=True)
class Batch:
    """Atoms that a question is to need, by their ids and texts."""

    ids: tuple[str, ...]
    texts: tuple[str, ...]

    @cached_property
    def key_text(self) -> str:
        """The text that identifies the batch."""
        return "\n".join(self.texts)

    def request(self, count: int) -> Request:
        """What a language model is asked."""
        atoms = "\n".join(f"- {text}" for text in self.texts)
        return Request(task(TASK), self.key_text, {"atoms": atoms, "count": str(count)})


def drawn_batches(graph: Graph, seed: int) -> list[Batch]:
    """A batch for each atom: it and some of its neighbours, their number drawn first (LP-RAG paper).

    The draw of an atom depends on nothing but the seed, its id and its neighbours, so that what is asked about the rest
    stays when the graph grows. Batches of the same atoms are one.
    """
    texts, neighbours = {}, {}
    for row in _atoms(graph):
        texts[row[0]], neighbours[row[0]] = row[1], row[2]
    found: dict[tuple[str, ...], Batch] = {}
    for atom, others in neighbours.items():
        source = random.Random(content_id(str(seed), atom))  # noqa: S311 - nothing secret
        ids = tuple(sorted([atom, *source.sample(others, source.randint(0, len(others)))]))
        found.setdefault(ids, Batch(ids, tuple(texts[one] for one in ids)))
    return list(found.values())


def recorded_batches(graph: Graph, files: Sequence[Path]) -> tuple[list[Batch], int]:
    """The batches that recordings bring along, and how many name an atom that the graph does not hold.

    Raises:
        InputError: a file cannot be read, or the atoms of a line do not fit its key.
    """
    ids = {text: name for name, text, _ in _atoms(graph)}
    found: dict[str, Batch] = {}
    unknown = 0
    for texts in _recorded(files):
        batch = Batch(tuple(ids.get(text, "") for text in texts), texts)
        if "" in batch.ids:
            unknown += 1
        else:
            found[batch.key_text] = batch
    return list(found.values()), unknown


def _atoms(graph: Graph) -> Iterator[tuple[str, str, list[str]]]:
    for row in chain.from_iterable(graph.pages("train/atoms", _PAGE)):
        yield row["id"], row["text"], row["neighbours"]


def _recorded(files: Sequence[Path]) -> Iterator[tuple[str, ...]]:
    """The atoms of every line that has some; `Recording` has checked what else a line needs."""
    for path in files:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            fields = json.loads(line) if line.strip() else {}
            texts = fields.get("atoms")
            if fields.get("task") != TASK or texts is None:
                continue
            if not isinstance(texts, list) or key_of("\n".join(map(str, texts))) != fields["key"]:
                raise InputError(
                    f"{path}:{number}: the atoms do not fit the key {fields['key']}.",
                    "The key is the SHA-256 of the atoms joined by newlines.",
                )
            yield tuple(texts)
