"""Homes of other versions of the package beside your own."""

from __future__ import annotations

import sys
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace

import pytest

from qcg_neo4j.core.errors import ServerError
from qcg_neo4j.server import ServerSettings, archive, start, status
from qcg_neo4j.server.home import Home, Launch, Record, read_record, write_launch, write_record


def test_a_home_that_another_version_wrote_stops_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other"
    (other / "run").mkdir(parents=True)
    (other / "run" / "launch.json").write_text('{"pid": 1, "unknown": 2}', encoding="utf-8")
    process = SimpleNamespace(info={"cmdline": ["java", f"--home-dir={other}"]})
    monkeypatch.setattr(
        sys.modules["qcg_neo4j.server.status"], "psutil", lambda: SimpleNamespace(process_iter=lambda _: [process])
    )
    found = status(tmp_path / "own")
    assert (found.state, found.others) == ("absent", ())


RECORD = '{"line": "5.26", "bolt_port": 7687, "http_port": 7474}'


@pytest.mark.parametrize(
    ("record", "launch", "said"),
    [
        (RECORD.replace("5.26", "4.4"), None, "is of the line 4.4, which this version does not have"),
        (RECORD.replace("7687", '"7687"'), None, "home.json cannot be read: 'bolt_port' is '7687'"),
        (
            RECORD,
            '{"pid": "abc", "created": 1, "java": "", "heap": ""}',
            "launch.json cannot be read: 'pid' is 'abc'",
        ),
        (RECORD, '{"pid": true, "created": 1, "java": "j", "heap": "1g"}', "launch.json cannot be read: 'pid' is True"),
    ],
)
def test_a_home_that_cannot_be_read_is_refused(tmp_path: Path, record: str, launch: str | None, said: str) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "home.json").write_text(record, encoding="utf-8")
    if launch:
        (tmp_path / "run" / "launch.json").write_text(launch, encoding="utf-8")
    with pytest.raises(ServerError, match=said):
        status(tmp_path)


def test_data_is_not_started_by_a_line_that_nobody_named(tmp_path: Path) -> None:
    (tmp_path / "home.json").write_text("{", encoding="utf-8")
    with pytest.raises(ServerError, match=r"Remove it.* --line LINE"):
        start(tmp_path)
    (tmp_path / "home.json").unlink()
    (tmp_path / "data" / "databases" / "system").mkdir(parents=True)
    with pytest.raises(ServerError, match=r"no home\.json that says by which line"):
        start(tmp_path)


def test_a_running_server_whose_home_has_lost_its_file_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, process = Home(tmp_path), sys.modules["qcg_neo4j.server.process"]
    home.run.mkdir()
    write_launch(home, Launch(1, 0.0, "java", "1g", ready=True))
    monkeypatch.setattr(process, "find", lambda *_: SimpleNamespace(pid=1))
    for asked, place in ((process.running, tmp_path), (process.address_of, home)):
        with pytest.raises(ServerError, match=r"has lost its file home\.json"):
            asked(place)


@pytest.mark.parametrize("last", [None, Record("5.26", 1, 2, embedding=True), Record("5.26", 1, 2)])
def test_a_home_keeps_what_it_is_restored_with(
    last: Record | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive, "_standing_still", lambda *_: nullcontext([]))
    for name in ("_run", "_swap"):
        monkeypatch.setattr(archive, name, lambda *_: None)
    (tmp_path / "a.dump").touch()
    home = Home(tmp_path / "home")
    home.prepare()
    if last:
        write_record(home, last)
    for settings in (ServerSettings(database_model="e5-small-v2", embedding=False), ServerSettings()):
        archive.restore(home.root, tmp_path / "a.dump", settings)
        record = read_record(home)
        assert record is not None
        assert (record.database_model, record.embedding) == ("e5-small-v2", False)
        assert not last or (record.line, record.bolt_port) == ("5.26", 1)
