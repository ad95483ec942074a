"""What a server is and has; what the graph holds, stage by stage, what is stale, and what is missing."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from qcg_neo4j.core.errors import number_of
from qcg_neo4j.database import stages
from qcg_neo4j.database.connection import Connection
from qcg_neo4j.database.embedder import find_database_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import prefixes_of, recorded_model
from qcg_neo4j.database.schema import corpora_of, nodes_of_others
from qcg_neo4j.database.writer import described, has_gone
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.known_models import Prefixes


@dataclass(frozen=True)
class ServerFacts:
    """What the server is: its version and edition, the versions of GDS and of our plug-in (None without them).

    ``embedding_model`` is the one that runs in the database.
    """

    version: str
    edition: str
    gds_version: str | None
    plugin_version: str | None
    embedding_model: str | None = None


def server_facts(graph: Connection) -> ServerFacts:
    """The facts of the server of a graph."""
    kernel = graph.rows("schema/server")[0]
    gds_version = str(graph.rows("schema/gds_version")[0]["version"]) if graph.rows("schema/gds") else None
    embedder = find_database_embedder(graph, EmbeddingSettings())
    model = embedder.name if embedder else None
    return ServerFacts(kernel["version"], kernel["edition"], gds_version, graph.plugin_version(), model)


@dataclass(frozen=True)
class StageStatus:
    """A stage: its settings and figures of the last run, and why it should run again (None: it need not)."""

    name: str
    finished_at: str | None
    stale: str | None
    settings: Mapping[str, Any]
    figures: Mapping[str, Any]


@dataclass(frozen=True)
class NextStep:
    """The command that a person runs next, and why."""

    command: str
    why: str


@dataclass(frozen=True)
class CorpusSize:
    """How much a corpus of the database holds."""

    name: str
    documents: int
    chunks: int


@dataclass(frozen=True)
class GraphStatus:
    """The state of a graph; ``missing`` counts what should be nowhere. ``corpora`` are all of the database."""

    uri: str
    corpus: str
    corpora: tuple[CorpusSize, ...]
    server: ServerFacts
    embedding_model: str | None
    dimension: int | None
    prefixes: Prefixes
    counts: Mapping[str, int]
    foreign: Mapping[str, int]
    stages: tuple[StageStatus, ...]
    missing: Mapping[str, int]
    next_step: NextStep
    writer: str | None = None  # who writes to it at present


def status(graph: Graph) -> GraphStatus:
    """Read the state of the graph. A restricted connection counts its own documents only."""
    model = recorded_model(graph)
    place: dict[str, Any] = {
        "uri": graph.address.uri,
        "corpus": graph.corpus,
        "server": server_facts(graph),
        "embedding_model": model["model"] if model else None,
        "dimension": model["dimension"] if model else None,
        "prefixes": prefixes_of(model) if model else Prefixes(),
    }
    if graph.restriction is not None:
        size = _size(graph)
        return GraphStatus(
            **place,
            corpora=(),
            counts={"Document": size["documents"], "Chunk": size["chunks"]},
            foreign={},
            stages=(),
            missing={},
            next_step=NextStep('qcg retrieve "…"', "this connection sees only some documents"),
        )
    known = stages.recorded(graph)
    foreign = nodes_of_others(graph)
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    return GraphStatus(
        **place,
        corpora=tuple(CorpusSize(name, **_size(graph.beside(name))) for name in corpora_of(graph)),
        counts=counts,
        foreign=foreign,
        stages=tuple(_stage(known, name) for name in stages.MADE_FROM),
        missing=graph.rows("inspect/coverage")[0],
        next_step=next_step(known, counts, stages.last_run(graph), foreign),
        writer=next((described(row) for row in graph.rows("lock/holder") if not has_gone(row)), None),
    )


def _size(graph: Connection) -> dict[str, int]:
    return graph.rows("schema/size", permitted=None)[0]


def told_of_corpora(found: GraphStatus) -> str:
    """The sentence on the other corpora of the database; empty without any."""
    others = [
        f"{one.name} ({number_of(one.documents, 'document')})" for one in found.corpora if one.name != found.corpus
    ]
    kind = "corpora" if len(others) > 1 else "corpus"
    return f"The database also holds the {kind} {', '.join(others)}." if others else ""


def told_of_others(foreign: Mapping[str, int]) -> str:
    """The sentence on what others have in the database, under labels that ours have too; empty without any.

    >>> told_of_others({"Document": 1, "Chunk": 1200})
    'The database also holds nodes of other applications (1 Document, 1,200 Chunk); they are not touched.'
    """
    shown = ", ".join(f"{number:,} {label}" for label, number in foreign.items())
    return f"The database also holds nodes of other applications ({shown}); they are not touched." if foreign else ""


def next_step(
    known: Mapping[str, stages.StageRecord],
    counts: Mapping[str, int],
    indexed: stages.StageRecord | None,
    foreign: Mapping[str, int],
) -> NextStep:
    """What follows: of a graph that was indexed the same run again, else the stage that waits, else a question."""
    paths = shlex.join(indexed.settings["paths"]) if indexed and indexed.settings else None
    if not counts["Document"] and not paths and "Chunk" in foreign:
        return NextStep(
            "qcg adopt", "the graph holds no documents, but the database holds chunks of other applications"
        )
    if not counts["Document"]:
        return NextStep(f"qcg index {paths or 'FOLDER'}", "the graph holds no documents")
    left_out = indexed.figures.get("left_out", ()) if indexed else ()
    waiting = stages.waiting(known, left_out)
    if waiting is None:
        return NextStep('qcg retrieve "…"', "everything is up to date; or `qcg answer`, with a language model")
    name, why = waiting
    again = paths and name not in stages.TRAINED
    return NextStep(f"qcg index {paths}" if again else stages.COMMANDS[name], f"{name}: {why}")


def _stage(known: Mapping[str, stages.StageRecord], name: str) -> StageStatus:
    stage = known[name]
    return StageStatus(name, stage.finished_at, stages.staleness(known, name), stage.settings or {}, stage.figures)
