"""Tokens of texts, and texts longer than the model reads: overlapping windows of them, and one vector from many.

Tokens of an endpoint's model are counted by its known tokenizer, else by an estimate that is named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.models.embedding import model_files
from qcg_neo4j.models.embedding.embedder import Embedder, Vectors

if TYPE_CHECKING:
    import tiktoken
    from tokenizers import Encoding, Tokenizer

Span = tuple[int, int]
Words = list[int | None]
TokenCounter = Callable[[str], int]
UNKNOWN = {"[UNK]", "<unk>"}
_AT_ONCE = 256  # what the tokenizer says of each token takes far more memory than the text
_REMEMBERED = 100_000  # texts that are counted: those of a report come again on every level
ESTIMATE = "estimated"
# What the models of OpenAI read; nothing else tells it.
WINDOWS = {"text-embedding-3-small": 8191, "text-embedding-3-large": 8191, "text-embedding-ada-002": 8191}
# Against cl100k_base and MiniLM's tokenizer: 1.16 times as many for English prose, 1.1 to 1.4 for code and JSON, 0.8 to
# 1.0 for German, Chinese, Japanese and Russian.
_OWN = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}"
_PIECES = rf"[{_OWN}]|[A-Za-z]{{1,5}}|[^\W\d_{_OWN}]{{1,2}}|\d{{1,3}}|."


def token_counts(texts: Sequence[str], tokenizer: Tokenizer) -> list[int]:
    """How many tokens each text has, special tokens not counted.

    What the tokenizer does not know counts by its letters: a sentence of Thai is one unknown token of an English
    model, and some forty tokens of any model that reads Thai.
    """
    return [
        len(encoding.ids) + _unknown_letters(encoding)
        for start in range(0, len(texts), _AT_ONCE)
        for encoding in tokenizer.encode_batch(list(texts[start : start + _AT_ONCE]), add_special_tokens=False)
    ]


def _unknown_letters(encoding: Encoding) -> int:
    tokens = encoding.tokens
    if not UNKNOWN.intersection(tokens):
        return 0
    spans = zip(tokens, encoding.offsets, strict=True)
    return sum(end - start - 1 for token, (start, end) in spans if token in UNKNOWN)


def windows(text: str, embedder: Embedder, overlap: int, size: int | None = None) -> list[Span]:
    """Spans (start, end in characters) that cover the text, each no longer than ``size``, else than what is read.

    A text that fits is one span. Else neighbours share about ``overlap`` tokens and, where a word is not longer
    than a window, no span cuts a word in two. All windows are about equally long, so that none is a mere tail.

    Raises:
        SettingsError: the overlap is not smaller than the window.
    """
    size = size or embedder.window_tokens
    if overlap >= size:
        raise SettingsError(
            f"The overlap of windows is {overlap} tokens, but the model reads {size}.",
            "Give a smaller window-overlap-tokens.",
        )
    if _surely_fits(text, size):
        return [(0, len(text))]
    encoding = embedder.tokenizer.encode(text, add_special_tokens=False)
    offsets, words = encoding.offsets, encoding.word_ids
    if len(offsets) <= size:
        return [(0, len(text))]
    return [(offsets[start][0], offsets[end - 1][1]) for start, end in _token_spans(words, size, overlap)]


def _surely_fits(text: str, size: int) -> bool:
    """Whether it needs no tokenizer, which may take seconds to open: none makes more tokens than there are bytes."""
    return len(text.encode("utf-8", "surrogatepass")) <= size


def _token_spans(words: Words, size: int, overlap: int) -> list[Span]:
    total = len(words)
    number = -(-(total - overlap) // (size - overlap))
    spans: list[Span] = []
    start = 0
    while True:
        end = _word_border(words, min(start + size, total), start)
        if not spans or end > spans[-1][1]:  # a long word may hold the end back; such a window adds nothing
            spans.append((start, end))
        if end == total:
            return spans
        # Even steps; a word border may have moved the end, and a step must not leave a gap behind it.
        even = max(round(len(spans) * (total - size) / (number - 1)), start + 1)
        start = max(_word_border(words, min(even, end - overlap), start + 1), start + 1)


def _word_border(words: Words, position: int, least: int) -> int:
    """The last place at or before ``position``, but after ``least``, where a word begins; else ``position``."""
    for candidate in range(position, least, -1):
        if candidate == len(words) or words[candidate] is None or words[candidate] != words[candidate - 1]:
            return candidate
    return position


def beginnings(texts: Sequence[str], open_tokenizer: Callable[[], Tokenizer], size: int) -> list[str]:
    """The texts without what lies behind their first ``size`` tokens."""
    if all(_surely_fits(text, size) for text in texts):
        return list(texts)
    encodings = open_tokenizer().encode_batch(list(texts), add_special_tokens=False)
    return [
        text if len(encoding.ids) <= size else text[: encoding.offsets[size - 1][1]]
        for text, encoding in zip(texts, encodings, strict=True)
    ]


def parts(text: str, embedder: Embedder, *, as_passage: bool = False) -> list[str]:
    """The question (or passage), or its parts where it is longer than what is read; they share a quarter."""
    size = embedder.window_tokens if as_passage else embedder.question_tokens
    return [text[start:end] for start, end in windows(text, embedder, size // 4, size)]


def embed_whole(text: str, embedder: Embedder, *, as_passage: bool = False) -> Vectors:
    """The vector of a question (or passage) of any length, (dimension,): the mean of those of its parts."""
    embed = embedder.embed if as_passage else embedder.embed_questions
    return mean_of_windows(embed(parts(text, embedder, as_passage=as_passage)))


def mean_of_windows(vectors: Vectors | Sequence[Vectors]) -> Vectors:
    """The mean of the rows (windows, dimension), brought to unit length: (dimension,).

    Windows that cancel out exactly have no mean direction; then the first one stands for all.
    """
    mean = np.mean(vectors, axis=0, dtype=np.float64)
    length = np.linalg.norm(mean)
    return np.asarray(mean / length if length > 1e-12 else vectors[0], dtype=np.float32)


def token_counter(embedder: Embedder) -> TokenCounter:
    """Counts the tokens of a text by the embedding model's tokenizer, without special tokens."""

    @lru_cache(maxsize=_REMEMBERED)
    def count(text: str) -> int:
        return token_counts([text], embedder.tokenizer)[0]

    return count


@dataclass(frozen=True)
class Counting:
    """A tokenizer, and how it is called."""

    tokenizer: Tokenizer
    name: str


def counting_of(model: str, tokenizer: str | None) -> Counting:
    """The given tokenizer, else that of OpenAI's model of this name, else the estimate."""
    if tokenizer:
        return Counting(model_files.read_tokenizer(tokenizer), Path(tokenizer).name)
    return _known(model) or Counting(estimating(), ESTIMATE)


def window_of(model: str) -> int | None:
    """How many tokens a model of OpenAI reads; None for others."""
    return WINDOWS.get(model.rpartition("/")[2])


@cache
def estimating() -> Tokenizer:
    """Counts a token for up to five letters of a word (two outside of ASCII), three digits, or any other sign."""
    from tokenizers import Regex, Tokenizer, models, pre_tokenizers

    tokenizer = Tokenizer(models.WordLevel({"[UNK]": 0}, unk_token="[UNK]"))  # noqa: S106 - no password
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(r"\s+"), "removed"), pre_tokenizers.Split(Regex(_PIECES), "isolated")]
    )
    return tokenizer


@cache
def _known(model: str) -> Counting | None:
    """The tokenizer of a model of OpenAI; None for others, without tiktoken, and where its table cannot be had."""
    if find_spec("tiktoken") is None:
        return None
    import tiktoken

    try:
        name = tiktoken.encoding_name_for_model(model.rpartition("/")[2])
    except KeyError:
        return None
    try:
        return Counting(_converted(tiktoken.get_encoding(name)), name)
    except Exception:  # it fetches the table at first use, and passes on whatever goes wrong there
        return None


def _converted(encoding: tiktoken.Encoding) -> Tokenizer:
    """The same tokenizer in the form that tells where in a text its tokens are."""
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers

    ranks = encoding._mergeable_ranks  # there is no other way to the table
    letters = _letters()
    spelt = {token: "".join(letters[byte] for byte in token) for token in ranks}
    merges = [(spelt[token[:cut]], spelt[token[cut:]]) for token in ranks for cut in _cuts(token, ranks)]
    vocabulary = {spelt[token]: rank for token, rank in ranks.items()}
    tokenizer = Tokenizer(models.BPE(vocabulary, merges, ignore_merges=True))
    # Here "{1,3}+" would mean any number of threes, there it means not to give back what was matched.
    pattern = Regex(re.sub(r"(\{\d,\d\})\+", r"\1", encoding._pat_str))
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(pattern, "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    return tokenizer


def _cuts(token: bytes, ranks: dict[bytes, int]) -> list[int]:
    """Where a token may have been merged; the parts that came first are merged first."""
    cuts = [cut for cut in range(1, len(token)) if token[:cut] in ranks and token[cut:] in ranks]
    return sorted(cuts, key=lambda cut: (ranks[token[:cut]], ranks[token[cut:]]))


def _letters() -> list[str]:
    """The visible letter that stands for each byte, as byte-level tokenizers have agreed on."""
    shown = {*range(33, 127), *range(161, 173), *range(174, 256)}
    hidden = iter(range(256, 512))
    return [chr(byte) if byte in shown else chr(next(hidden)) for byte in range(256)]
