"""The text of a filter, read: ``author = "Wu" and published >= 2025-01-01 and tags has "law"``."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import Any, NoReturn

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.filters.conditions import (
    COMPARISONS,
    DEEPEST,
    TEXT_OPERATORS,
    Moment,
    Negated,
    Part,
    condition,
    is_moment,
    joined,
)

MOST_CHARACTERS = 100_000
HOW = 'Write such as: author = "Wu" and published >= 2025-01-01 and not tags has "draft"'
_TOKEN = re.compile(
    r"""\s*(?:
      (?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
    | (?P<number>-?\d[\w.:+-]*)
    | (?P<name>`(?:[^`]|``)+`)
    | (?P<word>[^\W\d][\w.]*)
    | (?P<sign><>|!=|≠|<=|≤|>=|≥|==|=|<|>|\(|\)|\[|\]|,)
    | (?P<end>\Z)
    )""",
    re.VERBOSE | re.DOTALL,
)
_SIGNS = {"<>": "!=", "≠": "!=", "≤": "<=", "≥": ">=", "==": "="}
_CONSTANTS = {"true": True, "false": False}


@dataclass(frozen=True)
class _Token:
    kind: str
    text: str
    start: int


def parse(text: str) -> Part:
    """The conditions that the text of a filter states.

    >>> str(parse("author = 'Wu' AND (year >= 2025 OR tags has 'law')"))
    'author = "Wu" and (year >= 2025 or tags has "law")'

    Raises:
        InputError: it cannot be read; shows where.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(f"The filter has {len(text):,} characters; at most {MOST_CHARACTERS:,} are taken.")
    return _Parser(text).whole()


class _Parser:
    """A descent over the tokens: ``or`` binds least, then ``and``, then ``not``."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._tokens = self._read()
        self._place = 0
        self._depth = 0

    def whole(self) -> Part:
        """All of the text."""
        part = self._joined("or")
        if self._next.kind != "end":
            self._refuse("'and' or 'or' is expected")
        return part

    def _read(self) -> list[_Token]:
        tokens, place = list[_Token](), 0
        while not tokens or tokens[-1].kind != "end":
            found = _TOKEN.match(self._text, place)
            if found is None:
                start = place + len(self._text[place:]) - len(self._text[place:].lstrip())
                is_open = self._text[start] in "\"'`"
                self._fail(start, "a quotation is not closed" if is_open else f"{self._text[start]!r} means nothing")
            kind = str(found.lastgroup)
            tokens.append(_Token(kind, found[kind], found.start(kind)))
            place = found.end()
        return tokens

    @property
    def _next(self) -> _Token:
        return self._tokens[self._place]

    def _take(self) -> _Token:
        self._place += 1
        return self._tokens[self._place - 1]

    def _has(self, *words: str) -> bool:
        """Whether these words (or this sign) come next; then they are taken."""
        coming = self._tokens[self._place : self._place + len(words)]
        if [token.text.lower() for token in coming if token.kind in ("word", "sign")] != list(words):
            return False
        self._place += len(words)
        return True

    def _joined(self, word: str) -> Part:
        def part() -> Part:
            return self._joined("and") if word == "or" else self._negated()

        parts = [part()]
        while self._has(word):
            parts.append(part())
        return joined(word, parts)

    def _negated(self) -> Part:
        self._depth += 1
        if self._depth > DEEPEST:
            self._refuse(f"more than {DEEPEST} brackets or negations are nested")
        try:
            if self._has("not"):
                return Negated(self._negated())
            if not self._has("("):
                return self._condition()
            part = self._joined("or")
            if not self._has(")"):
                self._refuse("a bracket is not closed")
            return part
        finally:
            self._depth -= 1

    def _condition(self) -> Part:
        name = self._name()
        if self._has("is", "not", "null"):
            return Negated(condition(name, "is null", None))
        if self._has("is", "null"):
            return condition(name, "is null", None)
        if self._has("not", "in"):
            return Negated(condition(name, "in", self._list()))
        if self._has("in"):
            return condition(name, "in", self._list())
        return condition(name, *self._compared(name))

    def _compared(self, name: str) -> tuple[str, Any]:
        token = self._next
        operator = _SIGNS.get(token.text, token.text.lower())
        if operator not in (*COMPARISONS, "has", *TEXT_OPERATORS):
            self._refuse(
                f"after {name!r} an operator is expected: =, !=, <, <=, >, >=, in, has, prefix, contains, is null"
            )
        self._take()
        value = self._value()
        if operator in TEXT_OPERATORS and not isinstance(value, str):
            self._refuse(f"{operator!r} takes a text in quotation marks", back=1)
        return operator, value

    def _name(self) -> str:
        if self._next.kind not in ("word", "name"):
            self._refuse("the name of a property is expected")
        token = self._take()
        return token.text if token.kind == "word" else token.text[1:-1].replace("``", "`")

    def _list(self) -> list[Any]:
        if not self._has("["):
            self._refuse("a list such as [1, 2] is expected")
        values = [] if self._next.text == "]" else [self._value()]
        while values and self._has(","):
            values.append(self._value())
        if not self._has("]"):
            self._refuse("the list is not closed")
        return values

    def _value(self) -> Any:
        token = self._next
        if token.kind == "text":
            return _unquoted(self._take().text)
        if token.kind == "number":
            return self._number()
        if token.kind == "word" and token.text.lower() in _CONSTANTS:
            return _CONSTANTS[self._take().text.lower()]
        if token.kind == "word" and token.text.lower() == "null":
            self._refuse("nothing equals null; write 'is null' or 'is not null'")
        hint = f'; put text in quotation marks: "{token.text}"' if token.kind == "word" else ""
        return self._refuse(f"a value is expected{hint}")

    def _number(self) -> Any:
        token = self._next
        self._take()
        if is_moment(token.text):
            return Moment(token.text)
        try:
            number = json.loads(token.text)
        except ValueError:
            self._refuse("this is neither a number nor a date such as 2025-01-31", back=1)
        return number

    def _refuse(self, problem: str, back: int = 0) -> NoReturn:
        self._fail(self._tokens[self._place - back].start, problem)

    def _fail(self, start: int, problem: str) -> NoReturn:
        """Show the line with a mark below the place; of a long line the surroundings."""
        line = re.sub(r"\s", " ", self._text)
        begin = max(0, start - 60)
        raise InputError(
            f"The filter cannot be read: {problem}.\n  {line[begin : start + 40]}\n  {' ' * (start - begin)}^", HOW
        )


def _unquoted(quoted: str) -> str:
    try:
        return str(json.loads(quoted, strict=False))
    except ValueError:  # in single quotes, or with signs that JSON does not escape
        return re.sub(r"\\(.)", lambda found: {"n": "\n", "t": "\t", "r": "\r"}.get(found[1], found[1]), quoted[1:-1])
