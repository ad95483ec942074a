"""The judge's verdicts: every pair of systems, by every criterion, in both orders, several times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.evaluation.judge import NOTHING
from qcg_neo4j.evaluation.lineup import baseline_of
from qcg_neo4j.evaluation.questions import Answers
from qcg_neo4j.models.prompts import task
from qcg_neo4j.models.replies import Failure, Request, Result

CRITERIA = {
    "comprehensiveness": (
        "How completely does the answer cover what the question asks about? Better is the answer that deals with more "
        "of the question's aspects, and with each in the detail that it needs. To repeat a point, or to add what does "
        "not belong to the question, covers nothing more."
    ),
    "diversity": (
        "How many different perspectives and insights does the answer offer? Better is the answer that looks at the "
        "question from more sides: other points of view, other groups of people, other causes, cases and sources. Many "
        "points of the same kind, or a single source or opinion, are little diversity."
    ),
    "empowerment": (
        "How well does the answer enable its reader to understand the matter and to come to a sound judgement? Better "
        "is the answer that explains and gives reasons, examples and sources for what it claims, and that does not "
        "mislead by claims without support."
    ),
    "directness": (
        "How directly and clearly does the answer respond to exactly what was asked? Better is the answer that comes "
        "to the point and leaves out what is not needed."
    ),
}


TASK = "evaluate/pairwise"

Pair = tuple[str, str]


@dataclass(frozen=True)
class Trial:
    """One comparison: the systems in the order in which the judge sees their answers, and which repetition it is."""

    question: str
    criterion: str
    shown: Pair
    replicate: int


@dataclass(frozen=True)
class Verdict:
    """What the judge said: ``winner`` is the better system, None for a tie.

    ``failed`` is the reason why there is no verdict, and ``unparsable`` whether that is a reply of the wrong form.
    """

    trial: Trial
    winner: str | None = None
    reasoning: str = ""
    failed: str = ""
    unparsable: bool = False

    def line(self) -> str:
        """The verdict as a line of JSON."""
        trial = self.trial
        fields = {"criterion": trial.criterion, "question": trial.question, "shown": list(trial.shown)}
        told = {"failed": self.failed} if self.failed else {"winner": self.winner, "reasoning": self.reasoning}
        return json.dumps({**fields, "replicate": trial.replicate, **told}, ensure_ascii=False) + "\n"


def pairs(systems: Sequence[str], baseline: str | None = None) -> list[Pair]:
    """The pairs to compare: each of two or more systems with each, or each with the baseline, which is one of them."""
    if len(systems) < 2:
        raise InputError(
            f"A comparison needs two systems, and there is only {systems[0]!r}.",
            "Give a file of answers for each system, or lines with different 'system'.",
        )
    if baseline is None:
        return list(combinations(systems, 2))
    baseline_of(baseline, systems)  # which refuses one that is none of them
    return [(system, baseline) for system in systems if system != baseline]


def trials(answers: Answers, compared: Sequence[Pair], criteria: Sequence[str], replicates: int) -> Iterator[Trial]:
    """All comparisons, question by question, each pair in both orders."""
    for question in answers.questions:
        for first, second in compared:
            for criterion in criteria:
                for shown in ((first, second), (second, first)):
                    for replicate in range(1, replicates + 1):
                        yield Trial(question, criterion, shown, replicate)


def request(trial: Trial, answers: Answers) -> Request:
    """The request to the judge; its key contains order and repetition, so that each is a separate call."""
    first, second = (answers.texts[system, trial.question] for system in trial.shown)
    # The order shows in the texts, unless they are the same; then the names tell it, which are not in the prompt.
    turned = [first, trial.shown[0]] > [second, trial.shown[1]]
    parts = [trial.criterion, trial.question, first, second, "turned" if turned else "straight", trial.replicate]
    variables = {
        "criterion": trial.criterion,
        "meaning": CRITERIA[trial.criterion],
        "question": trial.question,
        "first": first or NOTHING,
        "second": second or NOTHING,
    }
    return Request(task(TASK), json.dumps(parts, ensure_ascii=False), variables)


def verdict_of(trial: Trial, result: Result) -> Verdict:
    """What a reply says of a trial, or why there is no verdict."""
    if isinstance(result, Failure):
        return Verdict(trial, failed=result.reason, unparsable=result.unusable)
    number = int(result.value["winner"])
    return Verdict(trial, trial.shown[number - 1] if number else None, str(result.value["reasoning"]))
