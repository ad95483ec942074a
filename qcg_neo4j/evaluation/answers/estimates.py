"""What answering and judging will cost, before anything is spent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from qcg_neo4j.evaluation.answers.answer_run import AnswerRun
from qcg_neo4j.evaluation.answers.measures import REPLY_TOKENS, judge_requests
from qcg_neo4j.evaluation.answers.trials import Candidate, Trial
from qcg_neo4j.evaluation.judge import BYTES_PER_TOKEN, expect
from qcg_neo4j.models.llm import Estimate, LanguageModelSettings
from qcg_neo4j.models.replies import ReplySource, ReplyStore

# Tokens of an answer with its reasoning and citations as JSON, and of the answer and a context alone.
_REPLY, _ANSWER, _CONTEXT = 120.0, 30, 1500


def estimate_answers(
    run: AnswerRun, source: ReplySource, language_model: LanguageModelSettings, store: ReplyStore
) -> Estimate:
    """Calls, tokens and cost of the answers still to be written from contexts that are there; calls nobody.

    Systems that ask a language model on their way (`AnswerRun.asking_systems`) are left out as far as nobody knows
    what they will ask.
    """
    return expect([request for _, request in run.requests()], source, language_model, store, {run.task: _REPLY})


def estimate_verdicts(
    candidates: Sequence[Candidate],
    groups: Sequence[str],
    source: ReplySource,
    language_model: LanguageModelSettings,
    store: ReplyStore,
) -> Estimate:
    """Calls, tokens and cost of the verdicts still to be given; calls nobody."""
    requests = list(judge_requests(candidates, groups))
    tasks = {request.task.name for request in requests}
    lengths = {name: tokens for name, tokens in REPLY_TOKENS.items() if name in tasks}
    return expect(requests, source, language_model, store, lengths)


def expected_candidates(run: AnswerRun) -> Iterator[Candidate]:
    """The answers that are there, and texts of usual length for the others."""
    for trial in run.trials:
        written, context = run.written(trial), run.context(trial)
        text = written.text if written else _stand_in(trial, _ANSWER)
        yield Candidate(trial, text, context.text if context else _stand_in(trial, _CONTEXT))


def _stand_in(trial: Trial, tokens: int) -> str:
    name = f"{trial.system} {trial.question.id} {trial.replicate} "
    return name.ljust(BYTES_PER_TOKEN * tokens, "x")
