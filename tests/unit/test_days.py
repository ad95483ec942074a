"""Days that a text names, and those that it names by its own day: read in any form, in its language."""

from __future__ import annotations

import pytest

from qcg_neo4j.core.days import days_in
from qcg_neo4j.indexing.load.dates import days_of


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


# The day is 10 April 2026, a Friday.
TOLD = [
    (
        "We met at the gym yesterday. Two days ago she was ill, 12 days ago too.",
        ["2026-03-29", "2026-04-08", "2026-04-09"],
    ),
    ("Last Friday we spoke of the weather. We will meet the day after tomorrow.", ["2026-04-03", "2026-04-12"]),
    ("The bakery opens on 3 May and closes on April 30th, so they told us.", ["2026-04-30", "2026-05-03"]),
    (
        "Wir waren gestern und vor zwei Tagen beim Bäcker, und am 3. Mai reisen wir ab.",
        ["2026-04-08", "2026-04-09", "2026-05-03"],
    ),
    ("Übermorgen reisen wir ab, denn vorgestern kam ein Brief von der Behörde.", ["2026-04-08", "2026-04-12"]),
    ("我们昨天见面了，3天前她也来了。5月3日我们去北京开会。", ["2026-04-07", "2026-04-09", "2026-05-03"]),
    ("Nous sommes allés hier au marché, et le 3 mai nous irons à Paris.", ["2026-04-09", "2026-05-03"]),
    ("Ayer fuimos al mercado por la mañana, y el 3 de mayo iremos a Madrid.", ["2026-04-09", "2026-05-03"]),
    ("I går møtte vi dem på kaféen, og i morgen reiser vi hjem til Bergen.", ["2026-04-09", "2026-04-11"]),
]
NOT_TOLD = [
    "He may come, 3 may stay, and 10 march on the second day; 7 out of 10 people said so.",
    "They sang Yesterday and Tomorrow Never Knows on the stage, a few days ago or some days ago.",
    "Gut, dass wir hier sind. Er sagte 10 Mal nein, und am Morgen der Abreise kamen 5 Leute.",
    "In 1871 the town fell. On 3 May the council met, and on June 4 it was dissolved.",
    "The war went on from 3 May to 4 June 1871, and Louis V reigned from 4 March to 21 May 987.",
    "The fair takes place on the last Sunday of September, for 10.5 May Street residents at 50 %.",
]


@pytest.mark.parametrize(("text", "days"), TOLD)
def test_days_are_told_by_the_day_of_the_document(text: str, days: list[str]) -> None:
    assert days_of(text, "2026-04-10") == days_of(text, "2026-04-10T09:00") == days


@pytest.mark.parametrize("text", [text for text, _ in TOLD])
@pytest.mark.parametrize("written", [None, "2026", "2026-04", "2026-13-45", "in spring"])
def test_without_a_day_nothing_is_told(text: str, written: str | None) -> None:
    assert days_of(text, written) == days_in(text)


@pytest.mark.parametrize("text", NOT_TOLD)
def test_what_is_no_day_of_this_year_is_not_told(text: str) -> None:
    assert days_of(text, "2026-04-10") == days_in(text)


def test_a_day_without_a_year_is_of_the_nearest() -> None:
    text = "We met on 28 December and will meet again on 3 January, then on 29 February."
    assert days_of(text, "2026-01-02") == ["2025-12-28", "2026-01-03"]
    assert days_of(text, "2024-01-02") == ["2023-12-28", "2024-01-03", "2024-02-29"]
    assert days_of("She was here yesterday, on the first day of it.", "0001-01-01") == []
