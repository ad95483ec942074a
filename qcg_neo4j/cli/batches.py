"""The options of a stage with batches, and what is printed about batches under way."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, TypeVar

from qcg_neo4j.cli.command import option
from qcg_neo4j.cli.terminal import notices, print_table
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.models.llm import BatchModel, LiveModel
from qcg_neo4j.models.replies import Batch, ReplyStore

F = TypeVar("F", bound=Callable[..., Any])


def batch_options(command: F) -> F:
    """Add ``--batch`` and ``--wait``."""
    command = option("--wait", is_flag=True, group="Costs", help="with --batch: wait until all batches have ended")(
        command
    )
    return option(
        "--batch",
        is_flag=True,
        group="Costs",
        help="submit requests as batches at half the price; the same command collects the replies",
    )(command)


def check_batch(files: Sequence[Path], *, batch: bool, wait: bool) -> None:
    """Check that the options of `batch_options` fit each other and ``--replies``.

    Raises:
        InputError: they do not.
    """
    if wait and not batch:
        raise InputError("--wait is for batches.", "Give --batch as well.")
    if batch and files:
        raise InputError("--batch requires a language model, and --replies uses recordings.", "Give one of them.")


@contextmanager
def batch_model(live: LiveModel, store: ReplyStore, *, wait: bool) -> Iterator[BatchModel]:
    """The model asked in batches; says what becomes of them."""

    def say(what: str) -> None:
        notices().print(what, soft_wrap=True)

    with closing(BatchModel(live, store, wait=wait, told=say)) as model:
        yield model


def batches_under_way(store: Path) -> list[Batch]:
    """The batches that are noted in a store; none where there is no store."""
    if not store.is_file():
        return []
    with ReplyStore(store) as opened:
        return opened.batches.under_way()


def print_batches(batches: Iterable[Batch]) -> None:
    """The last known state of the batches; empty without any."""
    rows = [
        (
            batch.id or batch.name,
            batch.model,
            batch.prepared_at[:16].replace("T", " "),
            batch.state,
            batch.done,
            batch.requests,
        )
        for batch in batches
    ]
    if rows:
        print_table("Batches", ("batch", "model", "submitted", "state", "done", "requests"), rows)
