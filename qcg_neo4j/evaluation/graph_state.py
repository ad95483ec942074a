"""The state of the graph that figures belong to: what identifies it, and what a table says about it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from hashlib import sha256
from json import dumps
from typing import Any

from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.database.stages import MADE_FROM, StageRecord, recorded, staleness
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.table import plain, some


@dataclass(frozen=True)
class GraphState:
    """A graph as it is now: ``key`` changes whenever a result measured before could differ from one measured now."""

    key: str
    model: str
    dimension: int
    stages: Mapping[str, StageRecord]
    stale: Mapping[str, str]

    def as_dict(self) -> dict[str, Any]:
        """What the head of a table says, as plain values."""
        stages = {name: asdict(stage) for name, stage in self.stages.items()}
        return {"model": self.model, "dimension": self.dimension, "stages": stages, "stale": dict(self.stale)}


def graph_state(graph: Graph) -> GraphState:
    """The state of a graph.

    Raises:
        GraphError: the graph is empty.
    """
    model = recorded_model(graph)
    if model is None:
        raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
    stages = recorded(graph)
    stale = {name: reason for name in MADE_FROM if _has_run(stages[name]) and (reason := staleness(stages, name))}
    # A predictor that is imported may have the settings of the one before it, and none of its weights.
    made = {name: [stage.revision, stage.settings, stage.figures.get("version")] for name, stage in stages.items()}
    # What the procedures compute is not in the statements: a plug-in made anew makes earlier figures void, too.
    parts = [graph.own(graph.rows("evaluate/database")[0]["id"]), model, made, _statements(), graph.plugin_digest()]
    key = sha256(dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
    return GraphState(key, model["model"], model["dimension"], stages, stale)


def _has_run(stage: StageRecord) -> bool:
    return bool(stage.revision or stage.finished_at)


def _statements() -> str:
    """What the retrieval statements say, in short: a mended statement makes earlier figures void."""
    texts = [statement(path).text for path in paths() if path.startswith("retrieve/")]
    return sha256("\0".join(texts).encode()).hexdigest()


def made_by(state: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a head on how each stage of the graph was made; ``state`` is `GraphState.as_dict`."""
    for name, stage in state["stages"].items():
        if stage["settings"] is not None:
            yield f"{name}: {plain(stage['settings'])}."


def outdated(state: Mapping[str, Any]) -> Iterator[str]:
    """The remarks on stages that are stale; ``state`` is `GraphState.as_dict`."""
    for name, reason in state["stale"].items():
        yield f"The stage {name} is {reason}."


def missing_documents(graph: Graph, questions: Sequence[Question]) -> list[str]:
    """The ids that the questions name as evidence and the graph does not hold, sorted.

    Raises:
        InputError: the graph holds none of them.
    """
    wanted = sorted({document for question in questions for document in question.evidence})
    held = {row["id"] for row in graph.rows("load/hashes", documents=wanted)}
    missing = [document for document in wanted if document not in held]
    if wanted and not held:
        raise InputError(
            f"The graph holds none of the {len(wanted):,} documents that answer the questions ({some(missing)}).",
            "Evidence is given as ids of documents; load those documents first: `qcg load FILE`.",
        )
    return missing
