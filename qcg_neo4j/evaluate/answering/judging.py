"""What judges say of answers: right, wrong or refused; scores from 1 to 5; statements that are right or missing."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from qcg_neo4j.evaluate.answering.metering import repeated
from qcg_neo4j.evaluate.answering.trials import Candidate, Trial
from qcg_neo4j.evaluate.claims.clusters import distinct
from qcg_neo4j.evaluate.claims.extracting import TASK as CLAIMS
from qcg_neo4j.evaluate.claims.extracting import request as claims_request
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.prompts import task
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import Failure, ReplySource, Request, Result

VERDICT, SCORES, STATEMENTS = "evaluate/verdict", "evaluate/scores", "evaluate/statements"
SCORED = ("correctness", "faithfulness", "relevance")
NOTHING = "(The answer is empty.)"
NO_ANSWER = "(The material does not hold the answer: the right reply is to say so.)"
UNKNOWN_PASSAGES = "(They are not known. Score faithfulness to the reference answer instead.)"

Values = dict[str, float]


@dataclass
class Judged:
    """What judges said: values by trial and measure, and per system and task how many verdicts are not there.

    ``missing`` holds pairs: failed, and unparsable. ``asked`` counts the verdicts asked for.
    """

    values: dict[Trial, Values] = field(default_factory=dict)
    missing: dict[tuple[str, str], tuple[int, int]] = field(default_factory=dict)
    asked: dict[tuple[str, str], int] = field(default_factory=dict)
    judges: dict[str, None] = field(default_factory=dict)
    usage: Usage = Usage()
    first_failure: str = ""

    def set(self, trial: Trial, values: Mapping[str, float]) -> None:
        """Add values of a trial."""
        self.values.setdefault(trial, {}).update(values)

    def count(self, system: str, name: str, failure: Failure | None) -> None:
        """Count a verdict, or one that is not there."""
        self.asked[system, name] = self.asked.get((system, name), 0) + 1
        failed, unparsable = self.missing.get((system, name), (0, 0))
        if failure:
            self.first_failure = self.first_failure or failure.reason
            found = (failed, unparsable + 1) if failure.unusable else (failed + 1, unparsable)
            self.missing[system, name] = found


def verdict_request(candidate: Candidate) -> Request:
    """What is asked for a verdict on an answer; to a null question, the reference is that there is none."""
    question = candidate.trial.question
    references = [NO_ANSWER] if question.is_null else [question.answer or "", *question.aliases]
    variables = {"question": question.text, "reference": " / ".join(references), "answer": candidate.text or NOTHING}
    key = json.dumps(list(variables.values()), ensure_ascii=False)
    return repeated(Request(task(VERDICT), key, variables), candidate.trial.replicate)


def scores_request(candidate: Candidate) -> Request:
    """What is asked for the scores of an answer."""
    variables = {
        "question": candidate.trial.question.text,
        "reference": candidate.trial.question.answer or "",
        "passages": UNKNOWN_PASSAGES if candidate.context is None else candidate.context,
        "answer": candidate.text or NOTHING,
    }
    key = json.dumps(list(variables.values()), ensure_ascii=False)
    return repeated(Request(task(SCORES), key, variables), candidate.trial.replicate)


def statements_request(candidate: Candidate, found: Sequence[str], wanted: Sequence[str]) -> Request:
    """What is asked to compare the statements of an answer with those of the reference."""
    question = candidate.trial.question.text
    variables = {"question": question, "answer": _numbered(found), "reference": _numbered(wanted)}
    key = json.dumps(list(variables.values()), ensure_ascii=False)
    return repeated(Request(task(STATEMENTS), key, variables), candidate.trial.replicate)


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


def judge_verdicts(
    candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress = silent
) -> None:
    """Ask for a verdict on every answer: ``judged`` is 1 where it is right, which for a null question is a refusal."""
    results = replies_in_order([verdict_request(item) for item in candidates], source, judged, progress)
    for candidate, result in zip(candidates, results, strict=True):
        trial = candidate.trial
        judged.count(trial.system, VERDICT, result if isinstance(result, Failure) else None)
        if not isinstance(result, Failure):
            said = result.value["verdict"]
            right = said == ("refused" if trial.question.is_null else "correct")
            judged.set(trial, {"judged": float(right), _refusal(trial): float(said == "refused")})


def judge_scores(
    candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress = silent
) -> None:
    """Ask for the three scores of every answer; without passages there is none for faithfulness."""
    results = replies_in_order([scores_request(item) for item in candidates], source, judged, progress)
    for candidate, result in zip(candidates, results, strict=True):
        judged.count(candidate.trial.system, SCORES, result if isinstance(result, Failure) else None)
        if not isinstance(result, Failure):
            names = [name for name in SCORED if candidate.context is not None or name != "faithfulness"]
            judged.set(candidate.trial, {name: float(result.value[name]) for name in names})


def judge_statements(
    candidates: Sequence[Candidate], source: ReplySource, judged: Judged, progress: Progress = silent
) -> None:
    """Ask for the F1 of the statements of every answer (``FC``); where there is nothing to compare, nobody is asked."""
    wanted = list(claims_requests(candidates))
    listed = replies_in_order(wanted, source, judged, progress)
    lists = {request.key: result for request, result in zip(wanted, listed, strict=True)}
    comparable: list[tuple[Candidate, list[str], list[str]]] = []
    for candidate in candidates:
        question = candidate.trial.question
        found = _claims(lists, question.text, candidate.text)
        reference = _claims(lists, question.text, question.answer or "")
        if isinstance(found, Failure) or isinstance(reference, Failure):
            judged.count(candidate.trial.system, STATEMENTS, next(_failures(found, reference)))
        elif found and reference:
            comparable.append((candidate, found, reference))
        else:
            judged.set(candidate.trial, {"FC": float(not found and not reference)})
            judged.count(candidate.trial.system, STATEMENTS, None)
    _compare(comparable, source, judged, progress)


def _compare(
    comparable: Sequence[tuple[Candidate, list[str], list[str]]],
    source: ReplySource,
    judged: Judged,
    progress: Progress,
) -> None:
    results = replies_in_order([statements_request(*item) for item in comparable], source, judged, progress)
    for (candidate, found, reference), result in zip(comparable, results, strict=True):
        judged.count(candidate.trial.system, STATEMENTS, result if isinstance(result, Failure) else None)
        if not isinstance(result, Failure):
            supported = _within(result.value["supported"], len(found))
            missing = _within(result.value["missing"], len(reference))
            judged.set(candidate.trial, {"FC": statements_f1(supported, len(found) - supported, missing)})


def statements_f1(right: int, wrong: int, missing: int) -> float:
    """F1 of an answer's right and wrong statements and those of the reference that it misses, in [0, 1]."""
    return 2 * right / (2 * right + wrong + missing) if right else 0.0


def replies_in_order(
    requests: Sequence[Request], source: ReplySource, judged: Judged, progress: Progress = silent
) -> list[Result]:
    """The results of requests in their order; counts what they cost and who replied.

    Raises:
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    places: dict[str, list[int]] = {}
    for place, request in enumerate(requests):
        places.setdefault(request.key, []).append(place)
    results: dict[int, Result] = {}
    for done, result in enumerate(source.replies(requests), start=1):
        judged.usage += result.usage
        if not isinstance(result, Failure):
            judged.judges[result.model] = None
        results[places[result.request.key].pop(0)] = result
        progress(done, len(requests))
    return [results[place] for place in range(len(requests))]


def _claims(lists: Mapping[str, Result], question: str, text: str) -> list[str] | Failure:
    if not text:
        return []
    result = lists[claims_request(question, text).key]
    return result if isinstance(result, Failure) else distinct(result.value["claims"])


def _failures(*results: list[str] | Failure) -> Iterator[Failure]:
    return (result for result in results if isinstance(result, Failure))


def _within(numbers: Iterable[int], most: int) -> int:
    """How many of the numbers are those of statements, each once."""
    return len({number for number in numbers if 1 <= number <= most})


def _numbered(texts: Sequence[str]) -> str:
    return "\n".join(f"{number}. {text}" for number, text in enumerate(texts, start=1))


def _refusal(trial: Trial) -> str:
    return "refused (null)" if trial.question.is_null else "refused (others)"


__all__ = [
    "CLAIMS",
    "SCORES",
    "STATEMENTS",
    "VERDICT",
    "Judged",
    "judge_scores",
    "judge_statements",
    "judge_verdicts",
    "statements_f1",
]
