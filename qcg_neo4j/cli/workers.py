"""The options of a stage that may run on several workers."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

from qcg_neo4j.cli.command import Function, option, several
from qcg_neo4j.cli.terminal import notices
from qcg_neo4j.core.errors import InputError

if TYPE_CHECKING:
    from qcg_neo4j.indexing.stage import Workers


@dataclass(frozen=True)
class WantedWorkers:
    """Where workers run, and how many; none without an address."""

    address: str | None = None
    count: int | None = None

    def __post_init__(self) -> None:
        if self.address is not None:
            from qcg_neo4j.indexing.workers.session import checked_address

            checked_address(self.address)
        elif self.count is not None:
            raise InputError("--worker-count says how many, but not where.", "Give --workers ray as well.")

    @contextmanager
    def started(self) -> Iterator[Workers | None]:
        """The workers while the block lasts; None where none are wanted."""
        if self.address is None:
            yield None
            return
        from qcg_neo4j.indexing.workers import RayWorkers

        def tell(what: str) -> None:
            notices().print(f"Note: {what}", soft_wrap=True)

        with RayWorkers(self.address, self.count, tell=tell) as workers:
            notices().print(f"Workers: {workers.count} by {self.address}", style="dim")
            yield workers


def workers_options(command: Function) -> Function:
    """Add ``--workers`` and ``--worker-count``; the command receives `WantedWorkers` as ``workers``."""

    @wraps(command)
    def run(*args: Any, workers: str | None, worker_count: int | None, **rest: Any) -> Any:
        return command(*args, workers=WantedWorkers(workers, worker_count), **rest)

    return several(
        option(
            "--workers",
            metavar="ray[://HOST:PORT]",
            envvar="QCG_WORKERS",
            group="Workers",
            help="run in parts by Ray, on this machine or on a cluster",
        ),
        option(
            "--worker-count",
            type=click.IntRange(min=1),
            metavar="N",
            envvar="QCG_WORKER_COUNT",
            group="Workers",
            help="number of workers [one per processor of Ray]",
        ),
    )(run)
