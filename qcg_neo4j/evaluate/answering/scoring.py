"""All measures of answers: what needs no judge, what judges say, and ACC from both."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from qcg_neo4j.evaluate.answering.judging import (
    CLAIMS,
    SCORES,
    STATEMENTS,
    VERDICT,
    Judged,
    claims_requests,
    judge_scores,
    judge_statements,
    judge_verdicts,
    scores_request,
    statements_request,
    verdict_request,
)
from qcg_neo4j.evaluate.answering.matching import exact_match, refuses, token_f1
from qcg_neo4j.evaluate.answering.trials import Candidate
from qcg_neo4j.evaluate.settings import AnswersSettings
from qcg_neo4j.progress import Bars, no_bars
from qcg_neo4j.replies import Request

if TYPE_CHECKING:
    from qcg_neo4j.embedding import Embedder
    from qcg_neo4j.replies import ReplySource

MATCH, VERDICTS, GPT_SCORE, ACCURACY = "match", "verdict", "gpt-score", "acc"
GROUPS = {
    MATCH: "exact match and token F1; asks nobody",
    VERDICTS: "right, wrong or refused",
    GPT_SCORE: "correctness, faithfulness and relevance, 1 to 5",
    ACCURACY: "ACC of GraphRAG-Bench, from statements and likeness",
}
JUDGED_GROUPS = (VERDICTS, GPT_SCORE, ACCURACY)
# Tokens of a reply: a sentence or two and the verdict; three sentences; claims; a few sentences and numbers.
REPLY_TOKENS = {VERDICT: 60.0, SCORES: 110.0, CLAIMS: 90.0, STATEMENTS: 120.0}


def score(
    candidates: Sequence[Candidate],
    groups: Sequence[str],
    settings: AnswersSettings,
    source: ReplySource | None,
    open_embedder: Callable[[], Embedder],
    bars: Bars = no_bars,
) -> Judged:
    """The measures of the chosen groups for every answer; the null questions take part in those of refusals alone.

    Raises:
        LanguageModelError: the judge's endpoint failed for good; what came before is stored.
        EmbeddingError: likeness could not be computed.
    """
    judged = Judged()
    answerable = [candidate for candidate in candidates if not candidate.trial.question.is_null]
    if VERDICTS not in groups:
        _refusals(candidates, judged)
    if MATCH in groups:
        _match(answerable, judged)
    if source and VERDICTS in groups:
        with bars("Judging") as progress:
            judge_verdicts(candidates, source, judged, progress)
    if source and GPT_SCORE in groups:
        with bars("Scoring") as progress:
            judge_scores(answerable, source, judged, progress)
    if source and ACCURACY in groups:
        with bars("Comparing statements") as progress:
            judge_statements(answerable, source, judged, progress)
        _accuracy(answerable, settings.accuracy_weight, judged, open_embedder())
    return judged


def judge_requests(candidates: Sequence[Candidate], groups: Sequence[str]) -> Iterator[Request]:
    """What judges will be asked about these answers; statements that nobody has listed yet are taken as of usual
    length.
    """
    answerable = [candidate for candidate in candidates if not candidate.trial.question.is_null]
    if VERDICTS in groups:
        yield from map(verdict_request, candidates)
    if GPT_SCORE in groups:
        yield from map(scores_request, answerable)
    if ACCURACY in groups:
        yield from claims_requests(answerable)
        for candidate in answerable:
            yield statements_request(candidate, [candidate.text], [candidate.trial.question.answer or ""])


def _refusals(candidates: Sequence[Candidate], judged: Judged) -> None:
    for candidate in candidates:
        name = "refused (null)" if candidate.trial.question.is_null else "refused (others)"
        judged.set(candidate.trial, {name: float(refuses(candidate.text))})


def _match(candidates: Sequence[Candidate], judged: Judged) -> None:
    for candidate in candidates:
        question = candidate.trial.question
        references = [question.answer or "", *question.aliases]
        values = {"exact match": exact_match(candidate.text, references), "F1": token_f1(candidate.text, references)}
        judged.set(candidate.trial, values)


def _accuracy(candidates: Sequence[Candidate], weight: float, judged: Judged, embedder: Embedder) -> None:
    """``ACC = weight · FC + (1 − weight) · SS`` where FC is there; ``SS = (1 + cosine) / 2``."""
    texts = list(dict.fromkeys(text for item in candidates for text in (item.text, item.trial.question.answer or "")))
    vectors = dict(zip(texts, embedder.embed(texts), strict=True))
    for candidate in candidates:
        trial = candidate.trial
        cosine = float(vectors[candidate.text] @ vectors[trial.question.answer or ""])
        likeness = (1 + cosine) / 2
        judged.set(trial, {"SS": likeness})
        facts = judged.values[trial].get("FC")
        if facts is not None:
            judged.set(trial, {"ACC": weight * facts + (1 - weight) * likeness})
