"""Systems to compare: a name and a retrieval method with its settings; from a TOML file or by method names."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import InputError, SettingsError
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.settings import by_table, nearest, read_toml
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval import METHODS, Method
from qcg_neo4j.retrieval.around.wrapper import NO_TOKEN_LIMIT
from qcg_neo4j.retrieval.catalogue import AroundSettings, compose, settings_of, with_preset
from qcg_neo4j.retrieval.method import filtered

SYSTEM, SWEEP, BASELINE, NOTE = "system", "sweep", "baseline", "note"
DEFAULT_BASELINE = "vector"
MOST_SYSTEMS = 10_000


@dataclass(frozen=True)
class System:
    """A retrieval method with settings, under the name that the table shows.

    ``source`` names the language model, or the recording, that it may ask.
    """

    name: str
    retriever: Method
    source: str = ""

    def at_depth(self, depth: int) -> Method:
        """The same retriever returning at least ``depth`` passages, whatever their length."""
        settings = self.retriever.settings
        deep = replace(settings, passages=max(depth, settings.passages), context_tokens=NO_TOKEN_LIMIT)
        return self.retriever.with_settings(deep)


def baseline_of(named: str | None, systems: Sequence[str]) -> str | None:
    """The system that the others are tested against: the named one, else ``vector`` where it is among them.

    Raises:
        InputError: the named one is none of the systems.
    """
    if named is not None and named not in systems:
        raise InputError(f"The baseline {named!r} is none of the systems.", nearest(named, list(systems)))
    return named or (DEFAULT_BASELINE if DEFAULT_BASELINE in systems else None)


@dataclass(frozen=True)
class Lineup:
    """The systems of one table, the name of the one that the others are tested against, and a note for its head."""

    systems: tuple[System, ...]
    baseline: str | None = None
    note: str = ""

    def __post_init__(self) -> None:
        names = [system.name for system in self.systems]
        for name, times in Counter(names).items():
            if times > 1:
                raise InputError(f"Two systems have the name {name!r}.", "Give each a name of its own.")
        baseline_of(self.baseline, names)  # which refuses one that is none of them

    def filtered(self, where: Where, *, skip_unusable: bool = False) -> Lineup:
        """The same systems with a filter; ``skip_unusable`` leaves out systems that take none.

        Raises:
            InputError: the filter cannot be read.
            SettingsError: a system cannot honour a filter.
        """
        kept = []
        for system in self.systems:
            try:
                kept.append(replace(system, retriever=filtered(system.retriever, where)))
            except SettingsError:
                if not skip_unusable:
                    raise
        return replace(self, systems=tuple(kept))


def retriever_of(
    kind: str,
    settings: Mapping[str, Any],
    where: str,
    source: ReplySource | None = None,
    rerank_key: str | None = None,
) -> Method:
    """The method of that name, inside what its settings put around it; ``where`` names the place for messages.

    Among the settings may be ``preset``; the others come before its own. ``rerank_key`` is the key of a reranker's
    endpoint.
    """
    names = [declared.name for declared in fields(AroundSettings)]
    around = {name: value for name, value in settings.items() if name in names}
    own = {name: value for name, value in settings.items() if name not in names}
    try:
        return compose(kind, with_preset(kind, own), AroundSettings(**around), source, rerank_key)
    except InputError as error:
        raise type(error)(f"{where}: {_as_set(error.problem, kind)}", error.remedy) from None


def _as_set(problem: str, kind: str) -> str:
    """The problem, in which a setting has the name that it has on the command line."""
    problem = by_table(problem, AroundSettings, "around")
    if kind in METHODS:
        problem = by_table(problem, settings_of(kind), f"retrieve.{kind}")
    return problem.replace(f"{kind}: retrieve.{kind}.", f"retrieve.{kind}.", 1)  # which names the method already


Place = tuple[str, str, str, Mapping[str, Any]]  # where it is for messages, name, method and settings of a system
Make = Callable[[str, Mapping[str, Any], str, ReplySource | None], Method]


def lineup_of(
    methods: Sequence[str],
    baseline: str | None = None,
    source: ReplySource | None = None,
    make: Make = retriever_of,
) -> Lineup:
    """Systems with default settings by the names of their methods; all methods when none is named."""
    names = list(dict.fromkeys(methods)) or list(METHODS)
    systems = tuple(System(name, make(name, {}, name, source)) for name in names)
    return Lineup(systems, baseline_of(baseline, names))


def read_lineup(
    path: Path, baseline: str | None = None, source: ReplySource | None = None, make: Make = retriever_of
) -> Lineup:
    """The systems of a TOML file: ``[[system]]`` tables, and ``[[sweep]]`` tables whose lists are multiplied out.

    Both have ``method``, ``name``, ``preset``, settings of that method, and what is put around it (`AroundSettings`);
    ``source`` is the language model, or the recording, that those ask which ask one; ``make`` makes the method of a
    system. At the top may stand ``baseline``, the name of a system (``baseline`` of this call comes before it), and
    ``note``, a text for the head of the table.

    Raises:
        InputError: a system is wrong or there is none; names the file and the system.
        SettingsError: not TOML, an unknown key, or a value out of its range.
    """
    content = read_toml(path)
    for key in content:
        if key not in (SYSTEM, SWEEP, BASELINE, NOTE):
            raise SettingsError(f"{path}: there is no key {key!r}.", nearest(key, [SYSTEM, SWEEP, BASELINE, NOTE]))
    asking = "" if source is None else source.name
    systems = [
        System(name, make(kind, settings, where, source), asking)
        for where, name, kind, settings in itertools.chain(_tables(content, SYSTEM, path), _points(content, path))
    ]
    if not systems:
        raise InputError(f"{path} lists no system.", 'A system begins with a line [[system]], then: method = "qcg".')
    chosen = baseline_of(baseline or _text(content, BASELINE, str(path)), [system.name for system in systems])
    return Lineup(tuple(systems), chosen, _text(content, NOTE, str(path)) or "")


def _points(content: Mapping[str, Any], path: Path) -> Iterator[Place]:
    """The sweeps, multiplied out."""
    for where, name, kind, settings in _tables(content, SWEEP, path):
        swept = {key: value for key, value in settings.items() if isinstance(value, list)}
        if not swept or not all(swept.values()):
            raise InputError(f"{where} has no list of values to go through.", "Write, for instance: hops = [0, 1, 2].")
        fixed = {key: value for key, value in settings.items() if key not in swept}
        number = math.prod(map(len, swept.values()))
        if number > MOST_SYSTEMS:
            raise InputError(f"{where} makes {number:,} systems; at most {MOST_SYSTEMS:,} are measured in one table.")
        for values in itertools.product(*swept.values()):
            point = dict(zip(swept, values, strict=True))
            label = ", ".join(f"{key} {value}" for key, value in point.items())
            yield where, f"{name}: {label}", kind, {**fixed, **point}


def _tables(content: Mapping[str, Any], key: str, path: Path) -> Iterator[Place]:
    tables = content.get(key, [])
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        raise InputError(f"{path}: {key!r} is not a list of tables.", f"Begin each with a line [[{key}]].")
    for position, table in enumerate(tables, start=1):
        where = f"{path}, {key} {position}"
        kind, name = _text(table, "method", where), _text(table, "name", where)
        if kind is None:
            raise InputError(f"{where} has no method.", f"Known are: {', '.join(METHODS)}.")
        settings = {name: value for name, value in table.items() if name not in ("method", "name")}
        yield f"{where} ({name})" if name else where, name or kind, kind, settings


def _text(table: Mapping[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is not None and (not isinstance(value, str) or not value.strip()):
        raise InputError(f"{where}: {key!r} is not a text.")
    return value
