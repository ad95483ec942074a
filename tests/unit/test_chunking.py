"""Cutting documents into chunks."""

from __future__ import annotations

import unicodedata
from itertools import pairwise

import pytest
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import SourceDocument, content_id
from qcg_neo4j.indexing.load import Chunker, LoadSettings

TOKENIZER = SmallEmbedder().tokenizer
PROSE = "\n\n".join(
    " ".join(f"In year {year} café № {place} 🎉 sold {year * place} naïve cakes." for place in range(12))
    for year in range(1990, 2010)
)
TEXTS = [
    PROSE,
    "".join(f"東京は{number}日本の首都です。人口は多い。\n" for number in range(100, 160)),
    "".join(f"x{number}" for number in range(1000, 2000)),
    "".join(f"👩‍👩‍👧🎉{number} " for number in range(1000, 1500)),
    "".join(f"\r\nline {number}\r\n" for number in range(1000, 1400)),
]


def tokens(text: str) -> int:
    """What the tokenizer does not know counts by its letters."""
    encoding = TOKENIZER.encode(text, add_special_tokens=False)
    pairs = zip(encoding.tokens, encoding.offsets, strict=True)
    return sum(end - start if token == "[UNK]" else 1 for token, (start, end) in pairs)


@pytest.mark.parametrize(("size", "overlap"), [(1200, 100), (512, 64), (40, 0), (40, 15)])
@pytest.mark.parametrize("markdown", [False, True])
@pytest.mark.parametrize("text", TEXTS)
def test_chunks_are_slices_within_the_size(text: str, markdown: bool, size: int, overlap: int) -> None:
    chunks = Chunker(TOKENIZER, size, overlap).chunks(SourceDocument("d", text, markdown=markdown))
    position = covered = 0
    for index, chunk in enumerate(chunks):
        assert chunk.index == index
        assert chunk.text.strip()
        assert chunk.token_count == tokens(chunk.text) <= size
        position = text.index(chunk.text, position)
        assert not text[covered:position].strip()  # nothing is lost between two chunks
        assert tokens(text[position:covered]) <= overlap
        covered = max(covered, position + len(chunk.text))
        position += 1
    assert not text[covered:].strip()
    assert len({chunk.id for chunk in chunks}) == len(chunks)


def test_a_script_that_the_model_does_not_know_is_cut_by_its_letters() -> None:
    text = "ห้องสมุดเปิดวันอังคารเวลาเก้าโมงเช้า" * 2800  # 100,000 letters without a blank
    sizes = [len(chunk.text) for chunk in Chunker(TOKENIZER, 1200, 100).chunks(SourceDocument("d", text))]
    assert len(sizes) > 80
    assert max(sizes) <= 1200


def test_what_reads_the_same_has_the_same_ids() -> None:
    text = "# Zürich\n\nAnna bakes in Zürich.\n\nBert mends.\n" * 60
    others = (text.replace("\n", "\r\n"), unicodedata.normalize("NFD", text))
    first, *rest = (
        [chunk.id for chunk in Chunker(TOKENIZER, 60, 0).chunks(SourceDocument("d", written, markdown=True))]
        for written in (text, *others)
    )
    assert len(first) > 5
    assert rest == [first] * 2


def test_overlap_is_used() -> None:
    chunks = Chunker(TOKENIZER, 100, 40).chunks(SourceDocument("d", PROSE))
    ends = sum(PROSE.index(a.text) + len(a.text) > PROSE.index(b.text) for a, b in pairwise(chunks))
    assert ends > len(chunks) / 2


def test_a_short_text_is_one_chunk() -> None:
    chunks = Chunker(TOKENIZER, 100, 10).chunks(SourceDocument("d", "Short."))
    assert [(chunk.id, chunk.index, chunk.text, chunk.token_count) for chunk in chunks] == [
        (content_id("d", "Short."), 0, "Short.", 2)
    ]


def test_markdown_is_cut_at_headings() -> None:
    text = "\n\n".join(f"# Part {number}\n\n" + "Some words of this part. " * 6 for number in range(6))
    chunks = Chunker(TOKENIZER, 60, 0).chunks(SourceDocument("d", text, markdown=True))
    assert all(chunk.text.startswith("# Part") for chunk in chunks)


@pytest.mark.parametrize(
    ("text", "headings"),
    [
        ("# Rye\n\n## Crust\n\nHard.\n\n## Crumb\n\nSoft.", ("Rye",)),
        ("# Rye\n\nHard.\n\n# Oat\n\nSoft.", ()),
        ("# Rye\n\n## Crust\n\nHard.\n\n# Oat\n\n## Crust\n\nSoft.", ()),
    ],
)
def test_joined_sections_have_the_headings_that_all_of_them_stand_below(text: str, headings: tuple[str, ...]) -> None:
    (chunk,) = Chunker(TOKENIZER, 60, 0, 60).chunks(SourceDocument("d", text, markdown=True))
    assert chunk.headings == headings


def test_passages_stay_exactly_as_they_are() -> None:
    passages = ("  kept \n", "long " * 3000, "  kept \n")
    chunks = Chunker(TOKENIZER, 100, 10).chunks(SourceDocument("d", passages=passages))
    assert tuple(chunk.text for chunk in chunks) == passages
    assert chunks[1].token_count == 3000
    assert len({chunk.id for chunk in chunks}) == 3  # the same text twice gets a running number


def test_ids_depend_on_document_and_text_alone() -> None:
    one, other = (Chunker(TOKENIZER, size, 10).chunks(SourceDocument("d", "Short.")) for size in (50, 90))
    assert one[0].id == other[0].id != Chunker(TOKENIZER, 50, 10).chunks(SourceDocument("e", "Short."))[0].id
    assert content_id("ab", "c") != content_id("a", "bc")


def test_overlap_must_be_smaller_than_the_chunk() -> None:
    with pytest.raises(SettingsError, match=r"overlap_tokens is 100, but must be smaller than chunk_tokens \(64\)"):
        LoadSettings(chunk_tokens=64)
