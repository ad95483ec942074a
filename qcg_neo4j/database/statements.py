"""Find, read and check the Cypher statements of ``cypher/``.

A statement is a file. Its first line is a sentence that says what the rows are; then one line
``// $name: TYPE  meaning`` per parameter; then Cypher that opens in Browser as it is.

Statements joined by `` | `` are one: each takes the rows of the one before it in place of its parameter ``$found``.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from textwrap import indent

from qcg_neo4j.core.errors import StatementError
from qcg_neo4j.core.settings import nearest

_PARAMETER = re.compile(r"^// \$(?P<name>\w+): (?P<type>\S+(?: \| \S+)*)  (?P<meaning>\S.*)$")
_FOUND = re.compile(r"^UNWIND \$found AS found WITH .*$", re.MULTILINE)
PIPE = " | "


@dataclass(frozen=True)
class Parameter:
    """A declared parameter: its name as Cypher has it (camelCase), its Cypher type, its meaning."""

    name: str
    type: str
    meaning: str

    def __str__(self) -> str:
        return f"// ${self.name}: {self.type}  {self.meaning}"


@dataclass(frozen=True)
class Statement:
    """A statement file: ``path`` is its name, such as ``retrieve/qcg``."""

    path: str
    title: str
    parameters: tuple[Parameter, ...]
    text: str

    @property
    def body(self) -> str:
        """The text without its header."""
        lines = self.text.splitlines()
        return "\n".join(lines[1 + len(self.parameters) :]).strip()

    def check(self, given: Collection[str]) -> None:
        """Refuse a call whose parameters are not exactly the declared ones."""
        declared = [parameter.name for parameter in self.parameters]
        for name in given:
            if name not in declared:
                raise StatementError(f"{self.path} has no parameter ${name}.", nearest(name, declared))
        missing = [f"${name}" for name in declared if name not in given]
        if missing:
            raise StatementError(f"{self.path} needs {', '.join(missing)}.", self.title)


def directory() -> Path:
    """The folder of the statements: inside an installed package, or beside it in a checkout."""
    packaged = Path(str(files("qcg_neo4j"))) / "cypher"
    return packaged if packaged.is_dir() else packaged.parents[1] / "cypher"


@cache
def statement(path: str) -> Statement:
    """The statement of that path, without its ending: ``statement("retrieve/qcg")``.

    An absolute path is that of a statement of your own, wherever it lies. Paths joined by `PIPE` are one statement.

    Raises:
        StatementError: there is no such file, or a statement behind `PIPE` takes no rows.
    """
    *before, last = path.split(PIPE)
    if before:
        return _joined(statement(PIPE.join(before)), statement(last))
    file = directory() / f"{path}.cypher"
    if not file.is_file():
        raise StatementError(f"There is no statement {path!r}.", nearest(path, paths()))
    return parse(path, file.read_text(encoding="utf-8"))


def _joined(first: Statement, second: Statement) -> Statement:
    """One statement: the rows of the first stand where the second takes those that were found."""
    if not _FOUND.search(second.body):
        raise StatementError(f"{second.path} takes no rows of a statement before it.")
    inner = f"CALL () {{\n  // {first.title}\n{indent(first.body, '  ')}\n}}"
    body = _FOUND.sub(lambda _: inner, second.body, count=1)
    own = [parameter for parameter in second.parameters if parameter.name != "found"]
    parameters = {parameter.name: parameter for parameter in (*own, *first.parameters)}
    lines = [f"// {second.title}", *(str(parameter) for parameter in parameters.values()), body]
    return Statement(first.path + PIPE + second.path, second.title, tuple(parameters.values()), "\n".join(lines) + "\n")


@cache
def paths() -> tuple[str, ...]:
    """The paths of all statements, sorted."""
    root = directory()
    return tuple(sorted(file.relative_to(root).with_suffix("").as_posix() for file in root.rglob("*.cypher")))


def parse(path: str, text: str) -> Statement:
    """Read the header of a statement file."""
    lines = text.splitlines()
    if not lines or not re.match(r"// [A-Z].*\.$", lines[0]):
        raise StatementError(f"{path}: the first line must be a comment with one sentence about the rows.")
    parameters = []
    for line in lines[1:]:
        if not line.startswith("// $"):
            break
        match = _PARAMETER.match(line)
        if not match:
            raise StatementError(f"{path}: {line!r} is not of the form '// $name: TYPE  meaning'.")
        parameters.append(Parameter(**match.groupdict()))
    return Statement(path, lines[0].removeprefix("// "), tuple(parameters), text)
