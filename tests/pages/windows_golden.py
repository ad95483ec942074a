"""The windows that the Java side must give as well: ``python tests/pages/windows_golden.py`` writes them anew."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

from qcg_neo4j.models.embedding.model_files import read_tokenizer
from qcg_neo4j.models.embedding.windows import _token_spans

ROOT = Path(__file__).parents[2]
GOLDEN = ROOT / "procedures/embedding/src/test/resources/windows.tsv"
SAMPLE = ROOT / "qcg_neo4j/samples/lihuaworld/passages.jsonl"
SIZES = ((254, 63), (254, 0), (50, 10), (8, 7))


def golden() -> str:
    """A line per case: window, overlap, tokens of each word, spans."""
    return "".join(_line(lengths, *size) for lengths in _texts() for size in SIZES)


def _texts() -> Iterator[list[int]]:
    tokenizer = read_tokenizer("all-MiniLM-L6-v2")
    passages = [json.loads(line)["text"] for line in SAMPLE.read_text(encoding="utf-8").splitlines()]
    longest = sorted(passages, key=len)[-4:]
    for text in (*longest, " ".join(longest)):
        words = tokenizer.encode(text, add_special_tokens=False).word_ids
        yield [len(list(group)) for _, group in groupby(words)]
    chance = random.Random(7)  # noqa: S311
    for longest_word in (1, 3, 40, 300):  # the last are longer than a window
        yield [chance.randint(1, longest_word) for _ in range(900 // longest_word + 2)]


def _line(lengths: list[int], size: int, overlap: int) -> str:
    words: list[int | None] = [word for word, length in enumerate(lengths) for _ in range(length)]
    spans = _token_spans(words, size, overlap) if len(words) > size else [(0, len(words))]
    shown = " ".join(f"{start}-{end}" for start, end in spans)
    return f"{size}\t{overlap}\t{' '.join(map(str, lengths))}\t{shown}\n"


if __name__ == "__main__":
    GOLDEN.write_text(golden(), encoding="utf-8")
