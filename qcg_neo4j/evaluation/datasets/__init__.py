"""Public benchmarks in the form in which they are published: a folder in, documents and questions out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.evaluation.datasets import (
    graphrag_bench,
    hipporag,
    lfrqa,
    lihua_world,
    multihop_rag,
    ragbench,
    ultradomain,
)
from qcg_neo4j.evaluation.datasets.files import Dataset

FORMATS: Mapping[str, Callable[[Path], Dataset]] = {
    "lihua-world": lihua_world.read,
    "multihop-rag": multihop_rag.read,
    "hotpotqa": partial(hipporag.read, name="hotpotqa"),
    "2wikimultihopqa": partial(hipporag.read, name="2wikimultihopqa"),
    "musique": partial(hipporag.read, name="musique"),
    "graphrag-bench-novel": partial(graphrag_bench.read, name="novel"),
    "graphrag-bench-medical": partial(graphrag_bench.read, name="medical"),
    "ultradomain": ultradomain.read,
    "ragbench": ragbench.read,
    "lfrqa": lfrqa.read,
}


def read_dataset(name: str, folder: Path) -> Dataset:
    """The documents and the questions of a benchmark that lies in a folder.

    Raises:
        InputError: no such format or folder, a file is missing, or something in it is wrong (file, line and field).
    """
    if name not in FORMATS:
        raise InputError(f"There is no format {name!r}.", nearest(name, list(FORMATS)))
    if not folder.exists():
        raise InputError(f"There is no folder {folder}.", f"Give the folder that holds the files of {name}.")
    return FORMATS[name](folder)


__all__ = ["FORMATS", "Dataset", "read_dataset"]
