"""One run of systems that answer: contexts from the graph, answers from a language model, both kept as they come."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import cached_property, partial
from typing import Any

from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Atom, Evidence, Passage, content_id
from qcg_neo4j.evaluation.answers.systems import OwnWay, settings_of
from qcg_neo4j.evaluation.answers.trials import CONTEXT, WRITTEN, Context, Metered, Trial, Written, repeated, usage_of
from qcg_neo4j.evaluation.judge import check_none_waits
from qcg_neo4j.evaluation.lineup import Lineup
from qcg_neo4j.evaluation.systems_run import Step, SystemsRun
from qcg_neo4j.models.embedding.windows import token_counts
from qcg_neo4j.models.prompts import cited, numbered, plain, task
from qcg_neo4j.models.replies import Failure, Reply, Request
from qcg_neo4j.retrieval.answer.map_reduce import REDUCE
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.answer.writing import DECLINED, parted, prompt_of, rules_of
from qcg_neo4j.retrieval.around.wrapper import says_nothing
from qcg_neo4j.retrieval.method import Method

NOTHING_FOUND = "(The search has found no passages.)"


@dataclass(frozen=True)
class AnswerRun(SystemsRun):
    """A run of systems that answer, and the language model that they ask; what ``failed`` are trials."""

    lineup: Lineup
    trials: list[Trial]
    style: str
    meter: Metered

    @property
    def task(self) -> str:
        """The name of what a model is asked for an answer from passages."""
        return prompt_of(self.style)

    @cached_property
    def own_requests(self) -> dict[str, Callable[[str], list[Request]]]:
        """By system, what it will ask about a question in its own way, where that is known beforehand."""
        found = {name: way.expected(self.graph) for name, way in self._methods.items() if isinstance(way, OwnWay)}
        return {name: ask for name, ask in found.items() if ask}

    @property
    def asking_systems(self) -> list[str]:
        """The systems that ask a language model before or beside the answer itself, nobody knows yet what."""
        asking = [name for name, method in self._methods.items() if method.asks_model]
        return [name for name in asking if name not in self.own_requests]

    def gather(self, *, asking: bool, progress: Progress = silent) -> None:
        """Retrieve what is not there yet, for the systems that ask a language model for it, or for the others.

        Raises:
            GraphError: the graph cannot serve a system.
            LanguageModelError: the endpoint failed for good; what came before is kept.
        """
        wanted = [
            trial
            for trial in self.trials
            if trial.replicate == 1 and not self._own(trial) and self._methods[trial.system].asks_model is asking
        ]
        todo = [trial for trial in wanted if self.context(trial) is None]
        self.embed(trial.question.text for trial in todo if self._methods[trial.system].needs_vector)
        self.go(self._steps(todo, self._retrieve), progress, len(wanted) - len(todo))

    def requests(self) -> Iterator[tuple[Trial, Request]]:
        """What is still to be asked for one answer each, of the trials whose context is there."""
        for trial, context in self._unwritten():
            if not context.declined:
                yield trial, answer_request(trial, context, self.style)

    def _unwritten(self) -> Iterator[tuple[Trial, Context]]:
        for trial in self.trials:
            context = None if self._own(trial) else self.context(trial)
            if context is not None and self.written(trial) is None:
                yield trial, context

    def expected_requests(self) -> Iterator[Request]:
        """The same, and what systems will ask in their own ways, with replies that are not there as of usual length."""
        yield from (request for _, request in self.requests())
        for trial in self.trials:
            if trial.system in self.own_requests and self.written(trial) is None:
                for request in self.own_requests[trial.system](trial.question.text):
                    yield repeated(request, trial.replicate)

    def write(self, progress: Progress = silent) -> None:
        """Have the missing answers written.

        Raises:
            GraphError: the graph cannot serve a system.
            WaitingError: some are in batches that have not ended; the others are kept.
            LanguageModelError: the endpoint failed for good; what came before is kept.
        """
        for trial, context in self._unwritten():
            if context.declined:
                self._keep_written(Written(DECLINED, "", context.usage, context.seconds, ()), trial)
        own = [trial for trial in self.trials if self._own(trial) and self.written(trial) is None]
        asked = list(self.requests())
        total = len(asked) + len(own)
        waiting: dict[str, list[Trial]] = {}
        for trial, request in asked:
            waiting.setdefault(request.key, []).append(trial)
        self.meter.begin()
        for done, result in enumerate(self.meter.replies_at_once(request for _, request in asked), start=1):
            self._take(waiting[result.request.key].pop(0), result)
            progress(done, total)
        self.go(self._steps(own, self._answer), progress, len(asked))
        check_none_waits(self.meter.batched)
        for trial in self.trials:
            # Without the context of the first repetition, the others have no answer either.
            first = self.failed.get(replace(trial, replicate=1))
            if first and self.written(trial) is None:
                self.failed.setdefault(trial, first)

    def context(self, trial: Trial) -> Context | None:
        """What a trial's answer is written from, if it is there."""
        key = self._answer_key(trial) if self._own(trial) else self._context_key(trial)
        found: Context | None = self.kept.value(CONTEXT, key)
        return found

    def written(self, trial: Trial) -> Written | None:
        """The answer of a trial, if it is there."""
        found: Written | None = self.kept.value(WRITTEN, self._answer_key(trial))
        return found

    def _steps(self, trials: list[Trial], work: Callable[[Trial], None]) -> list[Step]:
        return [Step(trial, trial.system, partial(work, trial)) for trial in trials]

    def _keep_context(self, key: str, context: Context, trial: Trial) -> None:
        about = {"system": trial.system, "question": trial.question.text}
        self.kept.add(CONTEXT, key, context, {**about, CONTEXT: asdict(context)})

    def _keep_written(self, written: Written, trial: Trial) -> None:
        record = {**trial.about, "answer": written.text, WRITTEN: asdict(written)}
        self.kept.add(WRITTEN, self._answer_key(trial), written, record)

    def _retrieve(self, trial: Trial) -> None:
        question, method = trial.question.text, self._methods[trial.system]
        self.meter.begin()
        evidence = method.retrieve(self.graph, question, self.vector(question) if method.needs_vector else None)
        seconds = evidence.seconds if self.meter.all_new else None
        self._keep_context(self._context_key(trial), self._context(evidence, seconds), trial)

    def _answer(self, trial: Trial) -> None:
        way = self._methods[trial.system]
        assert isinstance(way, OwnWay)  # noqa: S101 - only these come here
        self.meter.begin(trial.replicate)
        start = time.perf_counter()
        try:
            answer = way.answer(self.graph, trial.question.text, self.meter)
        finally:
            usage, all_new, asked = self.meter.usage, self.meter.all_new, self.meter.asked
            self.meter.begin()
        seconds = time.perf_counter() - start if all_new else None
        self._keep_context(self._answer_key(trial), self._own_context(answer, asked), trial)
        self._keep_written(Written(plain(answer.text), answer.model, usage, seconds), trial)

    def _take(self, trial: Trial, result: Reply | Failure) -> None:
        if isinstance(result, Failure):
            self.failed[trial] = result.reason
            return
        context = self.context(trial)
        assert context is not None  # noqa: S101 - without it nothing was asked
        known = context.seconds is not None and result.seconds is not None
        seconds = (context.seconds or 0) + (result.seconds or 0) if known else None
        _, text = parted(plain(str(result.value["answer"])), self.style)
        usage = context.usage + usage_of(result)
        self._keep_written(Written(text, result.model, usage, seconds, _cited(result.value, context)), trial)

    def _context(self, evidence: Evidence, seconds: float | None) -> Context:
        """The evidence as a prompt shows it."""
        reports = "\n\n".join(f"{report.title}\n{report.text}" for report in evidence.reports)
        text = "\n\n".join(part for part in (numbered(evidence.citable), reports) if part) or NOTHING_FOUND
        held = {passage.id: tuple(one.id for one in passage.documents) for passage in evidence.passages}
        return Context(
            text,
            len(evidence.passages),
            self._tokens([text]),
            seconds,
            self.meter.usage,
            tuple(_documents(one, held) for one in evidence.citable),
            len(evidence.thoughts) or 1,
            says_nothing(evidence),
        )

    def _own_context(self, answer: Answer, asked: Sequence[Request]) -> Context:
        """What a system read that answers in its own way."""
        texts = read_by(asked)
        text = texts[0] if len(texts) == 1 else None
        steps = len(answer.evidence.thoughts) or 1
        return Context(text, len(answer.evidence.passages), self._tokens(texts), None, steps=steps)

    def _tokens(self, texts: Sequence[str]) -> int:
        return sum(token_counts(texts, self.graph.question_embedder().tokenizer))

    @cached_property
    def _methods(self) -> dict[str, Method]:
        return {system.name: system.retriever for system in self.lineup.systems}

    def _own(self, trial: Trial) -> bool:
        return isinstance(self._methods[trial.system], OwnWay)

    def _context_key(self, trial: Trial) -> str:
        method = self._methods[trial.system]
        asked = f"{method.name} asking {self.meter.name}" if method.asks_model else method.name
        return self.key(asked, settings_of(method), trial.question.text)

    def _answer_key(self, trial: Trial) -> str:
        style = "" if self._own(trial) else self.style
        return content_id(self._context_key(trial), style, self.meter.name, str(trial.replicate))


def answer_request(trial: Trial, context: Context, style: str) -> Request:
    """What a trial's answer is asked for with; equal contexts are one call, repetitions are several."""
    question, passages = trial.question.text, context.text
    assert passages is not None  # noqa: S101 - only what answers in its own way reads several
    key = json.dumps([question, style, passages], ensure_ascii=False)
    request = Request(task(prompt_of(style)), key, {"passages": passages, "question": question, **rules_of(style)})
    return repeated(request, trial.replicate)


def read_by(asked: Sequence[Request]) -> list[str]:
    """The texts that an answer in a system's own way was written from; partial answers in between are none."""
    shown = [request for request in asked if "items" in request.variables]
    first = [request for request in shown if request.task.name != REDUCE] or shown
    return list(dict.fromkeys(request.variables["items"] for request in first))


def _documents(one: Passage | Atom, held: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """The documents that hold a passage, or those of the found passages that state an atom."""
    chunks = (one.id,) if isinstance(one, Passage) else one.chunks
    return tuple(dict.fromkeys(document for chunk in chunks for document in held.get(chunk, ())))


def _cited(reply: Mapping[str, Any], context: Context) -> tuple[str, ...] | None:
    """The documents of the passages that an answer cites, in its text or its list of citations.

    None where passages were found whose documents nobody knows.
    """
    if not any(context.documents) and context.text != NOTHING_FOUND:
        return None
    listed = "".join(f"[{number}]" for number in reply["citations"])
    found = cited(f"{reply['answer']} {listed}", context.documents)
    return tuple(dict.fromkeys(document for documents in found for document in documents))
