"""Reasoning before a reply: separated from the reply, whatever the tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

_NAME = r"[\w:.-]*?(?:think|thought|reason|reflect|analy[sz]|scratch_?pad|deliberat|monologue)[\w:.-]*"
_OPENING = re.compile(rf"\s*(?:<\|?\s*({_NAME})[^>\n]{{0,80}}>|\[({_NAME})\]|◁({_NAME})▷)", re.IGNORECASE)
_CLOSING = re.compile(
    rf"<\|?/\s*(?:{_NAME})\s*\|?>|\[/(?:{_NAME})\]|◁/(?:{_NAME})▷|<\|end_of_thought\|>", re.IGNORECASE
)
# The channels of OpenAI's open models: what is said on the last one is the reply.
_CHANNEL = re.compile(r"<\|channel\|>\s*\w+[^<]*<\|message\|>")
_SIGNS = re.compile(r"<\|(?:start|end|return)\|>(?:assistant)?")
_LONGEST_TAG = 100


def split_reasoning(text: str) -> tuple[str, str]:
    """The reasoning and the reply of a text.

    Reasoning stands at the beginning, between tags or channels; a template may have written the opening tag already,
    so that only the closing one comes. Reasoning whose tag is never closed leaves no reply.

    >>> split_reasoning("<think>{} or []?</think>It was Li [1].")
    ('{} or []?', 'It was Li [1].')
    >>> split_reasoning("Perhaps Adam [2]?\\n</think>\\nIt was Li [1].")
    ('Perhaps Adam [2]?', 'It was Li [1].')
    """
    channel = max(_CHANNEL.finditer(text), key=re.Match.start, default=None)
    if channel:
        return _SIGNS.sub(" ", _CHANNEL.sub("", text[: channel.start()])).strip(), _SIGNS.sub("", text[channel.end() :])
    reasoning: list[str] = []
    opening = _OPENING.match(text)
    while opening:
        closing = _CLOSING.search(text, opening.end())
        reasoning.append(text[opening.end() : closing.start() if closing else len(text)].strip())
        text = text[closing.end() :] if closing else ""
        opening = _OPENING.match(text)
    closing = _CLOSING.search(text)
    if closing:
        reasoning.append(text[: closing.start()].strip())
        text = text[closing.end() :]
    return "\n".join(reasoning), text.strip() if reasoning else text


def without_opened_reasoning(pieces: Iterable[str]) -> Iterator[str]:
    """A text that comes in pieces, without the reasoning that it begins with.

    Of reasoning without an opening tag the end is known only once it has come: `split_reasoning` cuts it from the
    whole text.
    """
    held, decided = "", False
    for piece in pieces:
        if decided:
            yield piece
            continue
        held += piece
        while _OPENING.match(held) and (closing := _CLOSING.search(held)):
            held = held[closing.end() :]
        if not _OPENING.match(held) and not _may_open(held):
            decided = True
            yield held.lstrip()
    if not decided and not _OPENING.match(held):
        yield held.lstrip()


def _may_open(text: str) -> bool:
    start = text.lstrip()
    return not start or (start[0] in "<[◁" and len(start) < _LONGEST_TAG and not re.search(r"[>\]▷]", start))
