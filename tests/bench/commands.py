"""The command of all measurements."""

import sys

import click

from bench.atomic import atomic
from bench.communities import communities
from bench.corpora import corpora
from bench.embed import embed
from bench.end_to_end import end_to_end
from bench.filters import filters
from bench.joining import joining
from bench.links import links
from bench.load import load
from bench.names import names
from bench.page_rank import page_rank
from bench.paths import paths
from bench.retrieve import retrieve
from bench.training import training
from bench.vectors import vectors
from bench.workers import workers
from qcg_neo4j.core.errors import QcgError

NAME = "python tests/bench"

MEASUREMENTS = (
    retrieve,
    names,
    load,
    embed,
    joining,
    paths,
    communities,
    page_rank,
    atomic,
    links,
    training,
    corpora,
    filters,
    end_to_end,
    workers,
    vectors,
)

bench = click.Group(
    NAME,
    commands=MEASUREMENTS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    help="Measure latency and throughput on synthetic data, in a database of its own.",
)


def main() -> None:
    """Run a measurement; an expected error becomes one message and an exit code."""
    try:
        bench(prog_name=NAME, auto_envvar_prefix="QCG_BENCH")
    except QcgError as error:
        click.echo(f"Error: {error}", err=True)
        sys.exit(error.exit_code)
