"""What can be said of an answer without a judge: exact match, token F1, and whether its words are a refusal."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Iterable

_ARTICLES = re.compile(r"\b(a|an|the)\b")
_PUNCTUATION = str.maketrans("", "", string.punctuation)
_REFUSED = re.compile(
    r"insufficient information|not enough (information|evidence)|evidence is (not there|missing)|"
    r"\b(passages?|statements?|evidence|context|documents?|material|text) (do|does) ?n[o']t "
    r"(hold|contain|say|mention|provide|state|give|tell)\b|"
    r"\bcan ?not be (answered|determined|said)\b"
)
_REFUSALS = ("unknown", "unanswerable", "no answer", "not answerable", "i dont know", "i do not know")


def normalized(text: str) -> str:
    """The text as SQuAD compares it: lower case, without punctuation and articles, single spaces."""
    return " ".join(_ARTICLES.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, references: Iterable[str]) -> float:
    """1 if the answer is one of the references but for case, punctuation and articles, else 0."""
    return float(normalized(answer) in {normalized(reference) for reference in references})


def token_f1(answer: str, references: Iterable[str]) -> float:
    """The best F1 of the answer's words and those of a reference, in [0, 1]."""
    return max((_f1(normalized(answer).split(), normalized(one).split()) for one in references), default=0.0)


def _f1(found: list[str], wanted: list[str]) -> float:
    if not found or not wanted:
        return float(found == wanted)
    shared = sum((Counter(found) & Counter(wanted)).values())
    return 2 * shared / (len(found) + len(wanted))


def refuses(answer: str) -> bool:
    """Whether an answer says, in one of the usual English ways, that it has none; a judge knows more ways."""
    said = normalized(answer)
    return said in _REFUSALS or bool(_REFUSED.search(answer.lower()))
