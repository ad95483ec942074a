"""Answers of several systems to the same questions: files of JSON in, checked values out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.json_lines import UnusableError
from qcg_neo4j.evaluation.json_records import question_of, record_of, refuse, text_of, texts_of, values_in

_LOOK = (
    'A line looks like {"system": "C0", "question": "Which …?", "answer": "…"}; without "system" the file\'s name '
    'counts. "documents" and "cited" may list the documents that were read and cited. '
    "What `qcg answer --json` prints is taken as well."
)


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
    """Answers by system and question as `Answers`; an `InputError` where no question has been answered by all."""
    systems = tuple(dict.fromkeys(system for system, _ in texts))
    asked = dict.fromkeys(question for _, question in texts)
    shared = {question: None for question in asked if all((system, question) in texts for system in systems)}
    if not shared:
        raise InputError(
            f"No question has been answered by all of {', '.join(systems)}.",
            "Questions are matched by their exact text; compare systems on the same questions.",
        )
    return Answers(systems, tuple(shared), texts, tuple(question for question in asked if question not in shared))


def _entry(value: Any, name: str) -> tuple[str, str, str]:
    """System, question and answer of an object; ``name`` is the system's where it names none."""
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
    return None if value is None else frozenset(texts_of(value, f"{name!r} is not a list of texts"))


def _answer(record: Mapping[str, Any]) -> str:
    name = "answer" if "answer" in record else "text"
    if name not in record:
        raise UnusableError("'answer' is missing")
    if record[name] is None:
        raise UnusableError(f"{name!r} is null: this answer is missing")
    return text_of(record, name).strip()
