"""Agreement of a judge's verdicts with the claims of the answers, counted by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from qcg_neo4j.evaluation.agreement import Agreement, agreement

# Claims, and clusters at four thresholds, of systems A, B and C to two questions.
COUNTS = {
    "q": {"A": (5, (3, 2, 2, 1)), "B": (3, (3, 3, 2, 1)), "C": (3, (1, 1, 1, 1))},
    "r": {"A": (1, (1, 1, 1, 1)), "B": (2, (2, 2, 2, 2))},  # what C claims is not known
}
# Who wins each of the verdicts; None is a tie, "" a verdict that is missing.
VOTES: dict[tuple[str, str, str, str], Sequence[str | None]] = {
    ("comprehensiveness", "q", "A", "B"): ("A", "A", "A", "B"),  # A, who has more claims
    ("comprehensiveness", "q", "A", "C"): ("C", "C", "C", "A", ""),  # C, who has fewer
    ("comprehensiveness", "q", "B", "C"): ("B", "B", "B", "B"),  # B, who has as many
    ("comprehensiveness", "r", "A", "B"): ("A", "A", "B", None),  # half is no majority
    ("comprehensiveness", "r", "A", "C"): ("A",),
    ("diversity", "q", "A", "B"): (None, None, None, "A"),  # a tie has the majority
    ("diversity", "r", "A", "B"): ("B",),
    ("directness", "q", "A", "B"): ("A",),
}


def write(folder: Path) -> None:
    lines: list[dict[str, Any]] = []
    for (criterion, question, first, second), winners in VOTES.items():
        for place, winner in enumerate(winners):
            shown = [first, second] if place % 2 else [second, first]
            said = {"failed": "no reply"} if winner == "" else {"winner": winner, "reasoning": "So\u2028."}
            lines.append({"criterion": criterion, "question": question, "shown": shown, "replicate": 1, **said})
    (folder / "verdicts.jsonl").write_text("".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines))
    told = [
        {"system": system, "question": question, "claims": ["x"] * number, "clusters": clusters}
        for question, systems in COUNTS.items()
        for system, (number, clusters) in systems.items()
    ]
    failed = {"system": "C", "question": "r", "failed": "no reply"}
    (folder / "claims.jsonl").write_text("".join(f"{json.dumps(line)}\n" for line in [*told, failed]))


def test_the_preferred_answers_are_those_with_more_claims(tmp_path: Path) -> None:
    write(tmp_path)
    found = agreement(tmp_path, "qcg x")
    assert found[0] == Agreement("comprehensiveness", "claims", compared=4, decided=3, equal=1, agreed=1)
    assert found[1:] == tuple(
        Agreement("diversity", f"clusters at {threshold}", compared=2, decided=1, equal=0, agreed=1)
        for threshold in (0.5, 0.6, 0.7, 0.8)
    )
    page = (tmp_path / "agreement.md").read_text()
    assert "| comprehensiveness | claims | 4 | 3 | 1 | 33.3 |" in page
    assert "    qcg x" in page
