"""What systems find for questions: rankings at depth, time as set, outcomes kept as they come."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from qcg_neo4j.core.errors import GraphError, MissingReplyError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Evidence, Passage, content_id
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.graph_state import GraphState
from qcg_neo4j.evaluation.lineup import System
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.retrieval.runs import Outcome, Runs
from qcg_neo4j.evaluation.settings import EvaluateSettings
from qcg_neo4j.retrieval.method import within

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Vectors = dict[str, NDArray[np.float32]]

_WARM_UP = 3  # questions that each system is asked before time is taken
_TIMED_EMBEDDINGS = 20  # questions that are embedded one at a time, to know how long one takes


@dataclass(frozen=True)
class Asked:
    """What came of it: per system an outcome for each question, in the questions' order, None where there is none.

    ``embedding_seconds`` are those of single questions; ``left_out`` holds the systems of which no question has an
    outcome, with the reason; ``gaps``, by system, the questions that lack a language model's reply, with the reason.
    """

    outcomes: dict[str, list[Outcome | None]]
    embedding_seconds: tuple[float, ...] = ()
    left_out: dict[str, str] = field(default_factory=dict)
    gaps: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


Todo = list[tuple[System, Question]]


class Inquiry:
    """One evaluation's way through questions and systems."""

    def __init__(
        self, graph: Graph, state: GraphState, settings: EvaluateSettings, runs: Runs, progress: Progress = silent
    ) -> None:
        self._graph = graph
        self._state = state
        self._settings = settings
        self._runs = runs
        self._progress = progress
        self._vectors: Vectors = {}
        self._gaps: dict[str, str] = {}

    def ask(self, systems: Sequence[System], questions: Sequence[Question], *, skip_unusable: bool = False) -> Asked:
        """Ask all that has not been asked before; what lacks a reply is asked again the next time.

        Raises:
            GraphError: the graph cannot serve a system, unless ``skip_unusable`` leaves such systems out.
        """
        todo = self._todo(systems, questions)
        left_out: dict[str, str] = {}
        if todo:
            self._embed([question for _, question in todo], [system for system, _ in todo])
            left_out = self._warm_up(todo, skip_unusable)
            systems = [system for system in systems if system.name not in left_out]
            self._ask([pair for pair in todo if pair[0].name not in left_out], len(systems) * len(questions))
        outcomes = {system.name: [self._known(system, item) for item in questions] for system in systems}
        gaps = {system.name: self._gaps_of(system, questions) for system in systems}
        for name in [name for name, found in outcomes.items() if not any(found)]:
            left_out[name] = f"it lacks a reply to every question. {gaps[name][0][1]}"
            del outcomes[name]
        return Asked(outcomes, self._runs.times(self._embedding_key()) or (), left_out, gaps)

    def _todo(self, systems: Sequence[System], questions: Sequence[Question]) -> Todo:
        todo: Todo = []
        for position, question in enumerate(questions):
            # Every system takes its turn at being the first to touch what a question needs.
            turn = position % len(systems)
            for system in (*systems[turn:], *systems[:turn]):
                if self._known(system, question) is None:
                    todo.append((system, question))
        return todo

    def _ask(self, todo: Todo, total: int) -> None:
        done = total - len(todo)
        self._progress(done, total)
        for system, question in todo:
            key = self._key(system, question)
            # Two names for the same settings are asked once.
            if self._known(system, question) is None and key not in self._gaps:
                try:
                    self._runs.add(key, self._outcome(system, question), system=system.name, question=question.id)
                except MissingReplyError as error:
                    self._gaps[key] = error.problem
            done += 1
            self._progress(done, total)

    def _outcome(self, system: System, question: Question) -> Outcome:
        own = self._retrieve(system, question) if self._settings.latency else None
        vector = self._vectors.get(question.text)
        deep = system.at_depth(self._settings.depth).retrieve(self._graph, question.text, vector).passages
        first = within(deep[: system.retriever.settings.passages], system.retriever.settings.context_tokens)[0]
        return Outcome(
            documents=documents(deep),
            passages=len(deep),
            tokens=sum(passage.token_count for passage in first),
            seconds=own.seconds if own else None,
            same=_ids(own.passages) == _ids(first) if own else None,
        )

    def _retrieve(self, system: System, question: Question) -> Evidence:
        return system.retriever.retrieve(self._graph, question.text, self._vectors.get(question.text))

    def _warm_up(self, todo: Todo, skip_unusable: bool) -> dict[str, str]:
        """Ask each system a few questions: what it cannot do shows before an hour has passed, and caches fill."""
        left_out: dict[str, str] = {}
        questions = list(dict.fromkeys(question for _, question in todo))[: _WARM_UP if self._settings.latency else 1]
        for system in dict.fromkeys(system for system, _ in todo):
            try:
                for question in questions:
                    with suppress(MissingReplyError):  # counted when it is asked in earnest
                        self._retrieve(system, question)
            except GraphError as error:
                if type(error) is not GraphError:  # no server, no access: nothing that leaving out would help
                    raise
                if not skip_unusable:
                    raise GraphError(f"{system.name}: {error.problem}", error.remedy) from None
                left_out[system.name] = error.problem
        return left_out

    def _embed(self, questions: Sequence[Question], systems: Iterable[System]) -> None:
        """The questions' vectors in one batch, by the rule of `Graph.embed_question`."""
        if not any(system.retriever.needs_vector for system in systems):
            return
        from qcg_neo4j.models.embedding.windows import mean_of_windows, parts

        texts = list(dict.fromkeys(question.text for question in questions))
        self._graph.embed_question(texts[0])  # opens the model and checks that it is the graph's
        self._time_embedding(texts[:_TIMED_EMBEDDINGS])
        embedder = self._graph.embedder
        assert embedder is not None  # noqa: S101 - `embed_question` opened it
        cut = [parts(text, embedder) for text in texts]
        vectors = iter(embedder.embed_questions([piece for pieces in cut for piece in pieces]))
        for text, pieces in zip(texts, cut, strict=True):
            self._vectors[text] = mean_of_windows([next(vectors) for _ in pieces])

    def _time_embedding(self, texts: Sequence[str]) -> None:
        if not self._settings.latency or self._runs.times(self._embedding_key()) is not None:
            return
        seconds = []
        for text in texts:
            start = time.perf_counter()
            self._graph.embed_question(text)
            seconds.append(time.perf_counter() - start)
        self._runs.add_times(self._embedding_key(), tuple(seconds))

    def _known(self, system: System, question: Question) -> Outcome | None:
        return self._runs.outcome(self._key(system, question))

    def _gaps_of(self, system: System, questions: Sequence[Question]) -> list[tuple[str, str]]:
        keys = [(question.text, self._key(system, question)) for question in questions]
        return [(text, self._gaps[key]) for text, key in keys if key in self._gaps]

    def _key(self, system: System, question: Question) -> str:
        settings = sorted(system.retriever.settings.listed().items())
        how = f"{self._settings.depth} {self._settings.latency}"
        # Another language model gives other evidence.
        asked = system.retriever.name + (f" asking {system.source}" if system.source else "")
        return content_id(self._state.key, how, asked, repr(settings), question.text)

    def _embedding_key(self) -> str:
        return content_id(self._state.key, "embedding")


def documents(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The passages' documents, each at the place of its first passage."""
    return tuple(dict.fromkeys(document.id for passage in passages for document in passage.documents))


def _ids(passages: Sequence[Passage]) -> list[str]:
    return [passage.id for passage in passages]
