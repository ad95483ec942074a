"""How the tokens of an endpoint's model are counted: by its known tokenizer, else by an estimate that is named."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from qcg_neo4j.models.embedding import model_files

if TYPE_CHECKING:
    from tiktoken import Encoding
    from tokenizers import Tokenizer

ESTIMATE = "estimated"
# What the models of OpenAI read; nothing else tells it.
WINDOWS = {"text-embedding-3-small": 8191, "text-embedding-3-large": 8191, "text-embedding-ada-002": 8191}
# Against cl100k_base and MiniLM's tokenizer: 1.16 times as many for English prose, 1.1 to 1.4 for code and JSON, 0.8 to
# 1.0 for German, Chinese, Japanese and Russian.
_OWN = r"\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}"
_PIECES = rf"[{_OWN}]|[A-Za-z]{{1,5}}|[^\W\d_{_OWN}]{{1,2}}|\d{{1,3}}|."


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


def _converted(encoding: Encoding) -> Tokenizer:
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
