"""``qcg evaluate``: measure retrieval and answers on questions whose answers are known, answers to global questions."""

from __future__ import annotations

import click

from qcg_neo4j.cli.command import Group
from qcg_neo4j.cli.evaluate.answers import answers
from qcg_neo4j.cli.evaluate.questions import questions
from qcg_neo4j.cli.evaluate.retrieval import retrieval
from qcg_neo4j.cli.evaluate.side_by_side import claims, pairwise


@click.group(cls=Group, commands=[retrieval, answers, questions, pairwise, claims])
def evaluate() -> None:
    """Measure retrieval and answers."""
