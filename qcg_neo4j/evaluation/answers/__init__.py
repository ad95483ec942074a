"""Evaluate answers, written here or given: figures and their files out; what it will cost, before it is spent."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError, MissingReplyError
from qcg_neo4j.core.progress import Bars, no_bars
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.agreement import FILE as AGREEMENT
from qcg_neo4j.evaluation.agreement import agreement
from qcg_neo4j.evaluation.answers.answer_run import AnswerRun
from qcg_neo4j.evaluation.answers.earlier import compared_with
from qcg_neo4j.evaluation.answers.measures import ACCURACY, COMPARING, Measuring
from qcg_neo4j.evaluation.answers.page import as_markdown, is_drawn, plot, record
from qcg_neo4j.evaluation.answers.result import Answered, AnswersResult, rows_of
from qcg_neo4j.evaluation.answers.systems import settings_of
from qcg_neo4j.evaluation.answers.trials import Candidate, Context, Trial, Written, trials_of
from qcg_neo4j.evaluation.answers.verdicts import Judged
from qcg_neo4j.evaluation.folder import checked_folder, remove, write_texts
from qcg_neo4j.evaluation.judge import BYTES_PER_TOKEN, expect
from qcg_neo4j.evaluation.lineup import baseline_of
from qcg_neo4j.evaluation.page import as_csv
from qcg_neo4j.evaluation.questions import Answers, Question
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings
from qcg_neo4j.models.replies import ReplySource, ReplyStore
from qcg_neo4j.retrieval.answer.global_search import ANSWER_TOKENS
from qcg_neo4j.retrieval.answer.map_reduce import MAP, REDUCE

TABLE, NUMBERS, PICTURE, SCORES = "answers.md", "answers.csv", "answers.png", "scores.jsonl"


def measurable(questions: Sequence[Question], measuring: Measuring) -> list[Question]:
    """The questions that have a measure: all if answers are compared with each other, else those with a reference."""
    kept = [question for question in questions if measuring.compares or question.has_reference]
    if not kept:
        raise InputError(
            "None of the chosen questions has a reference answer, so there is nothing to compare with.",
            f"These measures need none: {', '.join(COMPARING)}.",
        )
    return kept


def given_candidates(answers: Answers, questions: Sequence[Question], replicates: int) -> list[Candidate]:
    """The answers of files to these questions, each as often as it is to be judged; there must be one."""
    shared = [question for question in questions if question.text in set(answers.questions)]
    if not shared:
        raise InputError(
            "The files hold answers to none of the chosen questions.", "Questions are matched by their exact text."
        )
    return [
        Candidate(trial, answers.texts[key], read=answers.read.get(key), cited=answers.cited.get(key))
        for trial in trials_of(answers.systems, shared, replicates)
        for key in [(trial.system, trial.question.text)]
    ]


def evaluate_given(
    answers: Answers,
    questions: Sequence[Question],
    output: Path,
    measuring: Measuring,
    *,
    baseline: str | None = None,
    bars: Bars = no_bars,
) -> AnswersResult:
    """Score answers that somebody has written; writes ``answers.md``, ``.csv``, ``.png`` and ``scores.jsonl``.

    Without a ``baseline`` it is ``vector``, where that is one of the systems.

    Raises:
        InputError: there is nothing to score, or the folder cannot be written.
        LanguageModelError: the judge's endpoint failed for good; what came before is stored.
        MissingReplyError: there is not a single verdict.
    """
    baseline = baseline_of(baseline, answers.systems)
    chosen = measurable(questions, measuring)
    candidates = given_candidates(answers, chosen, measuring.times_judged)
    folder = checked_folder(output)
    judged = measuring.score(candidates, folder, bars)
    written = {item.trial: Written(item.text, "") for item in candidates}
    answered = Answered([(name, "", {}) for name in answers.systems], list(written), written)
    shared = {item.trial.question for item in candidates}
    left_out = tuple(question.text for question in chosen if question not in shared)
    about: dict[str, Any] = {"baseline": baseline, "style": "", "answerer": "", "left_out": left_out}
    return _finished(folder, answered, candidates, judged, measuring, about, questions)


def evaluate_answers(
    run: AnswerRun, questions: Sequence[Question], output: Path, measuring: Measuring, bars: Bars = no_bars
) -> AnswersResult:
    """Have all systems answer and score the answers; writes ``answers.md``, ``.csv``, ``.png`` and ``scores.jsonl``.

    Contexts and answers are kept in ``answers.jsonl`` in the same folder, replies in the store of their source: the
    same call after an interruption goes on, after the end it only renders.

    Raises:
        InputError: the folder cannot be written.
        GraphError: the graph cannot serve a system.
        WaitingError: answers or verdicts are in batches that have not ended; what has come is kept.
        LanguageModelError: an endpoint failed for good; what came before is kept.
        MissingReplyError: there is not a single answer, or not a single verdict.
    """
    for asking in (False, True):
        with bars("Retrieving") as progress:
            run.gather(asking=asking, progress=progress)
    with bars("Answering") as progress:
        run.write(progress)
    written = {trial: found for trial in run.trials if (found := run.written(trial))}
    contexts = {trial: context for trial in written if (context := run.context(trial))}
    if not written:
        raise MissingReplyError(f"No answer was written. First error: {next(iter(run.failed.values()))}")
    candidates = [_candidate(trial, item, contexts[trial]) for trial, item in written.items()]
    judged = measuring.score(candidates, output, bars)
    systems = [(one.name, one.retriever.name, settings_of(one.retriever)) for one in run.lineup.systems]
    answered = Answered(systems, run.trials, written, contexts)
    about = {
        "baseline": run.lineup.baseline,
        "note": run.lineup.note,
        "style": run.style,
        "answerer": run.meter.name,
        "graph": run.state.told,
        "missing": tuple((f"{trial.system}, {trial.question.text}", reason) for trial, reason in run.failed.items()),
        "usage": {"answers": run.meter.paid},
    }
    return _finished(output, answered, candidates, judged, measuring, about, questions)


def _candidate(trial: Trial, written: Written, context: Context) -> Candidate:
    read = frozenset(one for documents in context.documents for one in documents)
    if written.cited is None:  # reports were read, or nobody knows
        return Candidate(trial, written.text, context.text)
    return Candidate(trial, written.text, context.text, read, frozenset(written.cited))


def _finished(
    folder: Path,
    answered: Answered,
    candidates: Sequence[Candidate],
    judged: Judged,
    measuring: Measuring,
    about: Mapping[str, Any],
    questions: Sequence[Question],
) -> AnswersResult:
    counts = [one for by_task in judged.counts.values() for one in by_task.values()]
    if counts and all(one.asked == one.failed + one.unparsable for one in counts):
        raise MissingReplyError(f"The judge gave no verdict. First error: {judged.first_failure}")
    measured = {trial.question for trial in answered.trials}
    earlier = measuring.earlier
    usage = {"answers": Usage(), **about.get("usage", {}), "verdicts": judged.usage}
    result = AnswersResult(
        rows=rows_of(answered, judged, about["baseline"], measuring.settings),
        questions=len(measured),
        null_questions=sum(question.is_null for question in measured),
        without_reference=sum(not question.has_reference for question in questions),
        compared=measuring.compares,
        settings=asdict(measuring.settings),
        judges=tuple(judged.judges),
        command=measuring.command,
        embedding=measuring.open_embedder().name if ACCURACY in measuring.groups else "",
        pairwise=judged.pairwise,
        claims=judged.claims,
        agreement=agreement(folder, measuring.command) if judged.pairwise and judged.claims else (),
        earlier=compared_with(earlier, judged.values, measuring.settings) if earlier else (),
        earlier_run=earlier.name if earlier else "",
        **{**about, "usage": usage},
    )
    lines = "".join(_line(candidate, judged) for candidate in candidates)
    numbers = as_csv([record(row) for row in result.rows])
    write_texts(folder, {SCORES: lines, NUMBERS: numbers, TABLE: as_markdown(result)})
    if is_drawn(result):
        plot(result, folder / PICTURE)
    else:
        remove(folder / PICTURE)
    if not result.agreement:  # tables of pairs and of claims stay: commands of their own write these
        remove(folder / AGREEMENT)
    return result


def _line(candidate: Candidate, judged: Judged) -> str:
    """An answer with its values as a line of JSON."""
    trial = candidate.trial
    reference = None if trial.question.is_null else trial.question.answer
    values = {"reference": reference, "answer": candidate.text, **judged.values.get(trial, {})}
    return json.dumps({**trial.about, **values}, ensure_ascii=False) + "\n"


# Tokens of an answer with its reasoning and citations as JSON, and of the answer and a context alone.
_REPLY, _ANSWER, _CONTEXT = 120.0, 30, 1500
_OWN = {MAP: float(ANSWER_TOKENS), REDUCE: float(ANSWER_TOKENS)}


def estimate_answers(
    run: AnswerRun, source: ReplySource, language_model: LanguageModelSettings, store: ReplyStore
) -> Estimate:
    """Calls, tokens and cost of the answers still to be written from existing contexts; makes no call.

    Systems that ask a language model on their way (`AnswerRun.asking_systems`) are left out as far as nobody knows
    what they will ask.
    """
    return expect(run.expected_requests(), source, language_model, store, {run.task: _REPLY, **_OWN})


def estimate_verdicts(
    candidates: Sequence[Candidate],
    measuring: Measuring,
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
) -> Estimate:
    """Calls, tokens and cost of the verdicts still to be given; makes no call."""
    requests = list(measuring.requests(candidates))
    tasks = {request.task.name for request in requests}
    lengths = {name: tokens for name, tokens in measuring.reply_tokens.items() if name in tasks}
    return expect(requests, source, language_model, store, lengths)


def expected_candidates(run: AnswerRun) -> Iterator[Candidate]:
    """The answers that are there, and texts of usual length for the others."""
    for trial in run.trials:
        written, context = run.written(trial), run.context(trial)
        usual = _ANSWER if trial.question.has_reference else ANSWER_TOKENS
        text = written.text if written else _stand_in(trial, usual)
        yield Candidate(trial, text, context.text if context else _stand_in(trial, _CONTEXT))


def _stand_in(trial: Trial, tokens: int) -> str:
    name = f"{trial.system} {trial.question.id} {trial.replicate} "
    return name.ljust(BYTES_PER_TOKEN * tokens, "x")
