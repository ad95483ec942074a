"""Ctrl-C, also where it arrives as something else."""

from __future__ import annotations

INTERRUPTED = 130  # what a shell tells of a program that Ctrl-C has ended


def was_interrupted(error: BaseException) -> bool:
    """Whether Ctrl-C is behind an error: interrupted while it reads, the driver ends with an error of its own."""
    found: BaseException | None = error
    while found is not None and not isinstance(found, KeyboardInterrupt):
        found = found.__cause__ or found.__context__
    return found is not None
