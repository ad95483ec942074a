"""Whether the answers that a judge prefers make more claims, and more different ones (GraphRAG, section 5.2)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from qcg_neo4j.evaluation.claims import CLAIMS, LISTS, MEASURES
from qcg_neo4j.evaluation.folder import write_texts
from qcg_neo4j.evaluation.page import NONE, Page, Table
from qcg_neo4j.evaluation.pairwise import VERDICTS

FILE = "agreement.md"
# The criteria that claims have a measure of.
_MEASURED = {"comprehensiveness": (CLAIMS,), "diversity": MEASURES[1:]}
_REMARK = (
    "Compared: pairs of answers to a question with verdicts and claims. Decided: more than half of the verdicts on a "
    "pair, in both orders together, name the same system. Agree: share of the decided pairs in which that system is "
    "ahead by the measure of claims; where both are equal by it (equal), they do not agree."
)


@dataclass(frozen=True)
class Agreement:
    """A criterion of the judge against a measure of claims.

    ``compared`` counts the pairs of answers that have both, ``decided`` those whose verdicts have a majority, ``equal``
    the decided ones that are equal by the measure, ``agreed`` those in which the judge's system is ahead.
    """

    criterion: str
    measure: str
    compared: int
    decided: int
    equal: int
    agreed: int


def agreement(folder: Path, command: str = "") -> tuple[Agreement, ...]:
    """The agreement of the verdicts and the claims that a folder holds; writes ``agreement.md`` there."""
    counted = {
        (line["system"], line["question"]): dict(zip(MEASURES, (len(line["claims"]), *line["clusters"]), strict=True))
        for line in _usable(folder / LISTS)
    }
    votes: dict[tuple[str, str, tuple[str, ...]], Counter[str | None]] = {}
    for line in _usable(folder / VERDICTS):
        place = line["criterion"], line["question"], tuple(sorted(line["shown"]))
        votes.setdefault(place, Counter())[line["winner"]] += 1
    found = []
    for criterion, measures in _MEASURED.items():
        pairs = [
            (_majority(given), [counted[system, question] for system in systems], systems)
            for (asked, question, systems), given in votes.items()
            if asked == criterion and all((system, question) in counted for system in systems)
        ]
        for measure in measures if pairs else ():
            # By how much the judge's system is ahead.
            ahead = [
                (values[0][measure] - values[1][measure]) * (1 if preferred == systems[0] else -1)
                for preferred, values, systems in pairs
                if preferred
            ]
            equal, agreed = ahead.count(0), sum(one > 0 for one in ahead)
            found.append(Agreement(criterion, measure, len(pairs), len(ahead), equal, agreed))
    write_texts(folder, {FILE: Page("Verdicts and claims", command, (), [table(found)], [_REMARK]).markdown()})
    return tuple(found)


def table(found: Sequence[Agreement], title: str = "") -> Table:
    """The columns and rows of agreements, as a person reads them."""
    rows = []
    for one in found:
        share = f"{100 * one.agreed / one.decided:.1f}" if one.decided else NONE
        rows.append([one.criterion, one.measure, f"{one.compared:,}", f"{one.decided:,}", f"{one.equal:,}", share])
    return Table(["criterion", "measure", "compared", "decided", "equal", "agree (%)"], rows, title)


def _majority(votes: Counter[str | None]) -> str | None:
    """The system that more than half of the verdicts name; None where there is none, or a tie has the majority."""
    preferred, number = votes.most_common(1)[0]
    return preferred if 2 * number > votes.total() else None


def _usable(path: Path) -> Iterator[dict[str, Any]]:
    """The lines that are not about a reply that is missing."""
    with path.open(encoding="utf-8", newline="\n") as file:
        yield from (line for line in map(json.loads, file) if "failed" not in line)
