"""The claims of each answer, as a model lists them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field

from qcg_neo4j.evaluate.answers import Answers
from qcg_neo4j.evaluate.claims.clusters import cluster_counts, distinct
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.prompts import task
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import Failure, ReplySource, Request

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


@dataclass(frozen=True)
class Extracted:
    """The claims of all answers, system by system, who listed them, and what it cost now."""

    claims: tuple[Claims, ...]
    models: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


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


def extract_claims(answers: Answers, source: ReplySource, progress: Progress = silent) -> Extracted:
    """Ask for the claims of every answer; an empty answer has none without asking.

    Raises:
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    # Where two systems gave the same answer, they share the request.
    of_key: dict[str, list[tuple[str, str]]] = {}
    found: dict[tuple[str, str], Claims] = {}
    models: dict[str, None] = {}
    usage = Usage()

    def asked() -> Iterator[Request]:
        for system, question, wanted in requests(answers):
            of_key.setdefault(wanted.key, []).append((system, question))
            yield wanted

    total = sum(1 for _ in requests(answers))
    for done, result in enumerate(source.replies(asked()), start=1):
        usage += result.usage
        place = of_key[result.request.key].pop(0)
        if isinstance(result, Failure):
            found[place] = Claims(*place, failed=result.reason, unparsable=result.unusable)
        else:
            models[result.model] = None
            found[place] = _claims(*place, result.value["claims"])
        progress(done, total)
    ordered = ((system, question) for system in answers.systems for question in answers.questions)
    claims = tuple(found.get(place) or _claims(*place, []) for place in ordered)
    return Extracted(claims, tuple(models), usage)


def _claims(system: str, question: str, given: list[str]) -> Claims:
    kept = distinct(given)
    return Claims(system, question, tuple(kept), len(given), cluster_counts(kept))
