"""`qcg index` before a server starts: what will be done, from the files alone, and whether these are there."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from click.testing import CliRunner, Result

from qcg_neo4j.cli.index import index
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.run import stage
from qcg_neo4j.indexing.stage import StoredChunk


def estimated(folder: Path, home: Path, *more: str) -> Result:
    return CliRunner().invoke(index, [str(folder), "--estimate", "--home", str(home), *more], obj=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "texts").mkdir()
    (tmp_path / "texts" / "short.txt").write_text("Ann has the key.", encoding="utf-8")
    (tmp_path / "texts" / "long.md").write_text("Bob closes the gym. " * 600, encoding="utf-8")
    (tmp_path / "texts" / "broken.txt").write_bytes(b"\xff\xfe\xff")
    return tmp_path / "texts"


def test_what_will_be_done_is_said_and_no_server_is_started(folder: Path, tmp_path: Path) -> None:
    result = estimated(folder, tmp_path / "home")
    assert result.exit_code == 0, result.output
    assert "2 documents" in result.output
    assert "No language model writes" in result.output
    assert "broken.txt: " in result.output
    assert not (tmp_path / "home").exists()


def test_the_same_as_json(folder: Path, tmp_path: Path) -> None:
    found = json.loads(estimated(folder, tmp_path / "home", "--json").stdout)
    assert (found["documents"], found["cost"]) == (2, 0)
    assert [item["source"] for item in found["left_out"]] == [str(folder / "broken.txt")]
    assert found["characters"] > 11_000
    assert 3 <= found["chunks"] <= 5


@pytest.mark.parametrize(("name", "said"), [("none", "There is no file or folder"), ("empty", "holds no file")])
def test_what_is_not_there_is_said_before_a_server_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    monkeypatch.delenv("NEO4J_URI", raising=False)
    (tmp_path / "empty").mkdir()
    result = CliRunner().invoke(index, [str(tmp_path / name), "--home", str(tmp_path / "home")])
    assert isinstance(result.exception, InputError)
    assert said in result.exception.problem
    assert not list((tmp_path / "home").rglob("neo4j.conf"))


def test_which_texts_are_new_is_asked_by_their_hashes_and_no_text_is_read() -> None:
    asked = []

    def rows(path: str, **values: Any) -> list[dict[str, str]]:
        asked.append((path, values))
        return [{"kind": "text", "value": content_id("held"), "id": name} for name in ("a", "b")]

    chunks = [StoredChunk(name, text, {}) for name, text in (("1", "held"), ("2", "new"), ("3", "new"))]
    new = stage._new(cast(Graph, SimpleNamespace(rows=rows)), chunks)
    assert [chunk.id for chunk in new] == ["2"]
    assert asked == [("adopt/rivals", {"hashes": [content_id("held"), content_id("new")], "ids": []})]
