"""Let systems answer: contexts from the graph, answers from a language model, both kept as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

from qcg_neo4j.errors import GraphError, MissingReplyError
from qcg_neo4j.evaluate.answering.kept import Kept
from qcg_neo4j.evaluate.answering.metering import Metered, repeated, usage_of
from qcg_neo4j.evaluate.answering.systems import OwnWay
from qcg_neo4j.evaluate.answering.trials import Context, Trial, Written
from qcg_neo4j.evaluate.expecting import count_tokens
from qcg_neo4j.evaluate.systems import System
from qcg_neo4j.graph import Graph
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.prompts import numbered, plain, task
from qcg_neo4j.records import Evidence, Usage, content_id
from qcg_neo4j.replies import Failure, Reply, Request

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector

NOTHING_FOUND = "(The search has found no passages.)"
_ANSWER = "Answer:"


@dataclass(frozen=True)
class Failed:
    """Why a trial has no answer; ``unparsable`` says that there was a reply, but not of the right form."""

    reason: str
    unparsable: bool = False


class Answering:
    """One evaluation's way through trials, with the language model ``meter`` that the systems ask, too.

    ``key`` identifies the state of the graph. ``failed`` are the trials without an answer; they are asked again.
    """

    def __init__(
        self, graph: Graph, key: str, systems: Sequence[System], trials: Sequence[Trial], style: str, meter: Metered
    ) -> None:
        self._graph, self._key, self._style, self._meter = graph, key, style, meter
        self.trials = trials
        self._systems = {system.name: system for system in systems}
        self._vectors: dict[str, Vector] = {}
        self.failed: dict[Trial, Failed] = {}

    @property
    def task(self) -> str:
        """The name of what a model is asked for an answer from passages."""
        return f"answer/{self._style}"

    @property
    def paid(self) -> Usage:
        """What was paid now, for answers and on the way to them."""
        return self._meter.paid

    @property
    def asking_systems(self) -> list[str]:
        """The systems that ask a language model before or beside the answer itself."""
        return [name for name, system in self._systems.items() if system.retriever.asks_model]

    def gather(self, kept: Kept, *, asking: bool, progress: Progress = silent) -> None:
        """Retrieve what is not there yet, for the systems that ask a language model for it, or for the others.

        Raises:
            GraphError: the graph cannot serve a system.
            LanguageModelError: the endpoint failed for good; what came before is kept.
        """
        wanted = [
            trial
            for trial in self.trials
            if not self._own(trial) and self._system(trial).retriever.asks_model is asking
        ]
        for done, trial in enumerate(wanted, start=1):
            if trial.replicate == 1 and self.context(kept, trial) is None:
                self._tried(self._retrieve, kept, trial)
            progress(done, len(wanted))

    def requests(self, kept: Kept) -> Iterator[tuple[Trial, Request]]:
        """What is still to be asked for one answer each, of the trials whose context is there."""
        for trial in self.trials:
            context = None if self._own(trial) else self.context(kept, trial)
            if context is not None and self.written(kept, trial) is None:
                yield trial, answer_request(trial, context, self._style)

    def write(self, kept: Kept, progress: Progress = silent) -> None:
        """Have the missing answers written.

        Raises:
            GraphError: the graph cannot serve a system.
            LanguageModelError: the endpoint failed for good; what came before is kept.
        """
        own = [trial for trial in self.trials if self._own(trial) and self.written(kept, trial) is None]
        asked = list(self.requests(kept))
        total = len(asked) + len(own)
        waiting: dict[str, list[Trial]] = {}
        for trial, request in asked:
            waiting.setdefault(request.key, []).append(trial)
        self._meter.begin()
        for done, result in enumerate(self._meter.replies(request for _, request in asked), start=1):
            self._take(kept, waiting[result.request.key].pop(0), result)
            progress(done, total)
        for done, trial in enumerate(own, start=len(asked) + 1):
            self._tried(self._answer, kept, trial)
            progress(done, total)
        self._pass_on_failures(kept)

    def context(self, kept: Kept, trial: Trial) -> Context | None:
        """What a trial's answer is written from, if it is there."""
        return kept.context(self._answer_key(trial) if self._own(trial) else self._context_key(trial))

    def written(self, kept: Kept, trial: Trial) -> Written | None:
        """The answer of a trial, if it is there."""
        return kept.written(self._answer_key(trial))

    def _retrieve(self, kept: Kept, trial: Trial) -> None:
        question, method = trial.question.text, self._system(trial).retriever
        self._meter.begin()
        vector = self._vector(question) if method.needs_vector else None
        evidence = method.retrieve(self._graph, question, vector)
        seconds = evidence.seconds if self._meter.all_new else None
        kept.add_context(self._context_key(trial), context_of(evidence, seconds, self._meter.usage), **_about(trial))

    def _answer(self, kept: Kept, trial: Trial) -> None:
        way = self._system(trial).retriever
        assert isinstance(way, OwnWay)  # noqa: S101 - only these come here
        self._meter.begin(trial.replicate)
        start = time.perf_counter()
        try:
            answer = way.answer(self._graph, trial.question.text, self._meter)
        finally:
            usage, all_new = self._meter.usage, self._meter.all_new
            self._meter.begin()
        seconds = time.perf_counter() - start if all_new else None
        key = self._answer_key(trial)
        kept.add_context(key, context_of(answer.evidence, None, Usage()), **_about(trial))
        kept.add_written(key, Written(_bare(answer.text), answer.model, usage, seconds), trial)

    def _take(self, kept: Kept, trial: Trial, result: Reply | Failure) -> None:
        if isinstance(result, Failure):
            self.failed[trial] = Failed(result.reason, result.unusable)
            return
        context = self.context(kept, trial)
        assert context is not None  # noqa: S101 - without it nothing was asked
        times = [context.seconds, result.seconds]
        seconds = None if None in times else sum(time for time in times if time is not None)
        usage = context.usage + usage_of(result)
        kept.add_written(
            self._answer_key(trial), Written(_bare(str(result.value["answer"])), result.model, usage, seconds), trial
        )

    def _tried(self, step: object, kept: Kept, trial: Trial) -> None:
        try:
            step(kept, trial)  # type: ignore[operator] # a method of this class
        except MissingReplyError as error:
            self.failed[trial] = Failed(error.problem)
        except GraphError as error:
            raise type(error)(f"{trial.system}: {error.problem}", error.remedy) from None

    def _pass_on_failures(self, kept: Kept) -> None:
        """Without the context of the first repetition, the others have no answer either."""
        for trial in self.trials:
            first = self.failed.get(replace(trial, replicate=1))
            if first and self.written(kept, trial) is None:
                self.failed.setdefault(trial, first)

    def _vector(self, question: str) -> Vector:
        if question not in self._vectors:
            self._vectors[question] = self._graph.embed_question(question)
        return self._vectors[question]

    def _system(self, trial: Trial) -> System:
        return self._systems[trial.system]

    def _own(self, trial: Trial) -> bool:
        return isinstance(self._system(trial).retriever, OwnWay)

    def _context_key(self, trial: Trial) -> str:
        method = self._system(trial).retriever
        asked = f"{method.name} asking {self._meter.name}" if method.asks_model else method.name
        return content_id(self._key, asked, repr(sorted(asdict(method.settings).items())), trial.question.text)

    def _answer_key(self, trial: Trial) -> str:
        style = "" if self._own(trial) else self._style
        return content_id(self._context_key(trial), style, self._meter.name, str(trial.replicate))


def answer_request(trial: Trial, context: Context, style: str) -> Request:
    """What a trial's answer is asked for with; equal contexts are one call, repetitions are several."""
    question, passages = trial.question.text, context.text or NOTHING_FOUND
    key = json.dumps([question, style, passages], ensure_ascii=False)
    request = Request(task(f"answer/{style}"), key, {"passages": passages, "question": question})
    return repeated(request, trial.replicate)


def context_of(evidence: Evidence, seconds: float | None, usage: Usage) -> Context:
    """The evidence as a prompt shows it."""
    reports = "\n\n".join(f"{report.title}\n{report.text}" for report in evidence.reports)
    tokens = sum(passage.token_count for passage in evidence.passages) + (count_tokens(reports) if reports else 0)
    text = "\n\n".join(part for part in (numbered(evidence.citable), reports) if part)
    return Context(text, len(evidence.passages), tokens, seconds, usage)


def _about(trial: Trial) -> dict[str, str]:
    return {"system": trial.system, "question": trial.question.text}


def _bare(text: str) -> str:
    """The answer without citations, and without the word that a style puts before it."""
    return plain(text).rpartition(_ANSWER)[2].strip()
