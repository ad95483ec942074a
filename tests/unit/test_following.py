"""Following what changes, without a server."""

from __future__ import annotations

import signal
import time
from pathlib import Path

import click
import pytest

from qcg_neo4j.cli import INTERRUPTED
from qcg_neo4j.cli.following import follow


class Interrupting:
    """Takes Ctrl-C where Python can not raise what it stands for."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.timeout(30)  # this arrives as Ctrl-C, too: watchfiles makes one of what a handler raises
def test_ctrl_c_ends_it_where_its_error_is_ignored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rounds = []

    def go() -> None:
        rounds.append(1)
        Interrupting()

    began, before = time.monotonic(), signal.getsignal(signal.SIGINT)
    with click.Context(click.Command("qcg")):
        with pytest.raises(SystemExit) as ended:
            follow([str(tmp_path)], go)
        assert "No longer following" not in capsys.readouterr().err  # the thread that tells of Ctrl-C runs until here
    assert ended.value.code == INTERRUPTED
    assert (len(rounds), time.monotonic() - began < 25) == (1, True)
    assert "No longer following" in capsys.readouterr().err
    assert signal.getsignal(signal.SIGINT) == before
