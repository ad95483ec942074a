"""How many calls are under way at once: fewer after time-outs, more again while replies come."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import httpx2


class Pace:
    """A limit to calls at the same time. A time-out halves it; as many replies in a row as it allows raise it by one.

    Calls that began before the last time-out say nothing new: eight that time out together halve the limit once.
    """

    def __init__(self, most: int, notice: Callable[[str], None]) -> None:
        """At first, and never more than, ``most`` at once; ``notice`` hears of time-outs, in a sentence."""
        self.allowed = self._most = most
        self._notice = notice
        self._under_way = self._replies = 0
        self._changed_at = 0.0
        self._changed = threading.Condition()

    @contextmanager
    def call(self) -> Iterator[None]:
        """Wait until a further call may be made, and count it until it is over."""
        with self._changed:
            self._changed.wait_for(lambda: self._under_way < self.allowed)
            self._under_way += 1
        begun = time.monotonic()
        try:
            yield
        except httpx2.TimeoutException:
            self._slow_down(begun)
            raise
        else:
            self._speed_up()
        finally:
            with self._changed:
                self._under_way -= 1
                self._changed.notify_all()

    def _slow_down(self, begun: float) -> None:
        with self._changed:
            if begun < self._changed_at:
                return
            before, self.allowed = self.allowed, max(1, self.allowed // 2)
            self._replies, self._changed_at = 0, time.monotonic()
        fewer = f" Now {self.allowed} instead of {before} at once." if self.allowed < before else ""
        self._notice(
            f"A call timed out after {time.monotonic() - begun:.0f} s.{fewer} What helps: fewer "
            "calls at once (--set llm.concurrency=N), or more time (--set llm.timeout_seconds=SECONDS)."
        )

    def _speed_up(self) -> None:
        with self._changed:
            self._replies += 1
            if self._replies >= self.allowed and self.allowed < self._most:
                self._replies, self.allowed = 0, self.allowed + 1
