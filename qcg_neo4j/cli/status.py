"""``qcg status``: what the graph holds and what is stale."""

from __future__ import annotations

from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from qcg_neo4j.cli.command import command
from qcg_neo4j.cli.models import given_home, store_option, store_path
from qcg_neo4j.cli.options import Connect, connection_options, json_option
from qcg_neo4j.cli.terminal import advice, print_json, print_table, results
from qcg_neo4j.database.corpora import DEFAULT
from qcg_neo4j.database.permission import width_in_words
from qcg_neo4j.database.status import GraphStatus, told_of_corpora, told_of_others
from qcg_neo4j.database.status import status as look
from qcg_neo4j.models.embedding.known_models import Prefixes
from qcg_neo4j.models.replies import Batch, ReplyStore


@command()
@store_option
@connection_options
@json_option
def status(connect: Connect, store: Path | None, as_json: bool) -> None:
    """Show what the graph holds, stage by stage, what is stale, and which batches are under way."""
    path, batches = store_path(store, given_home()), []
    if path.is_file():
        with ReplyStore(path) as opened:
            batches = opened.batches.under_way()
    with connect() as graph:
        found = look(graph)
    if as_json:
        print_json({**asdict(found), "batches": [asdict(batch) for batch in batches]})
        return
    _show(found, batches)


def _show(found: GraphStatus, batches: list[Batch]) -> None:
    server = found.server
    gds = f"Graph Data Science {server.gds_version}" if server.gds_version else "no Graph Data Science"
    plugin = f"plug-in qcg {server.plugin_version}" if server.plugin_version else "no plug-in qcg"
    if server.plugin_version not in (None, version("qcg-neo4j")):
        plugin += f" (the package is {version('qcg-neo4j')}; what needs the plug-in is refused)"
    model = f"{found.embedding_model}, {found.dimension} dimensions" if found.embedding_model else "none yet"
    if found.prefixes != Prefixes():
        model += f", {found.prefixes}"
    if server.embedding_model != found.embedding_model:
        model += f"; the database embeds with {server.embedding_model or 'none'}"
    results().print(f"{found.uri}: Neo4j {server.version} {server.edition}, {gds}, {plugin}\nEmbedding model: {model}")
    named = "Graph" if found.corpus == DEFAULT else f"Corpus {found.corpus}"
    print_table(named, ("kind", "number"), found.counts.items())
    for told in (told_of_corpora(found), told_of_others(found.foreign)):
        if told:
            results().print(told)
    rows = [
        (stage.name, (stage.finished_at or "")[:19].replace("T", " "), stage.stale or "up to date")
        for stage in found.stages
    ]
    print_table("Stages", ("stage", "finished", "state"), rows)
    for stage in found.stages:
        if "widening" in stage.figures:
            results().print(f"Vector indexes bring {width_in_words(stage.figures['widening'])}.")
    _show_batches(batches)
    if found.writer:
        results().print(f"{found.writer} writes to the graph.")
    missing = [f"{number:,} {name.replace('_', ' ')}" for name, number in found.missing.items() if number]
    if missing:
        results().print(f"Missing: {', '.join(missing)}.")
    step = found.next_step
    results().print(advice(f"Next: `{step.command}` ({step.why})"), soft_wrap=True)


def _show_batches(batches: list[Batch]) -> None:
    rows = [
        (
            each.id or each.name,
            each.model,
            each.prepared_at[:16].replace("T", " "),
            each.state,
            each.done,
            each.requests,
        )
        for each in batches
    ]
    if rows:
        print_table("Batches", ("batch", "model", "submitted", "state", "done", "requests"), rows)
