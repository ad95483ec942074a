"""``python tests/soak``: minutes of readers by every method, a writer, an agent and kills; the figures at the end."""

import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

sys.path[:1] = [str(Path(__file__).parents[1] / name) for name in ("", "materials", "twins")]
import click  # noqa: E402 - Python looks for the rest in the folder of this file otherwise

from qcg_neo4j.server import ServerSettings, start, status, stop  # noqa: E402
from soak.run import Soak, growth, latencies, soak  # noqa: E402

# From the second to the last quarter of a run: caches of the server and of Python fill within minutes.
MOST_GROWTH = {"client MB": 1.2, "client handles": 1.1, "server handles": 1.1}
HEAP, PAGE_CACHE, BESIDE = (
    1024,
    128,
    900,
)  # megabytes; a server takes its heap as it goes, and code and buffers beside it
LONGEST_BESIDE_A_WRITE = 10_000  # milliseconds of an answer


@click.command()
@click.option("--minutes", default=3.0, show_default=True, help="How long, once the graph is made.")
@click.option("--readers", default=4, show_default=True, help="How many ask at the same time.")
@click.option("--line", default="2026.08", show_default=True, help="Line of Neo4j.")
@click.option("--seed", default=7, show_default=True, help="Seed of what is asked, and when clients are killed.")
def main(minutes: float, readers: int, line: str, seed: int) -> None:
    """Ask by every method while a writer loads, changes, deletes and rebuilds, and clients are killed."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / "home"
        start(home, ServerSettings(line=line, heap=f"{HEAP}m", page_cache=f"{PAGE_CACHE}m", embedding=False))
        try:
            run = soak(home, status(home).pid or 0, minutes, readers, seed)
        finally:
            stop(home)
    run.problems.update(_beyond(run))
    _show(run)
    sys.exit(1 if run.problems else 0)


def _beyond(run: Soak) -> list[str]:
    """What has passed its bound."""
    grown = growth(run)
    found = [name for name, most in MOST_GROWTH.items() if grown[name][1] > most * grown[name][0]]
    if grown["server MB"][1] > HEAP + PAGE_CACHE + BESIDE:
        found.append("server MB")
    longest = max((figures["all"]["greatest"] for figures in latencies(run).values()), default=0)
    if longest > LONGEST_BESIDE_A_WRITE:
        found.append("longest answer")
    return [f"beyond its bound: {name}" for name in found]


def _show(run: Soak) -> None:
    _table("Counted", run.counts)
    for quiet, figures in latencies(run).items():
        shown = {name: ", ".join(f"{key} {value:,.0f}" for key, value in row.items()) for name, row in figures.items()}
        _table("Answers in quiet, ms" if quiet else "Answers beside a write, ms", shown)
    _table("What reads of more than a second were at", run.waits)
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
