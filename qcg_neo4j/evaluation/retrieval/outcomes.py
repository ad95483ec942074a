"""What systems find for questions: rankings at depth, time as set, outcomes kept as they come."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from functools import partial
from typing import Any

from qcg_neo4j.core.errors import GraphError, MissingReplyError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Evidence, Passage, content_id
from qcg_neo4j.evaluation.lineup import System
from qcg_neo4j.evaluation.questions import Question
from qcg_neo4j.evaluation.settings import EvaluateSettings
from qcg_neo4j.evaluation.systems_run import Step, SystemsRun
from qcg_neo4j.retrieval import Method
from qcg_neo4j.retrieval.evidence import within

_WARM_UP = 3  # questions that each system is asked before time is taken
_TIMED_EMBEDDINGS = 20  # questions that are embedded one at a time, to know how long one takes


@dataclass(frozen=True)
class Outcome:
    """What one system found for one question.

    ``documents`` are the ranking: ids in the order of their first passage. ``passages`` is how many passages the
    ranking was read from; ``tokens`` what the system's own number of passages has within its own token cap;
    ``seconds`` the time of the system as it is set (None when none was taken); ``same`` whether it then gave the
    passages that the deep ranking begins with.
    """

    documents: tuple[str, ...]
    passages: int
    tokens: int
    seconds: float | None = None
    same: bool | None = None


def _outcome(record: dict[str, Any]) -> Outcome:
    names = ("passages", "tokens", "seconds", "same")
    return Outcome(tuple(record[DOCUMENTS]), **{name: record[name] for name in names})


TIMES, DOCUMENTS = "times", "documents"
KINDS = {TIMES: lambda record: tuple(record[TIMES]), DOCUMENTS: _outcome}


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


@dataclass(frozen=True)
class Inquiry(SystemsRun):
    """One evaluation's way through questions and systems."""

    settings: EvaluateSettings
    progress: Progress = silent

    def ask(self, systems: Sequence[System], questions: Sequence[Question], *, skip_unusable: bool = False) -> Asked:
        """Ask all that has not been asked before; what lacks a reply is asked again the next time.

        Raises:
            GraphError: the graph cannot serve a system, unless ``skip_unusable`` leaves such systems out.
        """
        todo = self._todo(systems, questions)
        left_out: dict[str, str] = {}
        if todo:
            if any(system.retriever.needs_vector for system, _ in todo):
                texts = [question.text for _, question in todo]
                self.embed(texts)
                self._time_embedding(list(dict.fromkeys(texts))[:_TIMED_EMBEDDINGS])
            left_out = self._warm_up(todo, skip_unusable)
            systems = [system for system in systems if system.name not in left_out]
            steps = [
                Step(self._key(system, question), system.name, partial(self._measure, system, question))
                for system, question in todo
                if system.name not in left_out
            ]
            self.go(steps, self.progress, len(systems) * len(questions) - len(steps))
        outcomes = {system.name: [self._known(system, item) for item in questions] for system in systems}
        gaps = {
            system.name: [
                (item.text, self.failed[key]) for item in questions if (key := self._key(system, item)) in self.failed
            ]
            for system in systems
        }
        for name in [name for name, found in outcomes.items() if not any(found)]:
            left_out[name] = f"it lacks a reply to every question. {gaps[name][0][1]}"
            del outcomes[name]
        return Asked(outcomes, self.kept.value(TIMES, self._embedding_key()) or (), left_out, gaps)

    def _todo(self, systems: Sequence[System], questions: Sequence[Question]) -> list[tuple[System, Question]]:
        todo = []
        for position, question in enumerate(questions):
            # Every system takes its turn at being the first to touch what a question needs.
            turn = position % len(systems)
            order = (*systems[turn:], *systems[:turn])
            todo += [(system, question) for system in order if self._known(system, question) is None]
        return todo

    def _measure(self, system: System, question: Question) -> None:
        if self._known(system, question) is not None:  # two names for the same settings are asked once
            return
        as_set = system.retriever.settings
        own = self._retrieve(system.retriever, question) if self.settings.latency else None
        deep = self._retrieve(system.at_depth(self.settings.depth), question).passages
        first = within(deep[: as_set.passages], as_set.context_tokens)[0]
        found = Outcome(
            documents=documents(deep),
            passages=len(deep),
            tokens=sum(passage.token_count for passage in first),
            seconds=own.seconds if own else None,
            same=[one.id for one in own.passages] == [one.id for one in first] if own else None,
        )
        record = {"system": system.name, "question": question.id, **asdict(found)}
        self.kept.add(DOCUMENTS, self._key(system, question), found, record)

    def _retrieve(self, method: Method, question: Question) -> Evidence:
        return method.retrieve(self.graph, question.text, self.vector(question.text))

    def _warm_up(self, todo: Sequence[tuple[System, Question]], skip_unusable: bool) -> dict[str, str]:
        """Ask each system a few questions: what it cannot do shows before an hour has passed, and caches fill."""
        left_out: dict[str, str] = {}
        questions = list(dict.fromkeys(question for _, question in todo))[: _WARM_UP if self.settings.latency else 1]
        for system in dict.fromkeys(system for system, _ in todo):
            try:
                for question in questions:
                    with suppress(MissingReplyError):  # counted when it is asked in earnest
                        self._retrieve(system.retriever, question)
            except GraphError as error:
                if type(error) is not GraphError:  # no server, no access: nothing that leaving out would help
                    raise
                if not skip_unusable:
                    raise GraphError(f"{system.name}: {error.problem}", error.remedy) from None
                left_out[system.name] = error.problem
        return left_out

    def _time_embedding(self, texts: Sequence[str]) -> None:
        if not self.settings.latency or self.kept.value(TIMES, self._embedding_key()) is not None:
            return
        seconds = []
        for text in texts:
            start = time.perf_counter()
            self.graph.embed_question(text)
            seconds.append(time.perf_counter() - start)
        self.kept.add(TIMES, self._embedding_key(), tuple(seconds), {TIMES: seconds})

    def _known(self, system: System, question: Question) -> Outcome | None:
        found: Outcome | None = self.kept.value(DOCUMENTS, self._key(system, question))
        return found

    def _key(self, system: System, question: Question) -> str:
        # Another language model gives other evidence.
        asked = system.retriever.name + (f" asking {system.source}" if system.source else "")
        how = f"{self.settings.depth} {self.settings.latency}"
        return self.key(asked, system.retriever.settings.listed(), question.text, how)

    def _embedding_key(self) -> str:
        return content_id(self.state.key, "embedding")


def documents(passages: Sequence[Passage]) -> tuple[str, ...]:
    """The passages' documents, each at the place of its first passage."""
    return tuple(dict.fromkeys(document.id for passage in passages for document in passage.documents))
