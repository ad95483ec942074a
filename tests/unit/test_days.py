"""Days that a text names: read in any form."""

from __future__ import annotations

import pytest

from qcg_neo4j.core.days import days_in


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ("on 20260410 and 20260410_11:00", ["2026-04-10"]),
        ("2026-04-28 at 5 PM, 2026/04/29", ["2026-04-28", "2026-04-29"]),
        (
            "3.5.2026; 3. Mai 2026; 3 mai 2026; 3 de mayo de 2026; 3 мая 2026; May 3rd, 2026; 3rd of May 2026",
            ["2026-05-03"],
        ),
        ("2026年5月3日, 2026년 5월 4일", ["2026-05-03", "2026-05-04"]),
        ("20261340, 30.2.2026, 01/02/2026, call 2026041055, 3 rooms 2026, tomorrow, in May", []),
    ],
)
def test_days_are_read_in_any_form(text: str, days: list[str]) -> None:
    assert days_in(text) == days
