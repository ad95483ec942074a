"""One body for callers with threads and for callers on an event loop: whatever waits in it is awaited outside of it.

On a loop the body runs in a greenlet. Where it would wait, it hands what is to be awaited to the coroutine that runs
it, and goes on with the result, or with the error, as if it had called a function.
"""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache
from typing import Any, TypeVar

from qcg_neo4j.core.errors import needs

T = TypeVar("T")
R = TypeVar("R")


def is_bridged() -> bool:
    """Whether this runs for a caller on an event loop, which must not be kept waiting."""
    package = sys.modules.get("greenlet")  # nobody is on a loop who has not imported it
    return package is not None and getattr(package.getcurrent(), "bridges", False)


def awaited(awaitable: Awaitable[T]) -> T:
    """The result of what the caller on the loop awaits; only where `is_bridged`."""
    from greenlet import getcurrent

    outside: Any = getcurrent().parent  # the coroutine that runs the bridge
    result: T = outside.switch(awaitable)
    return result


def in_thread(work: Callable[[], T]) -> T:
    """The result of work that waits or computes for long: in a thread where somebody is on a loop."""
    return awaited(asyncio.to_thread(work)) if is_bridged() else work()


def side_by_side(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    """The work for each of the items at the same time; results in their order."""
    if len(items) < 2:
        return [work(item) for item in items]
    if is_bridged():
        return awaited(_gathered(work, items))
    with ThreadPoolExecutor(len(items)) as pool:
        results = [pool.submit(copy_context().run, work, item) for item in items]  # a span's parent is in the context
        return [result.result() for result in results]


async def bridged(work: Callable[[], T]) -> T:
    """Run the work on this event loop; a cancellation ends it where it waits.

    Raises:
        MissingPackageError: greenlet is not installed.
    """
    bridge = _bridge()(work)
    value = bridge.switch()
    while not bridge.dead:
        try:
            came = await value
        except BaseException as error:  # the body has to hear of a cancellation, too
            value = bridge.throw(error)
        else:
            value = bridge.switch(came)
    result: T = value
    return result


async def _gathered(work: Callable[[T], R], items: Sequence[T]) -> list[R]:
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_outcome(work, item)) for item in items]
    outcomes = [task.result() for task in tasks]
    for _, error in outcomes:
        if error is not None:
            raise error
    return [value for value, _ in outcomes]  # type: ignore[misc] # one without an error has a value


async def _outcome(work: Callable[[T], R], item: T) -> tuple[R | None, Exception | None]:
    try:
        return await bridged(lambda: work(item)), None
    except Exception as error:  # told by the one who waits, as it came
        return None, error


@cache
def _bridge() -> Any:
    with needs("A graph on an event loop", "greenlet", "async"):
        from greenlet import getcurrent, greenlet

    class Bridge(greenlet):
        bridges = True

        def __init__(self, work: Callable[[], Any]) -> None:
            super().__init__(work)
            self.gr_context = getcurrent().gr_context  # spans and other variables of the caller count inside

    return Bridge
