"""What a person sees: progress on standard error, tables and JSON on standard output, commands that are advised."""

from __future__ import annotations

import json
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from threading import Lock
from typing import Any

import click
from rich.console import Console, ConsoleOptions, ConsoleRenderable, RenderHook, RenderResult
from rich.filesize import decimal
from rich.progress import (
    BarColumn,
    DownloadColumn,
    MofNCompleteColumn,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
    TransferSpeedColumn,
)
from rich.progress import Progress as Bars
from rich.segment import Segment
from rich.table import Table

from qcg_neo4j.core.errors import printable
from qcg_neo4j.core.progress import Progress

_NO_LETTER = re.compile("[\x7f-\x9f\ud800-\udfff]")  # JSON itself escapes the other control characters


class _Printable(RenderHook):
    """Shows control characters of documents and models, instead of letting the terminal execute them."""

    def process_renderables(self, renderables: list[ConsoleRenderable]) -> list[ConsoleRenderable]:
        return [_Shown(renderable) for renderable in renderables]


class _Shown:
    def __init__(self, renderable: ConsoleRenderable) -> None:
        self._renderable = renderable

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        shown = [
            segment if segment.control else Segment(printable(segment.text), segment.style)
            for segment in console.render(self._renderable, options)
        ]
        if console.is_terminal:
            yield from shown
        else:  # a file or a pipe has no use for spaces at the ends of lines
            text = "".join(segment.text for segment in shown if not segment.control)
            yield Segment(re.sub(" +(?=\n|$)", "", text))


def notices() -> Console:
    """The console for everything that is not the result: standard error. No text is read as markup."""
    return _console(Console(stderr=True, highlight=False, markup=False))


def results() -> Console:
    """The console for results: standard output, not wrapped when it is a file or a pipe."""
    return _console(Console(highlight=False, markup=False, width=None if sys.stdout.isatty() else 120))


def _console(console: Console) -> Console:
    console.push_render_hook(_Printable())
    return console


@contextmanager
def progress_bars() -> Iterator[Callable[[str], Progress]]:
    """Bars on standard error while the block runs, one per description; nothing where standard error is no terminal."""
    columns = (
        SpinnerColumn(),
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
    )
    console = notices()
    with Bars(*columns, console=console, transient=True, disable=not console.is_terminal) as bars:

        def bar(description: str) -> Progress:
            task = bars.add_task(description, total=None)
            return lambda done, total: bars.update(task, completed=done, total=total)

        yield bar


@contextmanager
def progress_bar(description: str) -> Iterator[Progress]:
    """One of `progress_bars`."""
    with progress_bars() as bar:
        yield bar(description)


@contextmanager
def starting(description: str) -> Iterator[Progress]:
    """A spinner while a server starts; what is yielded takes bytes, done and in all, and shows a bar of a download."""
    console = notices()
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        DownloadColumn(),
        TransferSpeedColumn(),
        TimeRemainingColumn(),
    )
    bars = Bars(*columns, console=console, transient=True, disable=not console.is_terminal)
    spinner, lock = console.status(description), Lock()

    def told(done: int, total: int | None) -> None:
        with lock:
            if not bars.tasks:
                spinner.stop()
                if not console.is_terminal:
                    console.print(f"Downloading the server: {decimal(total or 0)}")
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


def searching() -> AbstractContextManager[Any]:
    """A spinner while the graph is searched: the first question to a server that has just started takes seconds."""
    return notices().status("Searching")


def print_notes(notes: Iterable[str]) -> None:
    """Print what should be known of a result, a line each."""
    for note in notes:
        results().print(advice(f"Note: {note.rstrip('.')}."))


def print_json(value: Any) -> None:
    """Print a value as readable JSON without escapes, except for control characters."""
    text = json.dumps(value, ensure_ascii=False, indent=2, default=str)
    sys.stdout.write(_NO_LETTER.sub(lambda found: f"\\u{ord(found[0]):04x}", text) + "\n")


def print_table(title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a table; numbers to the right. A narrow terminal breaks words, and cuts nothing: ids are there to copy."""
    table = Table(title=title, title_justify="left")
    body = [list(row) for row in rows]
    for position, column in enumerate(columns):
        numbers = bool(body) and all(isinstance(row[position], int | float) for row in body)
        table.add_column(column, justify="right" if numbers else "left", overflow="fold")
    for row in body:
        table.add_row(*(f"{cell:,}" if isinstance(cell, int) else str(cell) for cell in row))
    results().print(table)


GIVEN = "qcg.connection"  # where the context keeps them
_COMMAND = re.compile(r"`qcg ([^`]+)`")


def advice(text: str) -> str:
    """The text, in which each command between backticks has the options that this one was given and that it takes."""
    context = click.get_current_context(silent=True)
    if context is None or GIVEN not in context.meta:
        return text
    root, given = context.find_root(), context.meta[GIVEN]
    return _COMMAND.sub(lambda found: f"`{_completed(root, found[1], given)}`", text)


def _completed(root: click.Context, words: str, given: dict[str, str]) -> str:
    """The command with these options behind its verbs."""
    command, verbs, rest = root.command, ["qcg"], words.split(" ")
    while rest and isinstance(command, click.Group) and (found := command.get_command(root, rest[0])):
        command = found
        verbs.append(rest.pop(0))
    known = {name for parameter in command.params for name in parameter.opts}
    options = [f"{name} {shlex.quote(value)}" for name, value in given.items() if name in known and name not in rest]
    return " ".join([*verbs, *options, *rest])
