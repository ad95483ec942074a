"""The claims of each answer, as a model lists them, and how many different things they say.

Clusters are by complete linkage on 1 − ROUGE-L.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from qcg_neo4j.core.progress import Progress
from qcg_neo4j.evaluation.judge import Replies, replies_to
from qcg_neo4j.evaluation.questions import Answers
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, ReplySource, Request, Result

TASK = "evaluate/claims"
THRESHOLDS = (0.5, 0.6, 0.7, 0.8)
# A word, or a single character of the scripts that put no spaces between words.
_CHARACTER = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u0e00-\u0eff\U00020000-\U0003ffff"
_WORD = re.compile(rf"[{_CHARACTER}]|[^\W{_CHARACTER}]+")

Words = tuple[str, ...]


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


def requests(answers: Answers) -> dict[tuple[str, str], Request]:
    """By system and question the request about each answer that says anything, question by question."""
    places = ((system, question) for question in answers.questions for system in answers.systems)
    return {place: request(place[1], answers.texts[place]) for place in places if answers.texts[place]}


def extract_claims(answers: Answers, source: ReplySource, progress: Progress) -> tuple[tuple[Claims, ...], Replies]:
    """The claims of all answers, system by system, and the replies they are from; an empty answer has none."""
    asked = requests(answers)
    replies = replies_to(list(asked.values()), source, progress)
    found = dict(zip(asked, replies.results, strict=True))
    ordered = ((system, question) for system in answers.systems for question in answers.questions)
    return tuple(_claims(*place, found.get(place)) for place in ordered), replies


def _claims(system: str, question: str, result: Result | None) -> Claims:
    if isinstance(result, Failure):
        return Claims(system, question, failed=result.reason, unparsable=result.unusable)
    given = result.value["claims"] if result else []
    kept = distinct(given)
    return Claims(system, question, tuple(kept), len(given), cluster_counts(kept))


def words(text: str) -> Words:
    """The words of a text, without case and punctuation."""
    return tuple(_WORD.findall(text.casefold()))


def distinct(claims: Iterable[str]) -> list[str]:
    """The claims, those with the same words once; a claim without any word is none."""
    found: dict[Words, str] = {}
    for claim in claims:
        found.setdefault(words(claim), claim)
    found.pop((), None)
    return list(found.values())


def distance(first: Words, second: Words) -> float:
    """1 − ROUGE-L (F1) of two texts, in [0, 1]: 1 − 2 · longest common subsequence / words of both."""
    both = len(first) + len(second)
    # One division, so that what is 0.6 on paper is the number 0.6 and lies on its threshold.
    return (both - 2 * common_length(first, second)) / both


def common_length(first: Words, second: Words) -> int:
    """The length of the longest common subsequence, a word of ``second`` at a time (Hyyrö, 2004).

    Bit i of ``row`` is 0 where the table of lengths grows from position i to i + 1 of ``first``.
    """
    places: dict[str, int] = {}
    for position, word in enumerate(first):
        places[word] = places.get(word, 0) | 1 << position
    whole = (1 << len(first)) - 1
    row = whole
    for word in second:
        shared = row & places.get(word, 0)
        row = ((row + shared) | (row - shared)) & whole
    return len(first) - row.bit_count()


def cluster_counts(claims: Sequence[str]) -> tuple[int, ...]:
    """The number of clusters at each threshold: two join when no two of their claims are farther apart than that."""
    from scipy.cluster.hierarchy import linkage

    if len(claims) < 2:
        return (len(claims),) * len(THRESHOLDS)
    split = [words(claim) for claim in claims]
    distances = np.array([distance(first, second) for first, second in combinations(split, 2)])
    heights = linkage(distances, method="complete")[:, 2]
    return tuple(1 + int((heights > threshold).sum()) for threshold in THRESHOLDS)
