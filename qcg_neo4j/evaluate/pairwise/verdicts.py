"""The judge's verdicts: every pair of systems, by every criterion, in both orders, several times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations

from qcg_neo4j.errors import InputError
from qcg_neo4j.evaluate.answers import Answers
from qcg_neo4j.evaluate.pairwise.criteria import CRITERIA
from qcg_neo4j.progress import Progress, silent
from qcg_neo4j.prompts import task
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import Failure, ReplySource, Request
from qcg_neo4j.settings import nearest

TASK = "evaluate/pairwise"
NOTHING = "(The answer is empty.)"

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


@dataclass(frozen=True)
class Verdicts:
    """All verdicts in the order of the trials, who gave them, and what they cost now."""

    verdicts: tuple[Verdict, ...]
    judges: tuple[str, ...] = ()
    usage: Usage = field(default_factory=Usage)


def pairs(systems: Sequence[str], baseline: str | None = None) -> list[Pair]:
    """The pairs to compare: each of the systems with each, or each with the baseline.

    Raises:
        InputError: there are not two systems, or the baseline is none of them.
    """
    if len(systems) < 2:
        raise InputError(
            f"A comparison needs two systems, and there is only {systems[0]!r}.",
            "Give a file of answers for each system, or lines with different 'system'.",
        )
    if baseline is None:
        return list(combinations(systems, 2))
    if baseline not in systems:
        raise InputError(f"The baseline {baseline!r} is none of the systems.", nearest(baseline, list(systems)))
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
    """What the judge is asked; the key tells orders and repetitions apart, so that each is a call of its own."""
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


def judge(wanted: Sequence[Trial], answers: Answers, source: ReplySource, progress: Progress = silent) -> Verdicts:
    """Ask the judge for every trial; without a usable reply the verdict says why.

    Raises:
        LanguageModelError: the endpoint failed for good; what came before is stored.
    """
    of_key: dict[str, list[int]] = {}
    found: dict[int, Verdict] = {}
    judges: dict[str, None] = {}
    usage = Usage()

    def requests() -> Iterator[Request]:
        for position, trial in enumerate(wanted):
            asked = request(trial, answers)
            of_key.setdefault(asked.key, []).append(position)
            yield asked

    for done, result in enumerate(source.replies(requests()), start=1):
        usage += result.usage
        position = of_key[result.request.key].pop(0)
        trial = wanted[position]
        if isinstance(result, Failure):
            found[position] = Verdict(trial, failed=result.reason, unparsable=result.unusable)
        else:
            judges[result.model] = None
            number = int(result.value["winner"])
            winner = trial.shown[number - 1] if number else None
            found[position] = Verdict(trial, winner, str(result.value["reasoning"]))
        progress(done, len(wanted))
    return Verdicts(tuple(found[position] for position in range(len(wanted))), tuple(judges), usage)
