"""Runs that ask a language model: who replies, what it will cost, what it has cost, and what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import asdict, dataclass
from functools import wraps
from pathlib import Path
from typing import Any, Protocol, TypeVar

from qcg_neo4j.cli import models
from qcg_neo4j.cli.command import Function, option, several
from qcg_neo4j.cli.options import json_option
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar
from qcg_neo4j.core.errors import InputError, MissingReplyError, number_of
from qcg_neo4j.core.progress import Progress
from qcg_neo4j.core.records import MissingReply, Usage
from qcg_neo4j.models.llm import BatchModel, Estimate, LanguageModelSettings, LiveModel, batch_prices, cost
from qcg_neo4j.models.refusals import names_text
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore, StoredReplies

MODEL, REPLIES = "model", "replies"
BY_BYTES = "a token for four bytes"
BY_TOKENIZER = "counted with the embedding model's tokenizer"
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

        Raises:
            InputError: ``--batch`` is given, and no model is asked.
        """
        if self.batch and kind != MODEL:
            raise InputError(
                f"--batch requires a language model, and the source is {kind!r}.",
                "Give a language model with --llm, or leave --batch out.",
            )
        if kind not in (MODEL, REPLIES):
            yield None, None
        elif self.files:
            yield Recording(self.files, task), None
        else:
            with ReplyStore(self.store) as opened:
                if kind == REPLIES:
                    yield StoredReplies(opened), opened
                else:
                    with models.live_model(self.llm, opened) as model, self.asking(model, opened) as source:
                        yield source, opened

    def asking(self, live: LiveModel, store: ReplyStore) -> AbstractContextManager[ReplySource]:
        """The model as this call asks it: in batches, saying what becomes of them, or at once."""
        if not self.batch:
            return nullcontext(live)
        return closing(BatchModel(live, store, wait=self.wait, told=lambda what: notices().print(what, soft_wrap=True)))

    def spend(
        self, description: str, estimate: Estimate | None, counted: str, work: Callable[[Progress], P], kind: str
    ) -> P | None:
        """Print the estimate and do the work; None if only the estimate was requested."""
        if estimate:
            if self.as_json and self.estimate_only:
                print_json(asdict(estimate))
            else:
                show_estimate(estimate, counted)
            most = self.llm.max_cost
            if most is not None and estimate.cost is not None and estimate.cost > most:
                notices().print(f"Note: that is more than --max-cost {most:g}. The run will stop before it is passed.")
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


def show_estimate(expected: Estimate, counted: str, what: str = "Estimate") -> None:
    """Say what a run will cost; ``counted`` is how the input tokens were."""
    usage = expected.usage
    price = "unknown without prices" if expected.cost is None else f"{expected.cost:,.4f}"
    notices().print(
        f"{what}: {number_of(usage.calls, 'call')} ({expected.known:,} of {expected.requests:,} replies are known), "
        f"{usage.input_tokens:,} input tokens ({counted}), "
        f"{usage.output_tokens:,} output tokens ({expected.assumption}), cost {price}."
    )


def show_costs(usage: Usage, expected: Estimate, language_model: LanguageModelSettings) -> None:
    """Show what a run has cost beside what was expected."""
    rows: list[tuple[Any, ...]] = [("calls", expected.usage.calls, usage.calls)]
    for name in ("input_tokens", "output_tokens"):
        real = models.tokens_told(usage, name) if usage.untold else getattr(usage, name)
        rows.append((name.replace("_", " "), getattr(expected.usage, name), real))
    real_cost = cost(usage, language_model)
    if expected.cost is not None and real_cost is not None:
        rows.append(("cost", f"{expected.cost:.4f}", "not reported" if usage.untold else f"{real_cost:.4f}"))
    print_table("Language model", ("what", "estimated", "real"), rows)


def paying_options(command: Function) -> Function:
    """Add the options of the source of replies to a command with ``--json``; it receives a `PaidRun` as ``paid``."""

    @wraps(command)
    def run(*args: Any, store: Path | None, **rest: Any) -> Any:
        chosen = {name: rest.pop(name) for name in ("files", "estimate_only", "llm", "as_json", "batch", "wait")}
        return command(*args, paid=PaidRun(store=models.store_path(store, models.given_home()), **chosen), **rest)

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
        models.replies_option,
        models.store_option,
        models.llm_option,
    )(run)


def paid_run(command: Function) -> Function:
    """Add the options of the source of replies, and ``--json``; the command receives a `PaidRun` as ``paid``."""

    @wraps(command)
    def run(*args: Any, **rest: Any) -> Any:
        del rest["home"]  # that of the store, which is open by then
        return command(*args, **rest)

    return several(paying_options, models.reply_home_option, json_option)(run)


def nothing_to_estimate(kind: str) -> InputError:
    """The error for ``--estimate`` without a language model."""
    return InputError(f"The source {kind!r} costs nothing; there is nothing to estimate.")


def incomplete(problem: str, missing: Sequence[MissingReply]) -> MissingReplyError:
    """The error that names the first of what has no reply, with the reasons."""
    remedy = "Everything else is written. Run the same again to ask for these, or bring their replies with --replies."
    if any(names_text(item.reason) for item in missing):
        remedy += " A text that the model refuses is not sent to it again: give another model, or smaller chunks."
    return MissingReplyError("\n".join([f"{problem}:", *named(missing)]), remedy)


def named(missing: Sequence[MissingReply]) -> list[str]:
    """A line for each of the first of what has no reply, with the reasons, and how many more there are."""
    more = [f"  … and {len(missing) - _SHOWN:,} more"] if len(missing) > _SHOWN else []
    return [*(f"  {item}" for item in missing[:_SHOWN]), *more]
