"""How many claims answers make, and how different these are (GraphRAG, section 4.2): answers in, pages and CSV out.

Mean numbers of claims and clusters per system, and the differences between the systems.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from qcg_neo4j.core.errors import MissingReplyError, number_of
from qcg_neo4j.core.progress import Progress, silent
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.claims.lists import TASK, THRESHOLDS, Claims, extract_claims
from qcg_neo4j.evaluation.figures import Figure, Matrix, figures_of, holm, signed_rank
from qcg_neo4j.evaluation.folder import checked_folder, write_texts
from qcg_neo4j.evaluation.page import Page, Result, Table, as_csv, in_parentheses, not_by_all, shown, some
from qcg_neo4j.evaluation.questions import Answers
from qcg_neo4j.evaluation.settings import ClaimsSettings
from qcg_neo4j.models.replies import ReplySource

CLAIMS = "claims"
MEASURES = (CLAIMS, *(f"clusters at {threshold}" for threshold in THRESHOLDS))


@dataclass(frozen=True)
class ClaimsRow:
    """A system's means by measure, over the questions for which every system's claims are known.

    ``duplicates`` are claims that were joined with an equal one of the same answer; ``empty`` counts answers without
    any claim; ``failed`` and ``unparsable`` count the answers whose claims are not known.
    """

    system: str
    figures: Mapping[str, Figure]
    duplicates: int
    empty: int
    failed: int
    unparsable: int


@dataclass(frozen=True)
class Contrast:
    """The difference of two systems by one measure: first less second, with interval, effect and tests."""

    measure: str
    first: str
    second: str
    difference: Figure
    effect: float
    p: float
    p_holm: float


@dataclass(frozen=True)
class ClaimsResult(Result):
    """The figures, what they were made of, and how they are made again.

    ``questions`` counts those that were measured; ``unknown`` are left out because the claims of one of the answers
    are not known, ``left_out`` because not every system has answered them.
    """

    rows: tuple[ClaimsRow, ...]
    contrasts: tuple[Contrast, ...]
    questions: int
    unknown: tuple[str, ...]
    left_out: tuple[str, ...]
    models: tuple[str, ...]
    settings: Mapping[str, Any]
    command: str = ""
    usage: Usage = field(default_factory=Usage)


def _result_of(
    answers: Answers, claims: Sequence[Claims], unknown: Sequence[str], settings: ClaimsSettings, **about: Any
) -> ClaimsResult:
    """The figures of all claims; at least one question must have those of every system."""
    of_systems = [[item for item in claims if item.system == system] for system in answers.systems]
    known = [[item for item in items if item.question not in set(unknown)] for items in of_systems]
    # Per measure the values of the questions: (systems, questions).
    counted = np.array([[(len(item.claims), *item.clusters) for item in items] for items in known], dtype=np.float64)
    values = dict(zip(MEASURES, np.moveaxis(counted, 2, 0), strict=True))
    figures = {name: _means(matrix, settings) for name, matrix in values.items()}
    rows = [
        ClaimsRow(
            system,
            {name: means[place] for name, means in figures.items()},
            duplicates=sum(item.given - len(item.claims) for item in items),
            empty=sum(not item.claims and not item.failed for item in items),
            failed=sum(bool(item.failed) and not item.unparsable for item in items),
            unparsable=sum(item.unparsable for item in items),
        )
        for place, (system, items) in enumerate(zip(answers.systems, of_systems, strict=True))
    ]
    contrasts = [one for name, matrix in values.items() for one in _contrasts(name, answers.systems, matrix, settings)]
    return ClaimsResult(
        tuple(rows),
        tuple(contrasts),
        len(answers.questions) - len(unknown),
        tuple(unknown),
        answers.left_out,
        settings=asdict(settings),
        **about,
    )


def _means(values: Matrix, settings: ClaimsSettings) -> list[Figure]:
    return [figure for figure in figures_of(values, settings) if figure]  # every value is known


def _contrasts(name: str, systems: Sequence[str], values: Matrix, settings: ClaimsSettings) -> list[Contrast]:
    """All pairs of systems by one measure; the correction is over these."""
    places = list(combinations(range(len(systems)), 2))
    if not places:
        return []
    differences = np.stack([values[first] - values[second] for first, second in places])
    tests = [signed_rank(row) for row in differences]
    means, corrected = _means(differences, settings), holm([test.p for test in tests])
    return [
        Contrast(name, systems[first], systems[second], mean, test.effect, test.p, p_holm)
        for (first, second), mean, test, p_holm in zip(places, means, tests, corrected, strict=True)
    ]


TABLE, NUMBERS, LISTS = "claims.md", "claims.csv", "claims.jsonl"
REPLY_TOKENS = {TASK: 31 * 20.0}  # GraphRAG found 31 claims in an answer; a claim is a sentence
SPARE = ("duplicates", "no claims", "clusters at 0.8", "clusters at 0.5", "clusters at 0.7", "unparsable")
COUNTS = ("duplicates", "empty", "failed", "unparsable")


def count_claims(
    answers: Answers,
    source: ReplySource,
    output: Path,
    settings: ClaimsSettings | None = None,
    *,
    command: str = "",
    progress: Progress = silent,
) -> ClaimsResult:
    """Let a model list the claims of each answer, and write ``claims.md``, ``claims.csv`` and ``claims.jsonl``.

    Lists are kept where ``source`` keeps its replies, so that the same call goes on after an interruption.

    Raises:
        InputError: the folder cannot be written.
        LanguageModelError: the endpoint failed for good; what came before is stored.
        MissingReplyError: no question has the claims of every system.
    """
    settings = settings or ClaimsSettings()
    folder = checked_folder(output)
    claims, asked = extract_claims(answers, source, progress)
    unknown = list(dict.fromkeys(item.question for item in claims if item.failed))
    if len(unknown) == len(answers.questions):
        failed = next(item.failed for item in claims if item.failed)
        raise MissingReplyError(f"There is no question with the claims of every system. The first gap: {failed}")
    about = {"models": asked.models, "command": command, "usage": asked.usage}
    result = _result_of(answers, claims, unknown, settings, **about)
    lists = "".join(item.line() for item in claims)
    write_texts(folder, {LISTS: lists, NUMBERS: as_csv(list(records(result))), TABLE: as_markdown(result)})
    return result


def as_markdown(result: ClaimsResult) -> str:
    """The whole page: command, head, figures, differences, remarks."""
    head = (
        f"{number_of(result.questions, 'question')}.",
        f"Claims listed by {', '.join(result.models) or 'no model'}.",
    )
    columns = ("measure", "system", "against", "difference", "effect", "p", "p (Holm)")
    rows = [
        [
            *(item.measure, item.first, item.second, shown(item.difference, sign="+")),
            *(f"{item.effect:+.2f}", f"{item.p:.4f}", f"{item.p_holm:.4f}"),
        ]
        for item in result.contrasts
    ]
    tables = (figure_table(result, intervals=MEASURES), Table(columns, rows, "Differences"))
    return Page("Claims of answers", result.command, head, tables, remarks(result)).markdown()


def figure_table(result: ClaimsResult, intervals: Sequence[str] = (CLAIMS,)) -> Table:
    """The main table as a person reads it."""
    columns = ["system", *MEASURES, "duplicates", "no claims", "failed", "unparsable"]
    return Table(columns, [_cells(row, intervals) for row in result.rows], spare=SPARE)


def _cells(row: ClaimsRow, intervals: Sequence[str]) -> list[str]:
    means = [shown(row.figures[name], name in intervals) for name in MEASURES]
    return [row.system, *means, *(f"{getattr(row, name):,}" for name in COUNTS)]


def remarks(result: ClaimsResult) -> Iterator[str]:
    """What a reader must know."""
    yield (
        "Claims: mean number of distinct factual claims in an answer (comprehensiveness). Clusters: mean number of "
        "groups of claims that say nearly the same (diversity), by complete linkage: at a threshold of 0.6 two groups "
        "join if no two of their claims are farther apart than 0.6 by 1 − ROUGE-L."
    )
    yield (
        f"{in_parentheses(result.settings)} p: Wilcoxon's signed-rank test, question by question, two-sided; corrected "
        "over the pairs of systems (Holm). Effect: rank-biserial correlation, from -1 to +1."
    )
    yield from oddities(result)


def oddities(result: ClaimsResult) -> Iterator[str]:
    """What was odd about this run, a sentence each."""
    yield from not_by_all(result.left_out)
    failed, unparsable = (sum(getattr(row, name) for row in result.rows) for name in ("failed", "unparsable"))
    if failed or unparsable:
        yield (
            f"The claims of {number_of(failed + unparsable, 'answer')} are not known ("
            f"{number_of(failed, 'request')} failed, {number_of(unparsable, 'reply was', 'replies were')} unparsable), "
            f"so that {number_of(len(result.unknown), 'question is', 'questions are')} left out: "
            f"{some(result.unknown)}. The same command asks for these alone."
        )


def records(result: ClaimsResult) -> Iterator[dict[str, Any]]:
    """The CSV: a row per system and measure, then one per difference; every figure and every count."""
    for row in result.rows:
        counts = {name: getattr(row, name) for name in COUNTS}
        for measure, figure in row.figures.items():
            yield {"measure": measure, "system": row.system, "against": "", **asdict(figure), **counts}
    for item in result.contrasts:
        tests = {"effect": item.effect, "p": item.p, "p_holm": item.p_holm}
        named = {"measure": item.measure, "system": item.first, "against": item.second}
        yield {**named, **asdict(item.difference), **tests}
