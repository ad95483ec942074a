"""The claims of each answer, as a model lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.evaluation.claims.clusters import cluster_counts, distinct
from qcg_neo4j.evaluation.given_answers import Answers
from qcg_neo4j.evaluation.judge import Replies, replies_to
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request

TASK = "evaluate/claims"


@dataclass(frozen=True)
class Claims:
    """The distinct claims of an answer, and how many clusters they form at each threshold.

    ``given`` counts the claims before equal ones were joined. ``failed`` is the reason why there are none, and
    ``unparsable`` whether that is a reply of the wrong form.
    """

    system: str
    question: str
    claims: tuple[str, ...] = ()
    given: int = 0
    clusters: tuple[int, ...] = ()
    failed: str = ""
    unparsable: bool = False

    def line(self) -> str:
        """The claims as a line of JSON."""
        told = {"failed": self.failed} if self.failed else {"claims": self.claims, "clusters": self.clusters}
        return json.dumps({"system": self.system, "question": self.question, **told}, ensure_ascii=False) + "\n"


def request(question: str, answer: str) -> Request:
    """What is asked about an answer."""
    key = json.dumps([question, answer], ensure_ascii=False)
    return Request(task(TASK), key, {"question": question, "answer": answer})


def requests(answers: Answers) -> Iterator[tuple[str, str, Request]]:
    """System, question and request of each answer that says anything."""
    for question in answers.questions:
        for system in answers.systems:
            if answers.texts[system, question]:
                yield system, question, request(question, answers.texts[system, question])


def extract_claims(answers: Answers, source: ReplySource, progress: Progress) -> tuple[tuple[Claims, ...], Replies]:
    """The claims of all answers, system by system, and the replies they are from; an empty answer has none.

    Raises:
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    asked = list(requests(answers))
    replies = replies_to([wanted for _, _, wanted in asked], source, progress)
    found: dict[tuple[str, str], Claims] = {}
    for (system, question, _), result in zip(asked, replies.results, strict=True):
        if isinstance(result, Failure):
            item = Claims(system, question, failed=result.reason, unparsable=result.unusable)
        else:
            item = _claims(system, question, result.value["claims"])
        found[system, question] = item
    ordered = ((system, question) for system in answers.systems for question in answers.questions)
    return tuple(found.get(place) or _claims(*place, []) for place in ordered), replies


def _claims(system: str, question: str, given: Sequence[str]) -> Claims:
    kept = distinct(given)
    return Claims(system, question, tuple(kept), len(given), cluster_counts(kept))
