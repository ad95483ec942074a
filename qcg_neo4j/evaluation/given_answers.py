"""Answers of several systems to the same questions: files of JSON in, checked values out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.evaluation.json_records import UNREADABLE, UnusableError, question_of, record_of, refuse, text_of

_LOOK = (
    'A line looks like {"system": "C0", "question": "Which …?", "answer": "…"}; without "system" the file\'s name '
    'counts. "documents" and "cited" may list the documents that were read and cited. '
    "What `qcg answer --json` prints is taken as well."
)
_BLANK = " \t\r\n"


@dataclass(frozen=True)
class Answers:
    """What each system answered: ``texts`` by system and question, both in the order of the files.

    ``questions`` are those that every system has answered, ``left_out`` the others, which take no part. ``read`` are
    the documents of the passages that an answer was written from, ``cited`` those that it cites, where these are known.
    """

    systems: tuple[str, ...]
    questions: tuple[str, ...]
    texts: Mapping[tuple[str, str], str]
    left_out: tuple[str, ...] = ()
    read: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)
    cited: Mapping[tuple[str, str], frozenset[str]] = field(default_factory=dict)

    def limited(self, limit: int | None) -> Answers:
        """The same with the first ``limit`` questions."""
        return replace(self, questions=self.questions[:limit])


def read_answers(paths: Sequence[Path]) -> Answers:
    """The answers in files of JSON, one object after the other: a line each, or over several lines.

    Raises:
        InputError: a file cannot be read, an object is wrong (file and line), or no question has been answered by all.
    """
    mistakes: list[str] = []
    places: dict[tuple[str, str], str] = {}
    texts: dict[tuple[str, str], str] = {}
    read: dict[tuple[str, str], frozenset[str]] = {}
    cited: dict[tuple[str, str], frozenset[str]] = {}
    for where, name, value in (
        (f"{path}:{line}", path.stem, value) for path in paths for line, value in values_in(path, "answers", _LOOK)
    ):
        try:
            system, question, answer = _entry(value, name)
            documents = _documents(value)
        except UnusableError as error:
            mistakes.append(f"{where}: {error}")
            continue
        if (system, question) in texts:
            mistakes.append(f"{where}: {system!r} has answered this question at {places[system, question]} already")
        else:
            texts[system, question], places[system, question] = answer, where
            for known, found in zip((read, cited), documents, strict=True):
                if found is not None:
                    known[system, question] = found
    refuse(mistakes, _LOOK)
    if not texts:
        raise InputError(f"There is no answer in {', '.join(map(str, paths)) or 'no file'}.", _LOOK)
    return replace(together(texts), read=read, cited=cited)


def together(texts: Mapping[tuple[str, str], str]) -> Answers:
    """Answers by system and question as `Answers`.

    Raises:
        InputError: no question has been answered by all.
    """
    systems = tuple(dict.fromkeys(system for system, _ in texts))
    asked = dict.fromkeys(question for _, question in texts)
    shared = {question: None for question in asked if all((system, question) in texts for system in systems)}
    if not shared:
        raise InputError(
            f"No question has been answered by all of {', '.join(systems)}.",
            "Questions are matched by their exact text; compare systems on the same questions.",
        )
    return Answers(systems, tuple(shared), texts, tuple(question for question in asked if question not in shared))


def values_in(path: Path, kind: str, look: str) -> Iterator[tuple[int, Any]]:
    """The JSON values of a file with the lines on which they begin; after a broken one it goes on at the next ``{``.

    A broken one is an `UnusableError`, given and not raised. ``kind`` names the file in errors, ``look`` says how it
    has to look.

    Raises:
        InputError: the file cannot be read, or is not UTF-8 (names the line).
    """
    text = _text_of_file(path, kind, look)
    decoder, position, line = json.JSONDecoder(), 0, 1
    while (start := _skipped(text, position)) < len(text):
        line += text.count("\n", position, start)
        try:
            value, position = decoder.raw_decode(text, start)
            yield line, value
        except json.JSONDecodeError as error:
            yield line + text.count("\n", start, error.pos), UnusableError(f"not JSON: {error.msg}")
            position = _next_object(text, start)
        except (RecursionError, ValueError):
            yield line, UnusableError(UNREADABLE)
            position = _next_object(text, start)
        line += text.count("\n", start, position)


def _skipped(text: str, position: int) -> int:
    while position < len(text) and text[position] in _BLANK:
        position += 1
    return position


def _next_object(text: str, start: int) -> int:
    """Where the next line begins that opens an object: objects inside others are indented."""
    found = text.find("\n{", start)
    return len(text) if found < 0 else found + 1


def _text_of_file(path: Path, kind: str, look: str) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise InputError(f"The {kind} file {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        line = path.read_bytes()[: error.start].count(b"\n") + 1
        raise InputError(f"{path}:{line}: not UTF-8: byte {error.object[error.start]:#04x}.", look) from None


def _entry(value: Any, name: str) -> tuple[str, str, str]:
    """System, question and answer of an object; ``name`` is the system's where it names none."""
    if isinstance(value, UnusableError):
        raise value
    record = record_of(value)
    system = text_of({"system": name, **record}, "system").strip()
    if not system:
        raise UnusableError("'system' is not a text")
    evidence = record.get("evidence")  # what `qcg answer --json` prints has the question there
    asked = evidence if isinstance(evidence, Mapping) and "question" in evidence else {}
    return system, question_of({**asked, **record}), _answer(record)


def _documents(record: Mapping[str, Any]) -> tuple[frozenset[str] | None, frozenset[str] | None]:
    """The documents that were read and those that are cited: ``documents`` and ``cited``, or `qcg answer --json`'s."""
    evidence = record.get("evidence")
    if not isinstance(evidence, Mapping):
        return _names(record, "documents"), _names(record, "cited")
    try:
        passages = {one["id"]: {one["document"], *(also["id"] for also in one["also"])} for one in evidence["passages"]}
        cited = [passages[name] for name in record["citations"] if name in passages]
    except (KeyError, TypeError):
        return None, None
    none: frozenset[str] = frozenset()
    return none.union(*passages.values()), None if evidence.get("atoms") else none.union(*cited)


def _names(record: Mapping[str, Any], name: str) -> frozenset[str] | None:
    value = record.get(name)
    if value is not None and not (isinstance(value, list) and all(isinstance(one, str) for one in value)):
        raise UnusableError(f"{name!r} is not a list of texts")
    return None if value is None else frozenset(value)


def _answer(record: Mapping[str, Any]) -> str:
    name = "answer" if "answer" in record else "text"
    if name not in record:
        raise UnusableError("'answer' is missing")
    if record[name] is None:
        raise UnusableError(f"{name!r} is null: this answer is missing")
    return text_of(record, name).strip()
