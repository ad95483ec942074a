"""How long work tells how far it is: the stages call, the command line draws."""

from collections.abc import Callable

# Called with how much is done and of how much in all (None while that is unknown).
Progress = Callable[[int, int | None], None]


def silent(done: int, total: int | None) -> None:
    """Progress that nobody looks at."""
