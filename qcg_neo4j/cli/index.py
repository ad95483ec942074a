"""``qcg index``: folders into a graph that is ready to be asked, in one run or following what changes."""

from __future__ import annotations

import math
import os
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import wraps
from importlib.resources import files
from typing import Any, get_type_hints

import click

from qcg_neo4j.cli.command import PROFILE, Function, command, option, several
from qcg_neo4j.cli.following import follow
from qcg_neo4j.cli.index_display import IndexDisplay, refuse_if_nothing_was_read, show_estimates, show_work
from qcg_neo4j.cli.models import embedder_of, embedding_option, given_home
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.paid_runs import MODEL, PaidRun, incomplete, nothing_to_estimate, paying_options
from qcg_neo4j.cli.server import say_if_it_wants_memory, started
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.errors import InputError, number_of
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import check_paths, read_documents
from qcg_neo4j.indexing.run import (
    IndexReport,
    IndexSettings,
    Payer,
    StageSettings,
    estimate_index,
    index_files,
    make_plan,
)
from qcg_neo4j.indexing.run.plan import NONE
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import still_waiting
from qcg_neo4j.models.replies import ReplySource, ReplyStore, Submitting
from qcg_neo4j.server import ServerSettings, default_home, running

_LETTERS_PER_TOKEN = 4  # of English
STAGES: dict[str, type[Settings]] = get_type_hints(StageSettings)
# The settings of the stages as a paper has them.
PROFILES: dict[str, dict[str, dict[str, Any]]] = tomllib.loads(
    (files("qcg_neo4j.cli") / "profiles.toml").read_text(encoding="utf-8")
)


@dataclass(frozen=True)
class IndexRun:
    """What a call of the command does, repeatedly with ``--watch``."""

    paths: tuple[str, ...]
    settings: IndexSettings
    stages: StageSettings
    paid: PaidRun
    remove_all: bool

    @property
    def kind(self) -> str:
        """Who writes: a language model (or recordings), or none."""
        model = self.paid.llm
        wanted = self.settings.source == MODEL or self.paid.files or model.is_given
        return MODEL if wanted and self.settings.source != NONE else NONE

    def estimate(self, graph: Graph, embedder: Embedder, source: ReplySource | None, store: ReplyStore | None) -> None:
        """Say what the next run would cost."""
        plan = make_plan(graph, self.settings, self.stages, source)
        if source is None or store is None:
            raise nothing_to_estimate("replies")
        documents = self._documents()
        payer = self._payer(embedder, source, store)
        show_estimates(estimate_index(graph, embedder, plan, payer, documents), self.paid.as_json)

    def say_without_model(self) -> None:
        """Say what a run without a language model will do; only the files are read."""
        documents = list(self._documents())
        texts = [one for one in documents if isinstance(one, SourceDocument)]
        left_out = [one for one in documents if isinstance(one, Rejected)]
        sizes = [len(text.text) + sum(map(len, text.passages)) for text in texts]
        per_chunk = _LETTERS_PER_TOKEN * self.stages.load.chunk_tokens
        chunks = sum(math.ceil(size / per_chunk) for size in sizes)
        show_work(len(texts), left_out, sum(sizes), chunks, self.stages, self.paid.as_json)

    def _documents(self) -> Iterator[SourceDocument | Rejected]:
        load = self.stages.load
        return read_documents(
            self.paths, load.largest_document, id_prefix=load.id_prefix, follow_links=load.follow_links
        )

    def _payer(self, embedder: Embedder, source: ReplySource, store: ReplyStore) -> Payer:
        return Payer(source, store, self.paid.prices, token_counter(embedder))

    def go(self, graph: Graph, embedder: Embedder, source: ReplySource | None, store: ReplyStore | None) -> IndexReport:
        """Run once.

        Raises:
            WaitingError: replies are in batches that have not ended; what follows from them is not done.
            MissingReplyError: replies are missing; everything else is done.
        """
        payer = self._payer(embedder, source, store) if source is not None and store else None
        display = IndexDisplay(graph, embedder, payer, self.paid.as_json)
        chosen = (self.paths, source, self.settings, self.stages)
        report = index_files(graph, embedder, *chosen, remove_all=self.remove_all, told=display.told)
        waiting = source.waiting if isinstance(source, Submitting) else ()
        display.finish(report, is_done=not waiting)
        say_if_it_wants_memory(graph)
        if waiting:
            raise still_waiting(waiting)
        if report.missing:
            raise incomplete(
                f"{number_of(len(report.missing), 'item has', 'items have')} no reply of the language model",
                report.missing,
            )
        return report


def _keep_profile(context: click.Context, _: click.Parameter, name: str | None) -> None:
    context.meta[PROFILE] = PROFILES[name] if name else {}


# The settings file overrides its tables.
profile_option = option(
    "--profile",
    type=click.Choice(list(PROFILES)),
    metavar="NAME",
    is_eager=True,
    expose_value=False,
    callback=_keep_profile,
    help=f"settings of a paper: {', '.join(PROFILES)}",
)


def _stage_options(command: Function) -> Function:
    """Add the settings of all stages; the command receives them as ``stages``."""

    @wraps(command)
    def run(*args: Any, **rest: Any) -> Any:
        stages = StageSettings(**{name: rest.pop(name) for name in STAGES})
        return command(*args, stages=stages, **rest)

    return several(*(settings_options(kind, name) for name, kind in reversed(STAGES.items())))(run)


@command()
@click.argument("paths", nargs=-1, required=True, metavar="FOLDER...")
@settings_options(
    IndexSettings,
    "index",
    Typed("source", "SOURCE", "source of queries, entities, reports: auto, model or none"),
    Typed("keep", meaning="keep documents whose files are gone"),
)
@profile_option
@option("--remove-all", is_flag=True, help="remove documents although most files are gone")
@option("--watch", is_flag=True, help="continue with every change, until Ctrl-C")
@paying_options
@embedding_option
@settings_options(ServerSettings, "server")
@_stage_options
@connection_options
@json_option
def index(
    connect: Connect, paid: PaidRun, watch: bool, embedding: EmbeddingSettings, server: ServerSettings, **given: Any
) -> None:
    """Turn files and folders into a graph that is ready for questions; only changes are processed.

    Without a language model, sentences, spaCy and extracts take its place. Without a configured server, the home's own
    is started.
    """
    if watch and paid.batch:
        raise InputError("--batch ends after submitting, and --watch continues.", "Give one of them.")
    run = IndexRun(given["paths"], given["index"], given["stages"], paid, given["remove_all"])
    if paid.estimate_only and run.kind == NONE:
        run.say_without_model()
        return
    with paid.replies(run.kind, None) as (source, opened):
        _start_where_nothing_is_configured(server, watch, () if run.remove_all else run.paths)
        with connect(create=True) as graph:
            asked = (graph, embedder_of(graph, embedding), source, opened)
            if paid.estimate_only:
                run.estimate(*asked)
            elif watch:
                follow(given["paths"], lambda: run.go(*asked))
            elif not (report := run.go(*asked)).removed:
                refuse_if_nothing_was_read(report.load)


def _start_where_nothing_is_configured(settings: ServerSettings, watch: bool, paths: tuple[str, ...]) -> None:
    """Start the home's server, unless an address is given or it runs; first look whether the paths are there."""
    options = click.get_current_context().params
    if options.get("uri") or (not options.get("home") and os.environ.get("NEO4J_URI")):
        return
    home = given_home() or default_home()
    is_stopped = running(home) is None
    if is_stopped:
        check_paths(paths, may_be_empty=watch)
    address = started(home, settings)  # which refuses settings that a running server contradicts
    if is_stopped:
        notices().print(f"Neo4j runs at {address.uri}, its data is in {home}.", soft_wrap=True)
