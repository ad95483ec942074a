"""Progress of long work: the stages report it, the command line draws it."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

# Called with how much is done and of how much in all (None while that is unknown).
Progress = Callable[[int, int | None], None]


def silent(done: int, total: int | None) -> None:
    """Progress that is not shown."""


Bars = Callable[[str], AbstractContextManager[Progress]]


@contextmanager
def no_bars(_: str) -> Iterator[Progress]:
    """What shows no progress of any of several parts."""
    yield silent
