"""Evaluate answers: questions and systems in, or answers that are already there; figures and their files out."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from qcg_neo4j.errors import InputError, MissingReplyError
from qcg_neo4j.evaluate.answering.judging import Judged
from qcg_neo4j.evaluate.answering.kept import Kept
from qcg_neo4j.evaluate.answering.plot import plot
from qcg_neo4j.evaluate.answering.result import Answered, AnswersResult, rows_of
from qcg_neo4j.evaluate.answering.scoring import ACCURACY, GROUPS, JUDGED_GROUPS, score
from qcg_neo4j.evaluate.answering.table import as_csv, as_markdown
from qcg_neo4j.evaluate.answering.trials import Candidate, Trial, Written
from qcg_neo4j.evaluate.answering.writing import Answering
from qcg_neo4j.evaluate.answers import Answers
from qcg_neo4j.evaluate.folder import checked_folder, write_texts
from qcg_neo4j.evaluate.questions import Question
from qcg_neo4j.evaluate.settings import AnswersSettings
from qcg_neo4j.evaluate.state import GraphState
from qcg_neo4j.evaluate.systems import Lineup
from qcg_neo4j.progress import Bars, no_bars
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.settings import nearest

if TYPE_CHECKING:
    from qcg_neo4j.embedding import Embedder

TABLE, NUMBERS, PICTURE, SCORES = "answers.md", "answers.csv", "answers.png", "scores.jsonl"


@dataclass(frozen=True)
class Measuring:
    """How answers are measured: by which groups of measures, by which judge, and the command that the page names.

    ``judge`` may be None where no group needs one. ``open_embedder`` is called for ACC alone.
    """

    groups: tuple[str, ...]
    judge: ReplySource | None
    settings: AnswersSettings
    open_embedder: Callable[[], Embedder]
    command: str = ""

    def __post_init__(self) -> None:
        for name in self.groups:
            if name not in GROUPS:
                raise InputError(f"There are no measures {name!r}.", nearest(name, list(GROUPS)))
        needing = [name for name in self.groups if name in JUDGED_GROUPS]
        if needing and self.judge is None:
            raise InputError(f"The measures {', '.join(needing)} need a judge.", "Give one, or only --measure match.")


def answerable(questions: Sequence[Question]) -> list[Question]:
    """The questions that can be scored: null ones, and those whose answer is known.

    Raises:
        InputError: there is none.
    """
    kept = [question for question in questions if question.is_null or question.answer]
    if not kept:
        raise InputError("None of the chosen questions has a reference answer, so there is nothing to compare with.")
    return kept


def trials_of(systems: Sequence[str], questions: Sequence[Question], replicates: int) -> list[Trial]:
    """All trials, question by question, so that an interrupted run has something of every system."""
    numbers = range(1, replicates + 1)
    return [Trial(system, question, number) for question in questions for system in systems for number in numbers]


def given_candidates(answers: Answers, questions: Sequence[Question], replicates: int) -> list[Candidate]:
    """The answers of files to these questions, each as often as it is to be judged.

    Raises:
        InputError: the files answer none of the questions.
    """
    shared = [question for question in questions if question.text in set(answers.questions)]
    if not shared:
        raise InputError(
            "The files hold answers to none of the chosen questions.", "Questions are matched by their exact text."
        )
    trials = trials_of(answers.systems, shared, replicates)
    return [Candidate(trial, answers.texts[trial.system, trial.question.text]) for trial in trials]


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

    Raises:
        InputError: there is nothing to score, or the folder cannot be written.
        LanguageModelError: the judge's endpoint failed for good; what came before is stored.
        MissingReplyError: there is not a single verdict.
    """
    if baseline is not None and baseline not in answers.systems:
        raise InputError(f"The baseline {baseline!r} is none of the systems.", nearest(baseline, list(answers.systems)))
    chosen = answerable(questions)
    candidates = given_candidates(answers, chosen, measuring.settings.replicates)
    folder = checked_folder(output)
    judged = _score(candidates, measuring, bars)
    answered = [
        _answered(name, "", {}, [item.trial for item in candidates], {item.trial: _bare(item) for item in candidates})
        for name in answers.systems
    ]
    shared = {item.trial.question for item in candidates}
    left_out = tuple(question.text for question in chosen if question not in shared)
    about: dict[str, Any] = {"style": "", "answerer": "", "left_out": left_out}
    return _finished(folder, answered, candidates, judged, measuring, {"baseline": baseline, **about}, questions)


def evaluate_answers(
    answering: Answering,
    kept: Kept,
    lineup: Lineup,
    questions: Sequence[Question],
    output: Path,
    measuring: Measuring,
    about: Mapping[str, Any],
    bars: Bars = no_bars,
) -> AnswersResult:
    """Have all systems answer and score the answers; writes ``answers.md``, ``.csv``, ``.png`` and ``scores.jsonl``.

    Contexts and answers are kept in ``answers.jsonl`` in the same folder, replies in the store of their source: the
    same call after an interruption goes on, after the end it only renders. ``about`` is what the page says besides.

    Raises:
        InputError: the folder cannot be written.
        GraphError: the graph cannot serve a system.
        LanguageModelError: an endpoint failed for good; what came before is kept.
        MissingReplyError: there is not a single answer, or not a single verdict.
    """
    for asking in (False, True):
        with bars("Retrieving") as progress:
            answering.gather(kept, asking=asking, progress=progress)
    with bars("Answering") as progress:
        answering.write(kept, progress)
    written = {trial: found for trial in answering.trials if (found := answering.written(kept, trial))}
    contexts = {trial: context for trial in written if (context := answering.context(kept, trial))}
    if not written:
        reason = next(iter(answering.failed.values())).reason
        raise MissingReplyError(f"Not a single answer was written. The first time: {reason}")
    candidates = [Candidate(trial, item.text, contexts[trial].text) for trial, item in written.items()]
    judged = _score(candidates, measuring, bars)
    answered = [
        _answered(
            system.name,
            system.retriever.name,
            asdict(system.retriever.settings),
            answering.trials,
            written,
            contexts,
        )
        for system in lineup.systems
    ]
    missing = tuple(
        (f"{trial.system}, {trial.question.text}", found.reason) for trial, found in answering.failed.items()
    )
    more = {"baseline": lineup.baseline, "note": lineup.note, "missing": missing, **about}
    usage = {"answers": answering.paid}
    return _finished(output, answered, candidates, judged, measuring, {**more, "usage": usage}, questions)


def about_graph(state: GraphState, style: str, answerer: str) -> dict[str, Any]:
    """What a page says about the graph and about who answers."""
    return {"graph": state.as_dict(), "style": style, "answerer": answerer}


def _score(candidates: Sequence[Candidate], measuring: Measuring, bars: Bars) -> Judged:
    return score(candidates, measuring.groups, measuring.settings, measuring.judge, measuring.open_embedder, bars)


def _bare(candidate: Candidate) -> Written:
    return Written(candidate.text, "")


def _answered(
    name: str,
    method: str,
    settings: Mapping[str, Any],
    trials: Sequence[Trial],
    written: Mapping[Trial, Written],
    contexts: Mapping[Trial, Any] | None = None,
) -> Answered:
    """The part of one system."""
    own = tuple(trial for trial in trials if trial.system == name)
    known = contexts or {}
    return Answered(
        name,
        method,
        settings,
        own,
        {trial: written[trial] for trial in own if trial in written},
        {trial: known[trial] for trial in own if trial in known},
    )


def _finished(
    folder: Path,
    answered: Sequence[Answered],
    candidates: Sequence[Candidate],
    judged: Judged,
    measuring: Measuring,
    about: Mapping[str, Any],
    questions: Sequence[Question],
) -> AnswersResult:
    if any(judged.asked.values()) and sum(judged.asked.values()) == sum(map(sum, judged.missing.values())):
        raise MissingReplyError(f"The judge has given no verdict at all. The first time: {judged.first_failure}")
    measured = {trial.question for item in answered for trial in item.trials}
    usage = {"answers": Usage(), **about.get("usage", {}), "verdicts": judged.usage}
    result = AnswersResult(
        rows=rows_of(answered, judged, about.get("baseline"), measuring.settings),
        questions=len(measured),
        null_questions=sum(question.is_null for question in measured),
        without_reference=sum(not (question.is_null or question.answer) for question in questions),
        settings=asdict(measuring.settings),
        judges=tuple(judged.judges),
        command=measuring.command,
        embedding=measuring.open_embedder().name if ACCURACY in measuring.groups else "",
        **{**about, "usage": usage},
    )
    plot(result, folder / PICTURE)
    lines = "".join(_line(candidate, judged) for candidate in candidates)
    write_texts(folder, {SCORES: lines, NUMBERS: as_csv(result), TABLE: as_markdown(result)})
    return result


def _line(candidate: Candidate, judged: Judged) -> str:
    """An answer with its values as a line of JSON."""
    trial = candidate.trial
    asked = {"system": trial.system, "question": trial.question.text, "replicate": trial.replicate}
    reference = None if trial.question.is_null else trial.question.answer
    values = {"reference": reference, "answer": candidate.text, **judged.values.get(trial, {})}
    return json.dumps({**asked, **values}, ensure_ascii=False) + "\n"
