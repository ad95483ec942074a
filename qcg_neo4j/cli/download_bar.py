"""What a person sees while a server starts: a spinner, and a bar in bytes while something is downloaded."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock

from rich.console import Console
from rich.filesize import decimal
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TimeRemainingColumn, TransferSpeedColumn

from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.progress import Progress as Told


@contextmanager
def starting(description: str) -> Iterator[Told]:
    """Show the spinner; what is yielded takes bytes, done and in all, and shows the bar until all are there."""
    console = notices()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    bars = Progress(*columns, console=console, transient=True, disable=not console.is_terminal)
    spinner, lock = console.status(description), Lock()

    def told(done: int, total: int | None) -> None:
        with lock:
            if not bars.tasks:
                spinner.stop()
                _announce(console, total)
                bars.add_task("Downloading", total=total)
                bars.start()
            bars.update(bars.tasks[0].id, completed=done)
            if done == total:
                bars.stop()
                spinner.start()

    spinner.start()
    try:
        yield told
    finally:
        bars.stop()
        spinner.stop()


def _announce(console: Console, total: int | None) -> None:
    if not console.is_terminal:
        console.print(f"Downloading the server: {decimal(total or 0)}")
