"""What the graph remembers of the stages that made it: settings, state, figures; and so, what is stale."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import asdict, dataclass, field, fields
from functools import wraps
from hashlib import sha256
from typing import Any, Concatenate, ParamSpec, TypeVar

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph

T = TypeVar("T")
P = ParamSpec("P")
StageFunction = Callable[Concatenate[Graph, P], T]
INDEX, ADOPT = "index", "adopt"  # runs that are recorded as stages are, beside those that they went through
# The stages in the order in which they run; one is stale when a stage that it was made from has changed since.
MADE_FROM: Mapping[str, tuple[str, ...]] = {
    "load": (),
    "generate": ("load",),
    "extract": ("load",),
    "build": ("generate",),
    "synonyms": ("extract",),
    "communities": ("extract",),
    "atoms": ("extract",),
    "indexes": ("load", "generate", "extract"),
    "report": ("extract", "communities"),
    "questions": ("generate", "extract", "atoms"),
    "link_predictor": ("extract", "atoms", "questions"),
}
# What a person runs for a stage alone.
COMMANDS: Mapping[str, str] = {
    **{name: f"qcg {name}" for name in ("load", "generate", "extract", "report")},
    **{name: f"qcg build {name}" for name in ("synonyms", "communities", "atoms", "indexes")},
    "build": "qcg build queries",
    "questions": "qcg train questions",
    "link_predictor": "qcg train link-predictor",
}
TRAINED = ("questions", "link_predictor")  # a run of `qcg index` leaves them out


@dataclass(frozen=True)
class StageRecord:
    """A stage as the graph records it; ``revision`` rises whenever its nodes or relationships change."""

    name: str
    revision: int = 0
    settings: Mapping[str, Any] | None = None
    basis: Mapping[str, int] | None = None
    figures: Mapping[str, Any] = field(default_factory=dict)
    finished_at: str | None = None


def writes(work: str) -> Callable[[StageFunction[P, T]], StageFunction[P, T]]:
    """For a function that writes to the graph, its first argument: it waits while another one writes."""

    def decorate(function: StageFunction[P, T]) -> StageFunction[P, T]:
        @wraps(function)
        def run(graph: Graph, /, *args: P.args, **values: P.kwargs) -> T:
            with graph.writing(work):
                return function(graph, *args, **values)

        return run

    return decorate


def recorded(graph: Graph) -> dict[str, StageRecord]:
    """All stages by name; a stage that never ran has revision 0."""
    found = {row["name"]: _stage(row) for row in graph.rows("stage/all") if row["name"] not in (INDEX, ADOPT)}
    return {**{name: StageRecord(name) for name in MADE_FROM}, **found}


def last_run(graph: Graph, name: str = INDEX) -> StageRecord | None:
    """What was asked for by the last run over all stages (or by that of another name); None where there was none."""
    return next((_stage(row) for row in graph.rows("stage/all") if row["name"] == name), None)


def _stage(row: Mapping[str, Any]) -> StageRecord:
    def read(name: str) -> Any:
        return json.loads(row[name]) if row[name] else None

    return StageRecord(
        row["name"], row["revision"] or 0, read("settings"), read("basis"), read("figures") or {}, row["finished_at"]
    )


def basis(stages: Mapping[str, StageRecord], name: str) -> dict[str, int]:
    """The present revisions of the stages that a stage is made from."""
    return {earlier: stages[earlier].revision for earlier in MADE_FROM[name]}


def is_current(stages: Mapping[str, StageRecord], name: str, settings: Settings) -> bool:
    """Whether a stage came to its end with these settings on the present state of the graph."""
    return was_made_with(stages, name, settings) and stages[name].basis == basis(stages, name)


def was_made_with(stages: Mapping[str, StageRecord], name: str, settings: Settings) -> bool:
    """Whether the last run of a stage came to its end with these settings, on whatever state of the graph."""
    return stages[name].finished_at is not None and stages[name].settings == asdict(settings)


def staleness(stages: Mapping[str, StageRecord], name: str) -> str | None:
    """Why a stage should run again, in a sentence; None while it need not."""
    stage = stages[name]
    if stage.finished_at is None:
        return "interrupted" if stage.revision else "has not run"
    changed = [
        earlier for earlier, revision in basis(stages, name).items() if revision != (stage.basis or {}).get(earlier)
    ]
    return f"stale: {', '.join(changed)} changed since" if changed else None


def check_current(stages: Mapping[str, StageRecord], name: str, what_is: str) -> None:
    """Refuse to go on from a stage that should run again; ``what_is`` begins the sentence: `The communities are`.

    Raises:
        GraphError: says why, and what to run.
    """
    if stale := staleness(stages, name):
        raise GraphError(f"{what_is} not up to date ({stale}).", f"Run `{COMMANDS[name]}` first.")


def waiting(stages: Mapping[str, StageRecord], left_out: Collection[str] = ()) -> tuple[str, str] | None:
    """The first stage, in the order in which they run, that should run now, and why; None when all is up to date.

    What is ``left_out``, or made from that, may stay undone, and so may training that was never begun.
    """
    undone: set[str] = set(left_out)
    for name, made_from in MADE_FROM.items():
        stale = staleness(stages, name)
        if name in undone or undone & set(made_from) or (name in TRAINED and not stages[name].revision):
            undone.add(name)
        elif stale:
            return name, stale
    return None


def begin(graph: Graph, name: str, settings: Settings, made_from: Mapping[str, int]) -> str:
    """Note that a stage begins; the cursor of an interrupted run of the same settings and state, else ''."""
    pending = json.dumps([asdict(settings), dict(made_from)], sort_keys=True)
    row = graph.write(Call("stage/begin", {"name": name, "pending": pending})).rows[0][0]
    return str(row["cursor"])


def finish(
    graph: Graph, name: str, settings: Settings, made_from: Mapping[str, int], figures: Mapping[str, Any]
) -> None:
    """Note that a stage has come to its end."""
    parameters = {
        "name": name,
        "settings": json.dumps(asdict(settings)),
        "basis": json.dumps(dict(made_from)),
        "figures": json.dumps(dict(figures)),
    }
    graph.write(Call("stage/finish", parameters))


def note_figures(name: str, figures: Mapping[str, Any]) -> Call:
    """Keeps what a stage has counted so far, in the transaction that it counted."""
    return Call("stage/note_figures", {"name": name, "figures": json.dumps(dict(figures))})


def counts(report: Any) -> dict[str, int]:
    """The figures of a report (a dataclass): its whole numbers, and how many things its tuples name."""
    values = {each.name: getattr(report, each.name) for each in fields(report)}
    sizes = {name: len(value) if isinstance(value, tuple) else value for name, value in values.items()}
    return {name: value for name, value in sizes.items() if isinstance(value, int)}


def mark_of(*parts: Any) -> str:
    """Identifies what is made from these parts (values of JSON), in every run alike."""
    return sha256(json.dumps(parts).encode()).hexdigest()[:32]


def one_at_a_time(graph: Graph, name: str) -> list[Call]:
    """What a transaction of a worker begins with where it derives something from what other workers write."""
    return [Call("stage/hold", {"name": name})] if graph.is_worker else []
