"""Ctrl-C is shown within a second, also while nothing but a long calculation runs."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

BUSY = """
import hashlib
from qcg_neo4j.cli import interruption_shown
with interruption_shown():
    print("busy", flush=True)
    hashlib.pbkdf2_hmac("sha256", b"one call that no signal ends", b"salt", 1_000_000_000)
"""
QUICK = """
import time
from qcg_neo4j.cli import interruption_shown
with interruption_shown():
    print("busy", flush=True)
    time.sleep(60)
"""
# The thread is at its line when the block ends.
LATE = """
import time
import click
from qcg_neo4j import cli
echo = click.echo
cli.click.echo = lambda *args, **options: (time.sleep(1), echo(*args, **options))
with cli.interruption_shown():
    print("busy", flush=True)
    try:
        time.sleep(60)
    except KeyboardInterrupt:
        time.sleep(cli._PATIENCE + 0.5)
echo("Stopped.", err=True)
"""


def interrupted(code: str) -> tuple[str, float]:
    """The first line after Ctrl-C, and the seconds until then."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=-1, stderr=-1, text=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        time.sleep(1)  # until it is inside of what it said that it begins
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        line = process.stderr.readline()
        seconds = time.monotonic() - begun
        process.kill()
    return line, seconds


def test_ctrl_c_is_shown_while_a_calculation_runs() -> None:
    line, seconds = interrupted(BUSY)
    assert line == "Stopping: what is under way is finished first.\n"
    assert seconds < 20  # half a second, and what a busy machine adds; the calculation takes minutes


def test_what_ends_at_once_shows_nothing() -> None:
    assert interrupted(QUICK)[0].startswith("Traceback")


def test_the_line_comes_before_what_follows_the_block() -> None:
    assert interrupted(LATE)[0].startswith("Stopping: ")
