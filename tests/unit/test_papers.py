"""Sources of settings: a value that is said to be of a paper is in the list of what that paper says."""

from __future__ import annotations

import importlib
import pkgutil
import re
import tomllib
from collections.abc import Iterator
from dataclasses import astuple, fields, replace
from pathlib import Path
from typing import Any

import pytest

import qcg_neo4j
from qcg_neo4j.core.settings import Settings, default_of
from qcg_neo4j.indexing.train.settings import TABLE_8, PredictorSettings, pace_of, row_of

PAPERS: dict[str, dict[str, list[Any]]] = tomllib.loads(
    (Path(__file__).parent / "papers.toml").read_text(encoding="utf-8")
)


def settings_classes(kind: type[Settings] = Settings) -> Iterator[type[Settings]]:
    for below in kind.__subclasses__():
        yield below
        yield from settings_classes(below)


def of_papers() -> dict[tuple[str, str, str], Any]:
    """The defaults whose source is a paper, by paper, class and name."""
    for module in pkgutil.walk_packages(qcg_neo4j.__path__, "qcg_neo4j."):
        if module.name.endswith("settings") or ".retrieval." in module.name or ".build." in module.name:
            importlib.import_module(module.name)
    return {
        (found[1], kind.__name__, declared.name): default_of(declared)
        for kind in settings_classes()
        if kind.__module__.startswith("qcg_neo4j.")
        for declared in fields(kind)
        if (found := re.match(r"(\S+) paper\b", declared.metadata.get("source", "")))
    }


@pytest.mark.parametrize(
    ("place", "value"), of_papers().items(), ids=lambda part: "-".join(part) if isinstance(part, tuple) else ""
)
def test_a_value_of_a_paper_is_in_its_list(place: tuple[str, str, str], value: Any) -> None:
    paper, _, name = place
    assert value in PAPERS[paper][name]


def test_each_link_predictor_has_its_numbers_of_table_8() -> None:
    assert [[model, *astuple(row)] for model, row in TABLE_8.items()] == PAPERS["LP-RAG"]["table_8"]
    for model, row in TABLE_8.items():
        settings = PredictorSettings(model=model, recipe="paper")
        pace = pace_of(settings)
        assert (row_of(settings), pace.learning_rate, pace.epochs) == (row, row.learning_rate, row.epochs)
        assert row_of(replace(settings, layers=3)).layers == 3
        assert row_of(replace(settings, recipe="tuned")) == TABLE_8["ncn"]


def test_every_paper_is_a_source() -> None:
    assert {paper for paper, _, _ in of_papers()} == set(PAPERS)
