"""Settings are frozen values; each field carries its meaning, its range and the source of its default.

From these declarations come `qcg settings`, the options of the command line, the keys of a settings file, the
environment variables and the reference, so that a setting has one name everywhere.
"""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar, get_origin, get_type_hints

from qcg_neo4j.core.addresses import shown_addresses
from qcg_neo4j.core.errors import SettingsError

S = TypeVar("S", bound="Settings")
_LARGEST = 2**63 - 1  # what the database can hold
_MOST_NAMES = 30  # that a hint lists
_SHOWN = 80  # characters of a wrong value
_TRUTHS = {
    **dict.fromkeys(("true", "yes", "on", "1", "t", "y"), True),
    **dict.fromkeys(("false", "no", "off", "0", "f", "n"), False),
}


def setting(
    default: Any,
    help: str,  # noqa: A002 - the word that click uses
    *,
    source: str = "",
    minimum: float | None = None,
    maximum: float | None = None,
    choices: tuple[str, ...] = (),
    in_database: bool | tuple[str, ...] = True,
) -> Any:
    """Declare a field of a `Settings` class with its meaning, its closed range and the source of its default.

    For lists and maps the range limits their length. ``in_database`` says whether the procedures of the plug-in that
    have the settings of this class know it, or which of its choices they know.
    """
    facts = {"help": help, "source": source, "in_database": in_database}
    return _field(default, {**facts, "minimum": minimum, "maximum": maximum, "choices": choices})


def like(kind: type[Settings], name: str, **changes: Any) -> Any:
    """Declare a field as that of another class is, but for what changes: `default`, or facts such as `maximum`."""
    declared = next(one for one in fields(kind) if one.name == name)
    default = changes.pop("default", default_of(declared))
    return _field(default, {**declared.metadata, **changes})


def _field(default: Any, facts: Mapping[str, Any]) -> Any:
    if isinstance(default, dict):
        return field(default_factory=default.copy, metadata=facts)
    return field(default=default, metadata=facts)


@dataclass(frozen=True)
class Settings:
    """Base of all settings: values are checked when they are made."""

    def __post_init__(self) -> None:
        hints = get_type_hints(type(self))
        for declared in fields(self):
            value = _checked(type(self).__name__, declared, hints[declared.name], getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def told(self, name: str) -> Any:
        """The value of a setting as a parameter of a statement."""
        return getattr(self, name)


def _checked(owner: str, declared: Field[Any], hint: Any, value: Any) -> Any:
    """The value, of its type: for a whole number in a fraction's place Neo4j would plan the same statement anew."""
    name, facts = f"{owner}.{declared.name}", declared.metadata
    kind = setting_type(hint)
    if value is None and hint != kind:
        return None
    shown = _shown(value)
    fits = isinstance(value, kind) or (kind is float and isinstance(value, int))
    if not fits or (isinstance(value, bool) and kind is not bool):
        raise SettingsError(f"{name} is {shown}, but must be of type {kind.__name__}.")
    if kind is str and any("\ud800" <= letter <= "\udfff" for letter in value):
        raise SettingsError(f"{name} is {shown}, which holds bytes that are no text.")
    if kind in (int, float) and not -_LARGEST <= value <= _LARGEST:  # nor is "not a number" within
        raise SettingsError(f"{name} is {shown}, which is out of range.")
    if facts.get("choices") and value not in facts["choices"]:
        raise SettingsError(f"{name} is {shown}, but must be one of {', '.join(facts['choices'])}.")
    low, high = facts.get("minimum"), facts.get("maximum")
    size = len(value) if kind in (tuple, dict) else value
    if (low is not None and size < low) or (high is not None and size > high):
        span = f"at least {low}" if high is None else f"at most {high}" if low is None else f"{low} to {high}"
        raise SettingsError(f"{name} is {shown}, but must be {span}.")
    return float(value) if kind is float else value


def _shown(value: Any) -> str:
    try:
        text = shown_addresses(repr(value))
    except ValueError:  # an integer of thousands of digits
        return "a number of thousands of digits"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]} …"


def setting_type(hint: Any) -> type:
    """The plain type of a setting: ``int | None`` counts as ``int``, ``tuple[str, ...]`` as ``tuple``."""
    if get_origin(hint) in (tuple, dict):
        return get_origin(hint)  # type: ignore[no-any-return] # one of the two
    kinds = [kind for kind in getattr(hint, "__args__", (hint,)) if kind is not type(None)]
    return kinds[0] if isinstance(kinds[0], type) else str


def values_in_words(declared: Field[Any], hint: Any) -> str:
    """Which values a declared setting takes, such as ``16 to 100,000`` or ``true, false``."""
    kind, facts = setting_type(hint), declared.metadata
    if kind in (tuple, dict):
        return "map" if kind is dict else "texts, at least one" if facts["minimum"] else "texts"
    if facts["choices"]:
        return ", ".join(facts["choices"])
    low, high = facts["minimum"], facts["maximum"]
    if low is None and high is None:
        return {bool: "true, false", int: "whole number", float: "number", str: "text"}[kind]
    return f"from {low:,}" if high is None else f"{low:,} to {high:,}"


def from_text(text: str, hint: Any) -> Any:
    """The value that a person wrote as text, as the type of the setting has it; else the text itself.

    >>> from_text("7", int | None), from_text("yes", bool), from_text("qwen2.5", str), from_text("none", float | None)
    (7, True, 'qwen2.5', None)
    """
    kind, text = setting_type(hint), text.strip()
    if kind is bool and text.lower() in _TRUTHS:
        return _TRUTHS[text.lower()]
    if kind is str and not text.startswith(('"', "'")):
        return text
    if text == "none" and hint != kind:
        return None
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except (ValueError, RecursionError):
        return text


def default_of(declared: Field[Any]) -> Any:
    """The default of a declared setting."""
    if declared.default_factory is not MISSING:
        return declared.default_factory()
    return None if declared.default is MISSING else declared.default


def from_mapping(kind: type[S], values: Mapping[str, Any], where: str) -> S:
    """Make settings from a mapping, refusing names that do not exist; ``where`` names the file or the call."""
    names = [declared.name for declared in fields(kind)]
    for name in values:
        if name not in names:
            raise SettingsError(f"{where}: there is no setting {name!r}.", nearest(name, names))
    try:
        return kind(**values)
    except SettingsError as error:
        raise SettingsError(f"{where}: {error.problem}", error.remedy) from None


def by_table(problem: str, kind: type[Settings], table: str) -> str:
    """What is wrong with a setting, under the name that users write: ``retrieve.qcg.hops`` for ``QcgSettings.hops``."""
    return problem.replace(f"{kind.__name__}.", f"{table}.", 1)


def nearest(name: str, names: Sequence[str]) -> str:
    """A hint at the known name that looks most like the given one, else at all; empty where those are too many."""
    close = difflib.get_close_matches(name, names, n=1)
    if close:
        return f"Did you mean {close[0]!r}?"
    return f"Known are: {', '.join(sorted(names))}." if len(names) <= _MOST_NAMES else ""


def read_settings_file(path: Path) -> dict[str, Any]:
    """Read a TOML file of settings: one table per command, such as ``[load]`` or ``[retrieve]``.

    Raises:
        SettingsError: it cannot be read, or holds something else than tables.
    """
    found = read_toml(path)
    for name, value in found.items():
        check_table(value, f"{path}: {name}", f"[{name}]")
    return found


def read_toml(path: Path, kind: str = "settings") -> dict[str, Any]:
    """What a TOML file of a person holds; ``kind`` is what errors call it.

    Raises:
        SettingsError: it cannot be read.
    """
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise SettingsError(f"The {kind} file {path} cannot be read: {error.strerror}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SettingsError(f"The {kind} file {path} is not TOML: {error}.") from None
    except (RecursionError, ValueError):  # the latter for an integer of thousands of digits
        raise SettingsError(f"The {kind} file {path} is nested too deep, or has a number that is too long.") from None


def check_table(value: Any, where: str, header: str) -> None:
    """Raises `SettingsError` where a settings file has something else than a table."""
    if not isinstance(value, dict):
        raise SettingsError(
            f"{where} is {_shown(value)}, but must be a table of settings.",
            f"Write a line {header}, and NAME = VALUE below.",
        )
