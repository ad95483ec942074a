"""From the text that a model wrote, reasoning before it or not, to the reply that its task asks for."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from qcg_neo4j.core.errors import InvalidReplyError
from qcg_neo4j.models.prompts import Task
from qcg_neo4j.models.replies.exchange import Request

_REPAIRED = 1_000_000  # characters of nearly JSON that are repaired: that takes up to ten seconds
_BEGINNINGS = 500  # brackets of a text at which JSON is looked for
_PHRASE = 5  # so many words of a prompt are no chance
_REPEATED = 0.5  # share of such phrases in a text that is a repetition
_WITHOUT_BLANKS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"  # Thai to Hangul
_WORD = re.compile(rf"[{_WITHOUT_BLANKS}]|[^\W_{_WITHOUT_BLANKS}]+")
# Words of a question in any text say nothing about which text it is about.
_USUAL = frozenset(
    _WORD.findall("""
    a an and are as at be been but by can did do does for from had has have he her his how i if in is it its many much
    no not of on or she so that the their them there these they this to was we were what when where which who whom
    whose why will with would yes you your
    """)
)
_NAME = r"[\w:.-]*?(?:think|thought|reason|reflect|analy[sz]|scratch_?pad|deliberat|monologue)[\w:.-]*"
_OPENING = re.compile(rf"\s*(?:<\|?\s*({_NAME})[^>\n]{{0,80}}>|\[({_NAME})\]|◁({_NAME})▷)", re.IGNORECASE)
_CLOSING = re.compile(
    rf"<\|?/\s*(?:{_NAME})\s*\|?>|\[/(?:{_NAME})\]|◁/(?:{_NAME})▷|<\|end_of_thought\|>", re.IGNORECASE
)
# The channels of OpenAI's open models: what is said on the last one is the reply.
_CHANNEL = re.compile(r"<\|channel\|>\s*\w+[^<]*<\|message\|>")
_SIGNS = re.compile(r"<\|(?:start|end|return)\|>(?:assistant)?")
_LONGEST_TAG = 100


def read_reply(task: Task, text: str) -> dict[str, Any]:
    """The reply in a model's text: JSON, or nearly JSON (fenced, commented, unquoted, trailing commas).

    Reasoning before it is left out. Of several JSON values the last one counts that has the form of the task.

    Raises:
        InvalidReplyError: nothing of the form of the task's schema can be read from it.
    """
    if not text.strip():
        raise InvalidReplyError(f"{task.name}: the reply is empty.")
    try:
        return task.check(_read(task, text))
    except RecursionError:
        raise InvalidReplyError(f"{task.name}: the reply is nested too deep.") from None


def _read(task: Task, text: str) -> Any:
    try:
        return _fitted(task.schema, json.loads(text))
    except ValueError:
        reply = split_reasoning(text)[1]
    if not reply.strip():
        raise InvalidReplyError(f"{task.name}: the reply is reasoning alone.")
    for value in reversed([_fitted(task.schema, found) for found in _json_values(reply)]):
        try:
            return task.check(value)
        except InvalidReplyError:
            continue
    return _fitted(task.schema, _repaired(task, reply))


def _json_values(text: str) -> Iterator[Any]:
    """The objects and lists in a text that are JSON, in order."""
    decoder, place = json.JSONDecoder(), 0
    for _ in range(_BEGINNINGS):
        found = re.compile(r"[{\[]").search(text, place)
        if not found:
            return
        try:
            value, place = decoder.raw_decode(text, found.start())
        except ValueError:
            place = found.end()
        else:
            yield value


def _repaired(task: Task, text: str) -> Any:
    from json_repair import repair_json

    if len(text) > _REPAIRED:
        raise InvalidReplyError(f"{task.name}: the reply is no JSON, and too long to be repaired.")
    try:
        value = repair_json(text, return_objects=True)
    except ValueError as error:
        raise InvalidReplyError(f"{task.name}: the reply is no JSON: {error}") from None
    # Several JSON values in one text come back as a list: the object in it is what was asked for.
    objects = [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
    return objects[0] if len(objects) == 1 else value


def _fitted(schema: Mapping[str, Any], value: Any) -> Any:
    """The value with the names of the schema: for the list alone, for an object inside another, for other case."""
    names = list(schema.get("properties", {}))
    if isinstance(value, list) and value and all(isinstance(item, dict) for item in value) and len(names) == 1:
        value = {names[0]: value}
    if isinstance(value, dict) and len(value) == 1 and not _renamed(names, value).keys() & set(names):
        inner = next(iter(value.values()))
        value = inner if isinstance(inner, dict) else value
    return _named(schema, value)


def _named(schema: Mapping[str, Any], value: Any) -> Any:
    if isinstance(value, list):
        return [_named(schema.get("items", {}), item) for item in value]
    if not isinstance(value, dict):
        return value
    properties = schema.get("properties", {})
    return {name: _named(properties.get(name, {}), item) for name, item in _renamed(properties, value).items()}


def _renamed(names: Any, value: Mapping[Any, Any]) -> dict[str, Any]:
    """The object with the names of the schema where its own differ in case, blanks or hyphens alone."""
    known = {_plain(name): name for name in names}
    others = {known.get(_plain(str(name)), str(name)): item for name, item in value.items()}
    return others | {name: value[name] for name in names if name in value}


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]+", "", name).casefold()


def check_material(request: Request, value: Mapping[str, Any]) -> None:
    """Refuse a reply about a text that is not about it: one that repeats the prompt, or shares no word with the text.

    Raises:
        InvalidReplyError: it is such a reply; the text says why.
    """
    passage = request.variables.get("text")
    kinds = [part.get("enum", ()) for part in _parts(request.task.schema) if isinstance(part, Mapping)]
    choices = {choice for kind in kinds for choice in kind if isinstance(choice, str)}  # "yes" is about any text
    strings = [text for text in _parts(value) if isinstance(text, str) and text.strip() and text not in choices]
    if passage is None or not strings:
        return
    name = request.task.name
    instructions = {**request.variables, "text": "", "mark": ""}
    chat = request.task.messages(instructions, demonstrated=request.demonstrated)
    prompt = [phrase for message in chat for phrase in _phrases(message["content"])]
    foreign = set(prompt) - set(_phrases(passage))
    for text in strings:
        phrases = _phrases(text)
        if phrases and sum(phrase in foreign for phrase in phrases) >= _REPEATED * len(phrases):
            raise InvalidReplyError(f"{name}: the reply repeats the prompt: {text[:80]!r}")
    words = {word for text in strings for word in _words(text)} - _USUAL
    if not words & set(_words(passage)):
        raise InvalidReplyError(f"{name}: the reply shares no word with the text that it was asked about.")


def _phrases(text: str) -> list[tuple[str, ...]]:
    words = _words(text)
    return [tuple(words[start : start + _PHRASE]) for start in range(len(words) - _PHRASE + 1)]


def _words(text: str) -> list[str]:
    # A text of a PDF or of a Mac can hold other forms of the letters that a model writes.
    return _WORD.findall(unicodedata.normalize("NFKC", text).casefold())


def _parts(value: Any) -> Iterator[Any]:
    """A JSON value and all that is in it, in order."""
    yield value
    if isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _parts(item)


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
