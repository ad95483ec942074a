"""A task: its prompt as a template, the schema of its reply, and the check of a reply against it."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from string import Template
from typing import Any, TypedDict

from qcg_neo4j.core.errors import InvalidReplyError, SettingsError
from qcg_neo4j.core.settings import nearest

DEMONSTRATION = "Show the model a made-up text with a good reply first, as the paper does."  # the setting
_FOLDER = Path(__file__).parent
_DEEPEST = 32  # no schema asks for more
_LARGEST = 2**63 - 1
_SHOWN = 200  # characters of what is wrong with a reply
_FORM = "Reply with one JSON object and nothing else. It has the form of this JSON schema:\n"


class Message(TypedDict):
    """A message of a chat with a model."""

    role: str
    content: str


@dataclass(frozen=True)
class Task:
    """Something that a language model is asked: ``generate/pairs``, ``answer/passages`` …"""

    name: str
    system: str
    user: str
    schema: Mapping[str, Any]
    demonstration: Mapping[str, Any] | None = None  # variables of a made-up text, and a good reply about it

    def messages(
        self, variables: Mapping[str, str], *, as_json: bool = True, demonstrated: bool = False
    ) -> list[Message]:
        """The chat that asks for it; without ``as_json`` the model may answer in plain text.

        Each variable is put in once and not looked into again, so a text with ``$name`` in it stays as it is. If
        ``demonstrated``, a turn comes before it that shows a good reply, where the task has one.
        """
        form = f"\n\n{_FORM}{json.dumps(self.schema)}" if as_json else ""
        return [
            {"role": "system", "content": Template(self.system).substitute(variables) + form},
            *(self._demonstration(variables, as_json=as_json) if demonstrated else ()),
            {"role": "user", "content": Template(self.user).substitute(variables)},
        ]

    def _demonstration(self, variables: Mapping[str, str], *, as_json: bool) -> list[Message]:
        if self.demonstration is None:
            return []
        reply = self.demonstration["reply"]
        asked = Template(self.user).substitute({**variables, **self.demonstration["variables"]})
        # The prompts that may be answered in plain text have the answer behind this word.
        said = json.dumps(reply, ensure_ascii=False) if as_json else f"{reply['reasoning']}\nAnswer: {reply['answer']}"
        return [{"role": "user", "content": asked}, {"role": "assistant", "content": said}]

    def check(self, reply: Any) -> dict[str, Any]:
        """The reply, if it has the form of the schema, with text and numbers that can be stored.

        Raises:
            InvalidReplyError: it has not; the text says where and why.
        """
        try:
            reply = _storable(reply)
        except ValueError as error:
            raise InvalidReplyError(f"{self.name}: {error}") from None
        wrong = min(_validator(self.name).iter_errors(reply), key=lambda found: list(found.path), default=None)
        if wrong is not None:
            where = "/".join(str(part) for part in wrong.absolute_path) or "the reply"
            why = wrong.message if len(wrong.message) <= _SHOWN else f"{wrong.message[:_SHOWN]} …"
            raise InvalidReplyError(f"{self.name}: {where}: {why}")
        return dict(reply)


def _storable(value: Any, depth: int = 0) -> Any:
    """The value without halves of surrogate pairs; `ValueError` where it is nested too deep, or a number too large."""
    if depth > _DEEPEST:
        raise ValueError(f"it is nested more than {_DEEPEST} deep.")
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [_storable(item, depth + 1) for item in value]
    if isinstance(value, dict):
        return {_storable(str(name)): _storable(item, depth + 1) for name, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{value} is no number.")
    if isinstance(value, int) and not -_LARGEST <= value <= _LARGEST:
        raise ValueError("a number has more than 64 bits.")
    return value


@cache
def task(name: str) -> Task:
    """The task of that name."""
    if name not in tasks():
        raise SettingsError(f"There is no task {name!r}.", nearest(name, tasks()))
    system, _, user = (_FOLDER / f"{name}.txt").read_text(encoding="utf-8").partition("\n----\n")
    schema = json.loads((_FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    example = _FOLDER / f"{name}.example.json"
    shown = json.loads(example.read_text(encoding="utf-8")) if example.is_file() else None
    return Task(name, system.strip(), user.strip(), schema, shown)


@cache
def tasks() -> list[str]:
    """The names of all tasks, sorted."""
    return sorted(file.relative_to(_FOLDER).with_suffix("").as_posix() for file in _FOLDER.rglob("*.txt"))


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator

    return Draft202012Validator(task(name).schema)
