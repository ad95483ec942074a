"""``python tests/soak``: minutes of readers by every method, a writer, an agent and kills; the figures at the end."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path[0] = str(Path(__file__).parents[1])
import click  # noqa: E402 - Python looks for the rest in the folder of this file otherwise

from qcg_neo4j.server import ServerSettings, start, status, stop  # noqa: E402
from soak.run import Soak, growth, latencies, soak  # noqa: E402

# Beyond what a longer life explains: caches of the server and of Python fill within minutes.
MOST_GROWTH = 1.5


@click.command()
@click.option("--minutes", default=3.0, show_default=True, help="How long, once the graph is made.")
@click.option("--readers", default=4, show_default=True, help="How many ask at the same time.")
@click.option("--line", default="2026.01", show_default=True, help="Line of Neo4j.")
@click.option("--seed", default=7, show_default=True, help="Seed of what is asked, and when clients are killed.")
def main(minutes: float, readers: int, line: str, seed: int) -> None:
    """Ask by every method while a writer loads, changes, deletes and rebuilds, and clients are killed."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        start(home, ServerSettings(line=line, heap="1g", page_cache="128m", embedding=False))
        try:
            run = soak(home, status(home).pid or 0, minutes, readers, seed)
        finally:
            stop(home)
    _show(run)
    sys.exit(1 if run.problems or any(after > MOST_GROWTH * before for before, after in growth(run).values()) else 0)


def _show(run: Soak) -> None:
    _table("Counted", run.counts)
    for quiet, figures in latencies(run).items():
        shown = {name: round(value) for name, value in figures.items()}
        _table("Answers in quiet, ms" if quiet else "Answers beside a write, ms", shown)
    _table("Memory and handles", {name: f"{one:,.0f} → {two:,.0f}" for name, (one, two) in growth(run).items()})
    _table("Refused while the graph was being made", run.refusals)
    _table("Problems", run.problems or {"none": 0})


def _table(title: str, rows: Mapping[str, object]) -> None:
    if rows:
        click.echo(f"\n{title}")
        for name, value in rows.items():
            click.echo(f"  {name}: {value}")


if __name__ == "__main__":
    main()
