"""Compare answers: answers in, figures and their files out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from qcg_neo4j.core.errors import MissingReplyError
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.evaluation.folder import checked_folder, write_texts
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.judge import replies_to
from qcg_neo4j.evaluation.page import as_csv
from qcg_neo4j.evaluation.pairwise.page import as_markdown, plot, record
from qcg_neo4j.evaluation.pairwise.result import PairwiseResult, result_of
from qcg_neo4j.evaluation.pairwise.verdicts import CRITERIA, TASK, pairs, request, trials, verdict_of
from qcg_neo4j.evaluation.settings import PairwiseSettings
from qcg_neo4j.models.replies import ReplySource, Request

TABLE, NUMBERS, PICTURE, VERDICTS = "pairwise.md", "pairwise.csv", "pairwise.png", "verdicts.jsonl"
REPLY_TOKENS = {TASK: 110.0}  # a verdict with two to four sentences of reasons


def compare_pairwise(
    answers: Answers,
    source: ReplySource,
    output: Path,
    settings: PairwiseSettings | None = None,
    *,
    criteria: Sequence[str] = (),
    baseline: str | None = None,
    command: str = "",
    progress: Progress = silent,
) -> PairwiseResult:
    """Let a judge compare the answers, and write ``pairwise.md``, ``.csv`` and ``.png``, and ``verdicts.jsonl``.

    ``criteria`` are all when none is named; with a ``baseline`` the others are compared with it alone. Verdicts are
    kept where ``source`` keeps its replies, so that the same call goes on after an interruption.

    Raises:
        InputError: there is nothing to compare, or the folder cannot be written.
        LanguageModelError: the endpoint failed for good; what came before is stored.
        MissingReplyError: there is not a single verdict.
    """
    settings = settings or PairwiseSettings()
    compared, chosen = pairs(answers.systems, baseline), _chosen(criteria)
    wanted = list(trials(answers, compared, chosen, settings.replicates))
    folder = checked_folder(output)
    found = replies_to([request(trial, answers) for trial in wanted], source, progress)
    verdicts = [verdict_of(trial, result) for trial, result in zip(wanted, found.results, strict=True)]
    if all(verdict.failed for verdict in verdicts):
        raise MissingReplyError(f"The judge gave no verdict. First error: {verdicts[0].failed}")
    result = result_of(answers, compared, chosen, verdicts, found, settings, command)
    plot(result, folder / PICTURE)
    lines = "".join(verdict.line() for verdict in verdicts)
    numbers = as_csv([record(comparison) for comparison in result.comparisons])
    write_texts(folder, {VERDICTS: lines, NUMBERS: numbers, TABLE: as_markdown(result)})
    return result


def pairwise_requests(
    answers: Answers, settings: PairwiseSettings, *, criteria: Sequence[str] = (), baseline: str | None = None
) -> Iterator[Request]:
    """What a judge is asked about these answers."""
    wanted = trials(answers, pairs(answers.systems, baseline), _chosen(criteria), settings.replicates)
    return (request(trial, answers) for trial in wanted)


def _chosen(criteria: Sequence[str]) -> list[str]:
    return [name for name in CRITERIA if not criteria or name in criteria]
