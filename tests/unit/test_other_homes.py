"""Homes of other versions of the package beside your own."""

from __future__ import annotations

import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from qcg_neo4j.server import status


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
