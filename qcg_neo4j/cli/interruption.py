"""Ctrl-C: shown at once, also while a long calculation runs, and known where it arrives as another error."""

from __future__ import annotations

import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Thread

import click

INTERRUPTED = 130  # the exit code that a shell reports for a program ended by Ctrl-C
_PATIENCE = 0.5  # seconds in which most commands have ended


@contextmanager
def interruption_shown() -> Iterator[None]:
    """Print a line soon after Ctrl-C, unless the block has ended by then: what is under way is finished first.

    A thread prints it, since a long calculation or a call keeps the main thread busy; after the block it is silent.
    Call it from the main thread.
    """
    signals, written = socket.socketpair()
    written.setblocking(False)  # as Python requires
    ended = Event()
    before = signal.set_wakeup_fd(written.fileno(), warn_on_full_buffer=False)
    showing = Thread(target=_show, args=(signals, ended), name="qcg interruption", daemon=True)
    showing.start()
    try:
        yield
    finally:
        ended.set()
        signal.set_wakeup_fd(before)
        written.close()
        showing.join()


def _show(signals: socket.socket, ended: Event) -> None:
    with signals:
        while numbers := signals.recv(16):
            if signal.SIGINT in numbers and not ended.wait(_PATIENCE):
                click.echo("Stopping: what is under way is finished first.", err=True)


def was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: interrupted while it reads, the driver ends with an error of its own."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return found is not None
