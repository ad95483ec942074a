"""Latency of the walk from names on an encyclopedia of any size, one of whose entities is in half of all chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bench import own
from bench.figures import Result, TimedSettings, compared, growing, in_turns, means
from bench.measurement import measurement, numbers
from bench.synthetic import MODEL, Question, Vectors, unit
from qcg_neo4j.cli.terminal import progress_bar
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import content_id
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.database.schema import await_indexes
from qcg_neo4j.retrieval import Hybrid, Layers, LayersSettings

AT_ONCE = 500  # pages
LINKS = (1, 7, 31)  # a page states something about those so many places ahead
WORLD = "World"


@dataclass(frozen=True)
class NamesSettings(TimedSettings):
    """Latency of the walk from names on synthetic pages."""

    dimension: int = setting(384, "Numbers per vector.", minimum=2, maximum=4096)


class Pages:
    """Pages that each are about one entity and name three others, every second one the world; vectors at random."""

    def __init__(self, seed: int, dimension: int) -> None:
        self._seed, self._dimension = seed, dimension

    def vector(self, *place: int) -> Vectors:
        """The vector of a page (one number) or of one of its triples (two)."""
        random = np.random.default_rng([self._seed, *place])
        return np.asarray(unit(random.normal(size=(1, self._dimension)))[0])

    def row(self, page: int, size: int) -> dict[str, Any]:
        """What `bench/pages` writes of a page."""
        others = [(page + ahead) % size for ahead in LINKS]
        return {
            "id": content_id("page", str(page)),
            "text": f"Page{page} leads to {', '.join(f'Page{other}' for other in others)}.",
            "name": f"Page{page}",
            "embedding": self.vector(page),
            "world": page % 2 == 0,
            "others": [
                {
                    "name": f"Page{other}",
                    "id": content_id("triple", str(page), str(other)),
                    "embedding": self.vector(page, other),
                }
                for other in others
            ],
        }

    def questions(self, number: int, size: int) -> list[Question]:
        """Questions that name a page each, with a vector near to none in particular."""
        random = np.random.default_rng([self._seed, size])
        chosen = random.integers(size, size=number).tolist()
        vectors = unit(np.stack([self.vector(page) + self.vector(page, 0) for page in chosen]))
        texts = (f"Which page does Page{page} lead to?" for page in chosen)
        return [Question(text, vector) for text, vector in zip(texts, vectors, strict=True)]


@measurement(NamesSettings, numbers("--sizes", "10000,100000", "Numbers of chunks in the graph, rising."))
def names(graph: Graph, sizes: Sequence[int], settings: NamesSettings) -> Result:
    """Time `layers` with and without names where half of all chunks name one entity.

    Raises:
        InputError: the sizes do not rise.
    """
    use_model(graph, MODEL, settings.dimension)
    pages = Pages(settings.seed, settings.dimension)
    rows, largest = [], sizes[-1]
    for size, fresh in growing(sizes, 1):
        with progress_bar(f"Writing {size:,} pages") as progress:
            fill(graph, pages, fresh, largest, progress)
        asked = pages.questions(settings.questions + settings.warm_up, size)
        with progress_bar(f"Asking {size:,} pages") as progress:
            times, returned = in_turns(contestants(graph), asked, settings.warm_up, progress)
        rows += compared(times, size, Hybrid().name, means(returned))
    return Result("Latency of the walk from names", "ms", "chunks", Hybrid().name, tuple(rows), tuple(_notes(settings)))


def fill(graph: Graph, pages: Pages, numbers: range, size: int, progress: Progress) -> None:
    """Write the pages of these numbers."""
    for start in range(numbers.start, numbers.stop, AT_ONCE):
        rows = [pages.row(page, size) for page in range(start, min(start + AT_ONCE, numbers.stop))]
        graph.write(Call(own("pages"), {"rows": rows, "world": WORLD}), stages=("load", "extract"))
        progress(start + len(rows) - numbers.start, len(numbers))
    await_indexes(graph)


def contestants(graph: Graph) -> dict[str, Callable[[Question], int]]:
    """All that is compared, which give how many passages they found."""

    def asked(chosen: Layers | Hybrid) -> Callable[[Question], int]:
        return lambda question: len(chosen.retrieve(graph, question.text, question.vector).passages)

    without = Layers(LayersSettings(name_share=0.0))
    return {"hybrid": asked(Hybrid()), "layers": asked(Layers()), "layers, without names": asked(without)}


def _notes(settings: NamesSettings) -> Iterator[str]:
    yield (
        f"Synthetic pages, seed {settings.seed}: each is about one entity and states something about {len(LINKS)} "
        f"others; every second one names {WORLD}. Vectors of {settings.dimension} dimensions, at random."
    )
    yield f"{settings.questions} questions that name a page each, after {settings.warm_up} untimed ones, in turns."
