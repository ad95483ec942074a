"""What judges say of answers: right, wrong or refused; scores from 1 to 5; statements that are right or missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import Usage
from qcg_neo4j.evaluation.answers.trials import Candidate, Trial, repeated
from qcg_neo4j.evaluation.claims import ClaimsResult
from qcg_neo4j.evaluation.claims.lists import distinct
from qcg_neo4j.evaluation.claims.lists import request as claims_request
from qcg_neo4j.evaluation.judge import NOTHING, replies_to
from qcg_neo4j.evaluation.pairwise.result import PairwiseResult
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request, Result

VERDICT, SCORES, STATEMENTS = "evaluate/verdict", "evaluate/scores", "evaluate/statements"
SCORED = ("correctness", "faithfulness", "relevance")
# Of refused answers to questions that are not null, and of right answers; known where the documents are.
REFUSED_WITH_ALL, REFUSED_WITHOUT = "refused, all evidence read", "refused, some missing"
RIGHT_AND_CITED = "right ones that cite evidence"
NO_ANSWER = "(The material does not hold the answer: the right reply is to say so.)"
UNKNOWN_PASSAGES = "(They are not known. Score faithfulness to the reference answer instead.)"

Values = dict[str, float]
Compared = tuple[Candidate, list[str], list[str]]  # an answer, its statements, and those of the reference


@dataclass
class Counts:
    """Verdicts of a task that were requested, and missing ones: no reply, or none of the right form."""

    asked: int = 0
    failed: int = 0
    unparsable: int = 0


@dataclass
class Judged:
    """What judges said: values by trial and measure, and by system and task how many verdicts there are.

    ``pairwise`` and ``claims`` compare the answers with each other, where that is wanted.
    """

    values: dict[Trial, Values] = field(default_factory=dict)
    counts: dict[str, dict[str, Counts]] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    usage: Usage = Usage()
    first_failure: str = ""
    pairwise: PairwiseResult | None = None
    claims: ClaimsResult | None = None

    def set(self, trial: Trial, values: Mapping[str, float]) -> None:
        """Add values of a trial."""
        self.values.setdefault(trial, {}).update(values)

    def ask(self, requests: Sequence[Request], source: ReplySource, progress: Progress) -> Sequence[Result]:
        """The replies to requests, in their order; counts what they cost and who gave them."""
        replies = replies_to(requests, source, progress)
        self.took(replies.models, replies.usage)
        return replies.results

    def took(self, models: Iterable[str], usage: Usage) -> None:
        """Count what was paid, and who gave replies."""
        self.usage += usage
        self.judges |= dict.fromkeys(models)

    def count(self, system: str, name: str, failure: Failure | None) -> None:
        """Count a verdict, or one that is not there."""
        counts = self.counts.setdefault(system, {}).setdefault(name, Counts())
        counts.asked += 1
        if failure:
            self.first_failure = self.first_failure or failure.reason
            counts.unparsable += failure.unusable
            counts.failed += not failure.unusable

    def replies(
        self, name: str, candidates: Sequence[Candidate], results: Iterable[Result]
    ) -> Iterator[tuple[int, Mapping[str, Any]]]:
        """The verdicts of a task that are there, each with the place of its candidate; counts all."""
        for place, (candidate, result) in enumerate(zip(candidates, results, strict=True)):
            self.count(candidate.trial.system, name, result if isinstance(result, Failure) else None)
            if not isinstance(result, Failure):
                yield place, result.value


def _request(name: str, candidate: Candidate, variables: Mapping[str, str]) -> Request:
    key = json.dumps(list(variables.values()), ensure_ascii=False)
    return repeated(Request(task(name), key, variables), candidate.trial.replicate)


def verdict_request(candidate: Candidate) -> Request:
    """What is asked for a verdict on an answer; to a null question, the reference is that there is none."""
    question = candidate.trial.question
    reference = NO_ANSWER if question.is_null else " / ".join(question.references)
    variables = {"question": question.text, "reference": reference, "answer": candidate.text or NOTHING}
    return _request(VERDICT, candidate, variables)


def scores_request(candidate: Candidate) -> Request:
    """What is asked for the scores of an answer."""
    variables = {
        "question": candidate.trial.question.text,
        "reference": candidate.trial.question.answer or "",
        "passages": UNKNOWN_PASSAGES if candidate.context is None else candidate.context,
        "answer": candidate.text or NOTHING,
    }
    return _request(SCORES, candidate, variables)


def statements_request(candidate: Candidate, found: Sequence[str], wanted: Sequence[str]) -> Request:
    """What is asked to compare the statements of an answer with those of the reference."""
    question = candidate.trial.question.text
    variables = {"question": question, "answer": _numbered(found), "reference": _numbered(wanted)}
    return _request(STATEMENTS, candidate, variables)


def claims_requests(candidates: Iterable[Candidate]) -> Iterator[Request]:
    """What is asked to list the statements of answers and references, each text once."""
    seen: set[str] = set()
    for candidate in candidates:
        question = candidate.trial.question
        for text in (question.answer or "", candidate.text):
            request = claims_request(question.text, text)
            if text and request.key not in seen:
                seen.add(request.key)
                yield request


def judge_verdicts(candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress) -> None:
    """Ask for a verdict on every answer: ``judged`` is 1 where it is right.

    The right answer to a null question is a refusal. A judge calls it refused, or correct, as it agrees with the
    reference: both count.
    """
    results = judged.ask(list(map(verdict_request, candidates)), source, progress)
    for place, reply in judged.replies(VERDICT, candidates, results):
        trial, said = candidates[place].trial, reply["verdict"]
        refused = said == "refused" or (trial.question.is_null and said == "correct")
        right = refused if trial.question.is_null else said == "correct"
        judged.set(trial, {"judged": float(right), refusal(trial): float(refused)})


def judge_scores(candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress) -> None:
    """Ask for the three scores of every answer; without passages there is none for faithfulness."""
    results = judged.ask(list(map(scores_request, candidates)), source, progress)
    for place, reply in judged.replies(SCORES, candidates, results):
        candidate = candidates[place]
        names = [name for name in SCORED if candidate.context is not None or name != "faithfulness"]
        judged.set(candidate.trial, {name: float(reply[name]) for name in names})


def judge_statements(candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress) -> None:
    """Ask for the F1 of the statements of every answer (``FC``); without anything to compare, no call is made."""
    listed = judged.ask(list(claims_requests(candidates)), source, progress)
    comparable = list(_comparable(candidates, {item.request.key: item for item in listed}, judged))
    results = judged.ask([statements_request(*item) for item in comparable], source, progress)
    for place, reply in judged.replies(STATEMENTS, [item for item, _, _ in comparable], results):
        candidate, found, reference = comparable[place]
        supported, missing = _within(reply["supported"], len(found)), _within(reply["missing"], len(reference))
        judged.set(candidate.trial, {"FC": statements_f1(supported, len(found) - supported, missing)})


def _comparable(candidates: Iterable[Candidate], lists: Mapping[str, Result], judged: Judged) -> Iterator[Compared]:
    for candidate in candidates:
        trial, question = candidate.trial, candidate.trial.question
        found = _claims(lists, question.text, candidate.text)
        reference = _claims(lists, question.text, question.answer or "")
        if isinstance(found, Failure):
            judged.count(trial.system, STATEMENTS, found)
        elif isinstance(reference, Failure):
            judged.count(trial.system, STATEMENTS, reference)
        elif found and reference:
            yield candidate, found, reference
        else:
            judged.set(trial, {"FC": float(not found and not reference)})
            judged.count(trial.system, STATEMENTS, None)


def statements_f1(right: int, wrong: int, missing: int) -> float:
    """F1 of an answer's right and wrong statements and those of the reference that it misses, in [0, 1]."""
    return 2 * right / (2 * right + wrong + missing) if right else 0.0


def refusal(trial: Trial) -> str:
    """The measure that counts a refusal of this question."""
    return "refused (null)" if trial.question.is_null else "refused (others)"


def _claims(lists: Mapping[str, Result], question: str, text: str) -> list[str] | Failure:
    if not text:
        return []
    result = lists[claims_request(question, text).key]
    return result if isinstance(result, Failure) else distinct(result.value["claims"])


def _within(numbers: Iterable[int], most: int) -> int:
    """How many of the numbers are those of statements, each once."""
    return len({number for number in numbers if 1 <= number <= most})


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))
