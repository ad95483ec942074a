"""Public benchmarks in the form in which they are published: a folder in, documents and questions out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.settings import nearest
from qcg_neo4j.evaluation.datasets.files import Dataset
from qcg_neo4j.evaluation.datasets.questions_about_texts import (
    read_graphrag_bench,
    read_hipporag,
    read_lfrqa,
    read_lihua_world,
    read_multihop_rag,
)
from qcg_neo4j.evaluation.datasets.questions_with_texts import read_ragbench, read_ultradomain

FORMATS: Mapping[str, Callable[[Path], Dataset]] = {
    "lihua-world": read_lihua_world,
    "multihop-rag": read_multihop_rag,
    **{name: partial(read_hipporag, name=name) for name in ("hotpotqa", "2wikimultihopqa", "musique")},
    "graphrag-bench-novel": partial(read_graphrag_bench, name="novel"),
    "graphrag-bench-medical": partial(read_graphrag_bench, name="medical"),
    "ultradomain": read_ultradomain,
    "ragbench": read_ragbench,
    "lfrqa": read_lfrqa,
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
