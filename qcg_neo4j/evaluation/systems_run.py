"""One run of systems over questions, of retrieval or of answers: the state of the graph, and what lacks a reply."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from json import dumps
from typing import Any, NamedTuple

from qcg_neo4j.core.errors import GraphError, InputError, MissingReplyError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import content_id
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import recorded_model
from qcg_neo4j.database.stages import MADE_FROM, recorded, staleness
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.evaluation.folder import Kept
from qcg_neo4j.evaluation.page import plain, some
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.models.embedding.windows import mean_of_windows, parts
from qcg_neo4j.retrieval.method import Vector


@dataclass(frozen=True)
class GraphState:
    """A graph as it is now: ``key`` changes whenever a result measured before could differ from one measured now.

    ``told`` is what the head of a table says: the embedding model, its dimension, the stages, and which are stale.
    """

    key: str
    told: Mapping[str, Any]


def graph_state(graph: Graph) -> GraphState:
    """The state of a graph, which must not be empty."""
    model = recorded_model(graph)
    if model is None:
        raise GraphError("The graph is empty.", "Load documents first: `qcg load FILE`.")
    stages = recorded(graph)
    run = [name for name in MADE_FROM if stages[name].revision or stages[name].finished_at]
    stale = {name: reason for name in run if (reason := staleness(stages, name))}
    # A predictor that is imported may have the settings of the one before it, and none of its weights.
    made = {name: [stage.revision, stage.settings, stage.figures.get("version")] for name, stage in stages.items()}
    # What the procedures compute is not in the statements: a plug-in made anew makes earlier figures void, too.
    # A mended statement of the retrieval does so likewise.
    texts = [statement(path).text for path in paths() if path.startswith("retrieve/")]
    statements = sha256("\0".join(texts).encode()).hexdigest()
    parts = [graph.own(graph.rows("evaluate/database")[0]["id"]), model, made, statements, graph.plugin_digest()]
    key = sha256(dumps(parts, sort_keys=True).encode()).hexdigest()[:32]
    told = {"stages": {name: asdict(stage) for name, stage in stages.items()}, "stale": stale}
    return GraphState(key, {"model": model["model"], "dimension": model["dimension"], **told})


def made_by(state: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a head on how each stage of the graph was made; ``state`` is `GraphState.told`."""
    for name, stage in state["stages"].items():
        if stage["settings"] is not None:
            yield f"{name}: {plain(stage['settings'])}."


def outdated(state: Mapping[str, Any]) -> Iterator[str]:
    """The remarks on stages that are stale; ``state`` is `GraphState.told`."""
    for name, reason in state["stale"].items():
        yield f"The stage {name} is {reason}."


def missing_documents(graph: Graph, questions: Sequence[Question]) -> list[str]:
    """The ids that the questions name as evidence and the graph does not hold, sorted; it must hold one of them."""
    wanted = sorted({document for question in questions for document in question.evidence})
    held = {row["id"] for row in graph.rows("load/hashes", documents=wanted)}
    missing = [document for document in wanted if document not in held]
    if wanted and not held:
        raise InputError(
            f"The graph holds none of the {len(wanted):,} documents that answer the questions ({some(missing)}).",
            "Evidence is given as ids of documents; load those documents first: `qcg load FILE`.",
        )
    return missing


class Step(NamedTuple):
    """Something to do for a system; without a reply, ``key`` is what is not done."""

    key: Hashable
    system: str
    work: Callable[[], None]


@dataclass(frozen=True)
class SystemsRun:
    """A graph that systems are asked on, and what came of it before.

    ``failed`` has what lacks a language model's reply, with the reason; it is asked again the next time.
    """

    graph: Graph
    state: GraphState
    kept: Kept
    failed: dict[Any, str] = field(default_factory=dict, init=False)
    _vectors: dict[str, Vector] = field(default_factory=dict, init=False, repr=False)

    def go(self, steps: Sequence[Step], progress: Progress, before: int = 0) -> None:
        """Do one step after the other; ``before`` counts what the progress has done already.

        Raises:
            GraphError: the graph cannot serve a system, which is named.
        """
        total = before + len(steps)
        for done, step in enumerate(steps, start=before + 1):
            if step.key not in self.failed:
                try:
                    step.work()
                except MissingReplyError as error:
                    self.failed[step.key] = error.problem
                except GraphError as error:
                    raise type(error)(f"{step.system}: {error.problem}", error.remedy) from None
            progress(done, total)

    def key(self, asked: str, settings: Mapping[str, Any], question: str, *how: str) -> str:
        """Identifies what a system finds for a question; ``asked`` names it, with the model that it asks."""
        return content_id(self.state.key, *how, asked, repr(sorted(settings.items())), question)

    def embed(self, questions: Iterable[str]) -> None:
        """Make the questions' vectors in one batch, by the rule of `Graph.embed_question`."""
        texts = [text for text in dict.fromkeys(questions) if text not in self._vectors]
        if not texts:
            return
        embedder = self.graph.question_embedder()
        cut = [parts(text, embedder) for text in texts]
        vectors = iter(embedder.embed_questions([piece for pieces in cut for piece in pieces]))
        for text, pieces in zip(texts, cut, strict=True):
            self._vectors[text] = mean_of_windows([next(vectors) for _ in pieces])

    def vector(self, question: str) -> Vector | None:
        """The vector of a question, if it is made."""
        return self._vectors.get(question)
