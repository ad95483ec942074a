"""Write what the tables of this folder are expected to say (``expected.toml``), and draw them (``overview.png``).

    python tests/reproduction/expect.py
    python tests/reproduction/expect.py DATA

To be run after a table has changed: nobody types a figure, and a test holds the files to the tables. With DATA, a
folder of ``folder.py``, only that folder's ``expected.toml`` is written.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import click
import folder as any_folder
import lihuaworld
import medical
import musique
import sample
import transfer
import twowiki
from expected import NAME, TRAINED, Expected, as_toml, conditions, read_figures, write_reference
from making import CONFIRMATION, SWEEP, Table, run
from overview import draw_overview

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.evaluation.settings import ALL, ODD

COMMUNITIES = 4.0  # points: of a graph filled anew Leiden makes other communities; 3.3 were measured


@dataclass(frozen=True)
class Corpus:
    """A data set: its tables, their command, and how many points a figure may differ by."""

    here: Path
    tables: Sequence[Table]
    command: str
    tolerance: float
    chosen: bool = True  # whether the command takes `--table`

    def expected(self) -> list[Expected]:
        """Every table that has been made, in the order in which the command makes them."""
        found = []
        for table in with_confirmation(self.tables):
            file = self.here / "tables" / table.name / "table.csv"
            if file.exists():
                found.append(self._expected(table, file))
        return found

    def _expected(self, table: Table, file: Path) -> Expected:
        asked = SWEEP if table.name == CONFIRMATION else table.name
        several = self.chosen and len(self.tables) > 1
        command = f"{self.command} --table {asked}" if several else self.command
        figures, communities = read_figures(file), COMMUNITIES if table.communities else None
        return Expected(table.name, command, conditions(table), self._tolerance(table), figures, communities)

    def _tolerance(self, table: Table) -> float:
        if table.links:
            return TRAINED
        return self.tolerance if table.half == ALL else 2 * self.tolerance  # a question counts twice as much


CORPORA = (
    Corpus(lihuaworld.HERE, lihuaworld.TABLES, lihuaworld.COMMAND, lihuaworld.TOLERANCE),
    Corpus(musique.HERE, musique.TABLES, musique.COMMAND, musique.TOLERANCE),
    Corpus(twowiki.HERE, twowiki.TABLES, twowiki.COMMAND, twowiki.TOLERANCE),
    Corpus(
        medical.HERE,
        (Table(medical.NAME, "medical.py", generate=None, extract=medical.SPACY, synonyms=True),),
        medical.COMMAND,
        medical.TOLERANCE,
    ),
    Corpus(transfer.HERE, transfer.TABLES, transfer.COMMAND, TRAINED, chosen=False),
    Corpus(sample.HERE, sample.TABLES, sample.COMMAND, sample.TOLERANCE),
)


def with_confirmation(tables: Sequence[Table]) -> list[Table]:
    """The tables, and behind the sweep the one that confirms it."""
    found = []
    for table in tables:
        found.append(table)
        if table.name == SWEEP:
            found.append(replace(table, name=CONFIRMATION, half=ODD))
    return found


def write(corpus: Corpus) -> None:
    """Write all that follows from the tables of a corpus, if there are any."""
    tables = corpus.expected()
    if not tables:
        click.echo(f"{corpus.here.name}: there is no table yet.")
        return
    (corpus.here / NAME).write_text(as_toml(tables), encoding="utf-8")
    write_reference(corpus.here, corpus.here / "tables", corpus.command)
    drawn = draw_overview(corpus.here)
    figures = sum(len(row) for table in tables for row in table.figures.values())
    click.echo(f"{corpus.here.name}: {figures:,} figures of {len(tables)} tables{', and a picture' if drawn else ''}.")


@click.command()
@click.argument("data", required=False, type=click.Path(path_type=Path))
def main(data: Path | None) -> None:
    """Write the expected figures of the project's data sets, or of the folder DATA."""
    if data is None:
        for corpus in CORPORA:
            write(corpus)
    elif (data / "tables").is_dir():
        write(Corpus(data, any_folder.TABLES, any_folder.COMMAND, lihuaworld.TOLERANCE))
    else:
        raise InputError(f"{data} has no folder tables.", f"Make them first: {any_folder.COMMAND}.")


if __name__ == "__main__":
    run(main)
