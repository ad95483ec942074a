"""Citations of answers: those of texts that exist stay, others are taken out and told, however the text comes."""

from __future__ import annotations

import pytest

from qcg_neo4j.models.prompts import KnownCitations

TEXT = "He [1] said, [2; 7] and [9, +more]. Not [a] one[8], nor [] or [1 of 3], but [3][4] [5"
KNOWN = "He [1] said, [2] and. Not [a] one, nor [] or [1 of 3], but [3] [5"


@pytest.mark.parametrize("size", [1, 2, 3, 7, len(TEXT)])
def test_unknown_citations_are_taken_out_of_any_pieces(size: int) -> None:
    known = KnownCitations(3)
    pieces = [TEXT[start : start + size] for start in range(0, len(TEXT), size)]
    assert "".join(known.of(pieces)) == KNOWN
    assert known.unknown == [7, 9, 8, 4]
    assert known.notes == ("citations of texts that do not exist were taken out: [7], [9], [8], [4]",)


def test_a_text_whose_citations_exist_is_as_it_was() -> None:
    known = KnownCitations(9)
    assert "".join(known.of(["A ", " [1, 2] \n", "\n- b [9]. ", "\n"])) == "A  [1, 2] \n\n- b [9]. \n"
    assert known.notes == ()
