"""Runs that ask a language model: who replies, what it will cost, what it has cost, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import asdict, dataclass, replace
from functools import wraps
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

from qcg_neo4j.cli.command import Decorator, Function, option, several
from qcg_neo4j.cli.costs import BY_BYTES, BY_TOKENIZER, show_costs, show_estimate, warn_of_limit
from qcg_neo4j.cli.models import (
    batch_model,
    embedder_of,
    embedding_option,
    given_home,
    live_model,
    llm_option,
    replies_option,
    reply_home_option,
    store_option,
    store_path,
)
from qcg_neo4j.cli.options import Connect, Typed, connection_options, json_option, settings_options
from qcg_neo4j.cli.terminal import print_json, print_table, progress_bar
from qcg_neo4j.cli.workers import WantedWorkers, workers_options
from qcg_neo4j.core.errors import InputError, MissingReplyError
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.core.settings import Settings
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import BatchModel, Estimate, LanguageModelSettings, LiveModel, batch_prices, still_waiting
from qcg_neo4j.models.refusals import names_text
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore, StoredReplies

MODEL, REPLIES = "model", "replies"
_SHOWN = 5  # things without a reply that are named


class Paid(Protocol):
    """A result that knows what it cost."""

    @property
    def usage(self) -> Usage:
        """What was paid now."""


P = TypeVar("P", bound=Paid)


@dataclass(frozen=True)
class PaidRun:
    """Who replies in this call: recordings, else the endpoint with its store; perhaps only for the estimate.

    Raises:
        InputError: ``--batch``, ``--wait`` and ``--replies`` do not fit each other.
    """

    files: tuple[Path, ...]
    estimate_only: bool
    store: Path
    llm: LanguageModelSettings
    as_json: bool
    batch: bool
    wait: bool

    def __post_init__(self) -> None:
        if self.wait and not self.batch:
            raise InputError("--wait is for batches.", "Give --batch as well.")
        if self.batch and self.files:
            raise InputError("--batch requires a language model, and --replies uses recordings.", "Give one of them.")

    @property
    def prices(self) -> LanguageModelSettings:
        """The language model's settings with what tokens cost in this call."""
        return batch_prices(self.llm) if self.batch else self.llm

    @contextmanager
    def replies(self, kind: str, task: str | None) -> Iterator[tuple[ReplySource | None, ReplyStore | None]]:
        """The source of replies, and its store if any; None if the source is neither a model nor a recording.

        ``task`` is the only one whose recorded replies are read, None for all.
        """
        if kind not in (MODEL, REPLIES):
            yield None, None
        elif self.files:
            yield Recording(self.files, task), None
        else:
            with ReplyStore(self.store) as opened:
                if kind == REPLIES:
                    yield StoredReplies(opened), opened
                else:
                    with live_model(self.llm, opened) as model, self.asking(model, opened) as source:
                        yield source, opened

    def asking(self, live: LiveModel, store: ReplyStore) -> AbstractContextManager[ReplySource]:
        """The model as this call asks it: in batches, or at once."""
        return batch_model(live, store, wait=self.wait) if self.batch else nullcontext(live)

    def spend(
        self, description: str, estimate: Estimate | None, counted: str, work: Callable[[Progress], P], kind: str
    ) -> P | None:
        """Print the estimate and do the work; None if only the estimate was requested."""
        if estimate:
            if self.as_json and self.estimate_only:
                print_json(asdict(estimate))
            else:
                show_estimate(estimate, counted)
            warn_of_limit(estimate, self.llm)
        elif self.estimate_only:
            raise nothing_to_estimate(REPLIES if self.files else kind)
        if self.estimate_only:
            return None
        with progress_bar(description) as progress:
            return work(progress)

    def run(
        self,
        description: str,
        expected: Callable[[ReplySource, ReplyStore], Estimate],
        work: Callable[[ReplySource, Progress], P],
    ) -> P | None:
        """Do work that needs no graph, with its estimate before and its costs behind; None after ``--estimate``."""
        with self.replies(MODEL, None) as (source, store):
            assert source is not None  # noqa: S101 - recordings or a model reply
            estimate = expected(source, store) if store else None
            result = self.spend(description, estimate, BY_BYTES, lambda progress: work(source, progress), MODEL)
        if result is not None and estimate and not self.as_json:
            show_costs(result.usage, estimate, self.prices)
        return result


@dataclass(frozen=True)
class Spent(Generic[P]):
    """What a stage gave, and its estimated cost; None without a paid model."""

    result: P
    estimate: Estimate | None
    waiting: tuple[str, ...]  # batches whose replies have not come


@dataclass(frozen=True)
class PaidStage:
    """A stage that asks about parts of the graph: its settings, the graph, who replies in this call, and on what."""

    settings: Any
    embedding: EmbeddingSettings
    connect: Connect
    paid: PaidRun
    workers: WantedWorkers

    def __post_init__(self) -> None:
        if self.paid.batch and self.workers.address:
            raise InputError("--batch asks for all at once, and --workers side by side.", "Give one of them.")

    def run(
        self, description: str, task: str | None, expected: Callable[..., Estimate], work: Callable[..., P]
    ) -> Spent[P] | None:
        """Run the stage with its estimate before; None after ``--estimate``."""
        settings, paid = self.settings, self.paid
        with paid.replies(settings.source, task) as (source, store), self.connect() as graph:
            embedder = embedder_of(graph, self.embedding)
            estimate = None
            if settings.source == MODEL and store:
                estimate = expected(graph, settings, source, paid.prices, store, token_counter(embedder))

            def run(progress: Progress) -> P:
                with self.workers.started() as workers:
                    more = {"workers": workers} if workers else {}
                    return work(graph, embedder, settings, source, progress=progress, **more)

            result = paid.spend(description, estimate, BY_TOKENIZER, run, settings.source)
        waiting = source.waiting if isinstance(source, BatchModel) else ()
        return None if result is None else Spent(result, estimate, waiting)

    def show(self, spent: Spent[P], title: str, rows: Sequence[tuple[str, int]], lacking: str) -> None:
        """Print what was done and what it cost.

        Raises:
            MissingReplyError: replies are missing; ``lacking`` says of how many what.
        """
        report: Any = spent.result
        if self.paid.as_json:
            print_json({**asdict(report), "estimate": asdict(spent.estimate) if spent.estimate else None})
        else:
            print_table(title, ("what", "number"), [*rows, ("without reply", len(report.missing))])
            if spent.estimate:
                show_costs(report.usage, spent.estimate, self.paid.prices)
        if spent.waiting:
            raise still_waiting(spent.waiting)
        if report.missing:
            raise incomplete(f"{len(report.missing):,} of {lacking}", report.missing)


def figures(
    report: Any, always: Sequence[str], if_any: Sequence[str] = (), names: Mapping[str, str] | None = None
) -> list[tuple[str, int]]:
    """The figures of a report as rows; those of ``if_any`` only where they are not zero, ``names`` for the others."""
    shown = [*always, *(name for name in if_any if getattr(report, name))]
    return [((names or {}).get(name, name.replace("_", " ")), getattr(report, name)) for name in shown]


def paying_options(command: Function) -> Function:
    """Add the options of the source of replies to a command with ``--json``; it receives a `PaidRun` as ``paid``."""

    @wraps(command)
    def run(*args: Any, store: Path | None, **rest: Any) -> Any:
        chosen = {name: rest.pop(name) for name in ("files", "estimate_only", "llm", "as_json", "batch", "wait")}
        return command(*args, paid=PaidRun(store=store_path(store, given_home()), **chosen), **rest)

    return several(
        option(
            "--estimate", "estimate_only", is_flag=True, group="Costs", help="print calls, tokens and cost, and stop"
        ),
        option(
            "--batch",
            is_flag=True,
            group="Costs",
            help="submit requests as batches at half the price; the same command collects the replies",
        ),
        option("--wait", is_flag=True, group="Costs", help="with --batch: wait until all batches have ended"),
        replies_option,
        store_option,
        llm_option,
    )(run)


def paid_run(command: Function) -> Function:
    """Add the options of the source of replies, and ``--json``; the command receives a `PaidRun` as ``paid``."""

    @wraps(command)
    def run(*args: Any, **rest: Any) -> Any:
        del rest["home"]  # that of the store, which is open by then
        return command(*args, **rest)

    return several(paying_options, reply_home_option, json_option)(run)


def paid_stage(kind: type[Settings], table: str, *typed: Typed, in_parts: bool = True) -> Decorator:
    """Add the options of a stage and of its source of replies; the command receives a `PaidStage` as ``stage``.

    ``in_parts`` says that workers can share the stage among them.
    """

    def decorate(command: Function) -> Function:
        @wraps(command)
        def run(*args: Any, connect: Connect, embedding: EmbeddingSettings, paid: PaidRun, **rest: Any) -> Any:
            settings, workers = rest.pop(table), rest.pop("workers", WantedWorkers())
            if paid.files:
                settings = replace(settings, source=REPLIES)
            return command(*args, stage=PaidStage(settings, embedding, connect, paid, workers), **rest)

        return several(
            settings_options(kind, table, *typed),
            paying_options,
            embedding_option,
            connection_options,
            *((workers_options,) if in_parts else ()),
            json_option,
        )(run)

    return decorate


def nothing_to_estimate(kind: str) -> InputError:
    """The error for ``--estimate`` without a language model."""
    return InputError(f"The source {kind!r} costs nothing; there is nothing to estimate.")


def incomplete(problem: str, missing: Sequence[MissingReply]) -> MissingReplyError:
    """The error that names the first of what has no reply, with the reasons."""
    named = [f"  {item}" for item in missing[:_SHOWN]]
    more = [f"  … and {len(missing) - _SHOWN:,} more"] if len(missing) > _SHOWN else []
    remedy = "Everything else is written. Run the same again to ask for these, or bring their replies with --replies."
    if any(names_text(item.reason) for item in missing):
        remedy += " A text that the model refuses is not sent to it again: give another model, or smaller chunks."
    return MissingReplyError("\n".join([f"{problem}:", *named, *more]), remedy)
