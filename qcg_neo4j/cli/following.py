"""Run again whenever something changes below some paths, until Ctrl-C."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING

import click

from qcg_neo4j.cli import INTERRUPTED, interrupt, was_interrupted
from qcg_neo4j.cli.terminal import advice, notices
from qcg_neo4j.core.errors import QcgError, needs
from qcg_neo4j.indexing.load import check_paths

if TYPE_CHECKING:
    from sys import UnraisableHookArgs

_QUIET_MILLISECONDS = 500  # a round waits until nothing has changed for so long
_LONGEST_MILLISECONDS = 5000  # but not longer than this
_LOOK_MILLISECONDS = 1000
_AGAIN_SECONDS = 60.0  # after a round that failed


def follow(paths: Sequence[str], go: Callable[[], object]) -> None:
    """Run a round now and after every change; an error in a round is reported, and the next round retries.

    Raises:
        InputError: a path does not exist.
        MissingPackageError: watchfiles is not installed.
    """
    with needs("Following changes", "watchfiles", "watch"):
        import watchfiles
    check_paths(paths, may_be_empty=True)
    roots = [Path(path).absolute() for path in paths]
    due = 0.0  # when a round is to be run, whatever changes; the first one at once
    try:
        with _interruption() as interrupted:
            for changes in watchfiles.watch(
                *{root if root.is_dir() else root.parent for root in roots},
                watch_filter=lambda _, path: _counts(Path(path), roots),
                debounce=_LONGEST_MILLISECONDS,
                step=_QUIET_MILLISECONDS,
                rust_timeout=_LOOK_MILLISECONDS,
                yield_on_timeout=True,
                stop_event=interrupted,
            ):
                if changes or time.monotonic() >= due:
                    due = time.monotonic() + _AGAIN_SECONDS if not _round(go) else float("inf")
    except (KeyboardInterrupt, QcgError) as error:
        if not was_interrupted(error):
            raise
    # Not before the command has ended: until then a thread may still say that it stops.
    click.get_current_context().find_root().call_on_close(_say_end)
    sys.exit(INTERRUPTED)


def _say_end() -> None:
    notices().print("\nNo longer following. What is done is kept; the same command goes on from here.")


@contextmanager
def _interruption() -> Iterator[Event]:
    """Set by Ctrl-C, which is lost otherwise where it meets a destructor: Python ignores what is raised in these."""
    interrupted, told = Event(), sys.unraisablehook

    def remember(*_: object) -> None:
        interrupted.set()
        interrupt()

    def tell(ignored: UnraisableHookArgs) -> None:
        if not isinstance(ignored.exc_value, KeyboardInterrupt):
            told(ignored)

    before = signal.signal(signal.SIGINT, remember)
    sys.unraisablehook = tell
    try:
        yield interrupted
    finally:
        signal.signal(signal.SIGINT, before)
        sys.unraisablehook = told


def _round(go: Callable[[], object]) -> bool:
    """Whether a round went well."""
    try:
        go()
    except QcgError as error:
        notices().print(advice(f"Error: {error}"), style="red", soft_wrap=True)
    else:
        notices().print("Following changes; Ctrl-C ends it.", style="dim")
        return True
    notices().print(f"Tried again after the next change, or in {_AGAIN_SECONDS:.0f} s; Ctrl-C ends it.", style="dim")
    return False


def _counts(path: Path, roots: Sequence[Path]) -> bool:
    """Whether a change concerns one of the paths; hidden files and folders below them do not."""
    return any(
        path == root
        or (path.is_relative_to(root) and not any(part.startswith(".") for part in path.relative_to(root).parts))
        for root in roots
    )
