"""Make the table of the sample that comes with the package: a few minutes, and no data to get.

python tests/reproduction/sample.py
"""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import lihuaworld
from making import TRIPLES, Data, Table, reproduce, run

HERE = Path(__file__).parent / "sample"
SAMPLE = Path(__file__).parents[2] / "qcg_neo4j/samples/lihuaworld"
COMMAND = "python tests/reproduction/sample.py"
TOLERANCE = 2.0  # points; a question more or less is up to 3.3, an approximate index moves less
QUESTIONS = 30  # the first of the file: enough to see a method break, few enough for every run of the tests
TABLES = (Table("methods", "systems.toml", extract=TRIPLES, synonyms=True),)


def data(folder: Path) -> Data:
    """The sample with its first questions."""
    found = lihuaworld.data(folder)
    asked = [question for question in found.questions if question.evidence][:QUESTIONS]
    return replace(found, questions=asked, systems=HERE, command=COMMAND)


main = reproduce(TABLES, data, HERE, lihuaworld.TEXTS)

if __name__ == "__main__":
    run(main, [str(SAMPLE), *sys.argv[1:]])
