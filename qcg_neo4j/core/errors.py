"""The one error tree: each error says what is wrong and what to do about it, in words for a person.

The command line prints ``str(error)`` and exits with ``exit_code``; no stack trace reaches the user.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Any

_BEGINNING, _END = 1200, 400  # characters of a problem that are told: no message is longer than a screen
_JOINERS = "\u200c\u200d"  # which letters and emoji are made with


def printable(text: str) -> str:
    """The text with what a terminal would execute, or could not write, shown as escapes.

    >>> print(printable("a\\x1b[2J\\ud800 b"))
    a\\x1b[2J\\ud800 b
    """
    if text.isprintable():
        return text
    return "".join(letter if _is_shown(letter) else letter.encode("unicode_escape").decode() for letter in text)


def _is_shown(letter: str) -> bool:
    return letter.isprintable() or letter in "\n\t" + _JOINERS or unicodedata.category(letter) in ("Zs", "Co", "Cn")


def shortened(text: str) -> str:
    """The text, without its middle where it would fill more than a screen."""
    long = len(text) > _BEGINNING + _END + 100
    return f"{text[:_BEGINNING]} … {len(text) - _BEGINNING - _END:,} characters … {text[-_END:]}" if long else text


def number_of(number: int, one: str, several: str = "") -> str:
    """How many there are of something, in words; ``several`` where its plural has no s at its end.

    >>> number_of(1, "passage"), number_of(2000, "passage"), number_of(2, "entity has", "entities have")
    ('1 passage', '2,000 passages', '2 entities have')
    """
    return f"{number:,} {one if number == 1 else several or one + 's'}"


class QcgError(Exception):
    """Something a person can act on; base of every error that this package raises on purpose."""

    exit_code = 1

    def __init__(self, problem: str, remedy: str = "") -> None:
        super().__init__()
        self.problem = printable(shortened(problem))
        self.remedy = printable(shortened(remedy))

    def __str__(self) -> str:
        return f"{self.problem}\n{self.remedy}" if self.remedy else self.problem

    def __reduce__(self) -> tuple[Any, ...]:
        return Exception.__new__, (type(self),), self.__dict__  # so that it passes from process to process


class InputError(QcgError):
    """A file, a line or a value given by the user cannot be used."""

    exit_code = 2


class SettingsError(InputError):
    """A setting has an unknown name or a value out of its range."""


class MissingPackageError(QcgError):
    """An optional package is needed for this and is not installed."""


@contextmanager
def needs(what: str, package: str, extra: str) -> Iterator[None]:
    """Around imports of an optional package: what needs it, and the extra that brings it.

    Raises:
        MissingPackageError: it is not installed, or cannot be imported.
    """
    try:
        yield
    except ImportError as error:
        # The package itself may be there, and one that it needs be missing.
        module = (error.name or "").partition(".")[0].replace("_", "-")
        is_missing = isinstance(error, ModuleNotFoundError) and module in package.lower()
        why = "is not installed" if is_missing else f"cannot be imported: {error}"
        raise MissingPackageError(
            f"{what} needs {package}, which {why}.", f"Install it with: pip install 'qcg-neo4j[{extra}]'"
        ) from None


def check_installed(what: str, package: str, extra: str) -> None:
    """Refuse to begin what a package is needed for at the end; nothing is imported yet.

    Raises:
        MissingPackageError: it is not installed.
    """
    with needs(what, package, extra):
        if find_spec(package.replace("-", "_")) is None:
            raise ModuleNotFoundError(package)


class StatementError(QcgError):
    """A statement of ``cypher/`` does not exist or was called with the wrong parameters."""


class GraphError(QcgError):
    """The database refused, or holds something that does not fit."""

    exit_code = 3


class UnreachableError(GraphError):
    """No server answers at the address."""


class AuthenticationError(GraphError):
    """The server does not accept the user or the password."""


class MissingPluginError(GraphError):
    """The server lacks a plug-in, or has it in a version that does not fit."""


class ModelMismatchError(GraphError):
    """The graph was made with another embedding model or another dimension."""


class WorkerError(QcgError):
    """Workers could not be started, or died again and again."""

    exit_code = 6


class ServerError(QcgError):
    """The embedded server could not be installed, started or stopped."""

    exit_code = 4


class EmbeddingError(QcgError):
    """Text could not be turned into vectors."""

    exit_code = 5


class RerankError(QcgError):
    """Passages could not be given another order."""

    exit_code = 5


class LanguageModelError(QcgError):
    """The language model's endpoint failed for good."""

    exit_code = 5


class InvalidReplyError(LanguageModelError):
    """A reply does not have the form that its task asks for."""


class WaitingError(LanguageModelError):
    """Replies are under way in a batch; to be tried again later."""

    exit_code = 75  # what sysexits.h calls EX_TEMPFAIL


class MissingReplyError(LanguageModelError):
    """A recording does not hold the reply that was asked for."""
