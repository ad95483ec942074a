"""What the verbs that ask a language model about every chunk share: who replies, the estimate, what is missing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import Any, TypeVar

import click

from qcg_neo4j.cli.language_model import api_key
from qcg_neo4j.cli.terminal import notices, print_json, print_table
from qcg_neo4j.errors import InputError, MissingReplyError
from qcg_neo4j.language_model import Estimate, LanguageModelSettings, LiveModel, cost
from qcg_neo4j.records import Usage
from qcg_neo4j.replies import Recording, ReplySource, ReplyStore, StoredReplies

F = TypeVar("F", bound=Callable[..., Any])
MODEL, REPLIES = "model", "replies"
_SHOWN = 5  # chunks without a reply that are named


def estimate_option(command: F) -> F:
    """Add ``--estimate``."""
    return click.option(
        "--estimate", "estimate_only", is_flag=True, help="Say calls, tokens and cost, and stop there."
    )(command)


@contextmanager
def reply_source(
    kind: str, tasks: str | None, language_model: LanguageModelSettings, files: tuple[Path, ...], store: Path
) -> Iterator[tuple[ReplySource | None, ReplyStore | None]]:
    """Whoever replies, and the store where there is one; nobody where neither model nor recording is the source.

    ``tasks`` is the only task whose recorded replies are read, None for all.
    """
    if kind not in (MODEL, REPLIES):
        yield None, None
    elif files:
        yield Recording(files, tasks), None
    else:
        with ReplyStore(store) as opened:
            if kind == REPLIES:
                yield StoredReplies(opened), opened
                return
            with closing(LiveModel(language_model, opened, api_key())) as model:
                yield model, opened


def nothing_to_estimate(kind: str) -> InputError:
    """The error for ``--estimate`` without a language model."""
    return InputError(f"The source {kind!r} costs nothing; there is nothing to estimate.")


def show_estimate(
    expected: Estimate,
    as_json: bool,
    counted: str = "counted with the embedding model's tokenizer",
    what: str = "Estimate",
) -> None:
    """Say what a run will cost; ``counted`` is how the input tokens were."""
    if as_json:
        print_json(asdict(expected))
        return
    usage = expected.usage
    price = "unknown without prices" if expected.cost is None else f"{expected.cost:,.4f}"
    notices().print(
        f"{what}: {usage.calls:,} calls ({expected.known:,} of {expected.requests:,} replies are known), "
        f"{usage.input_tokens:,} input tokens ({counted}), "
        f"{usage.output_tokens:,} output tokens ({expected.assumption}), cost {price}."
    )


def show_costs(usage: Usage, expected: Estimate, language_model: LanguageModelSettings) -> None:
    """Show what a run has cost beside what was expected."""
    real_cost = cost(usage, language_model)
    rows: list[tuple[Any, ...]] = [
        ("calls", expected.usage.calls, usage.calls),
        ("input tokens", expected.usage.input_tokens, usage.input_tokens),
        ("output tokens", expected.usage.output_tokens, usage.output_tokens),
    ]
    if expected.cost is not None and real_cost is not None:
        rows.append(("cost", f"{expected.cost:.4f}", f"{real_cost:.4f}"))
    print_table("Language model", ("what", "estimated", "real"), rows)


def incomplete(missing: Sequence[tuple[str, str]], chunks: int) -> MissingReplyError:
    """The error that names the first of the chunks without a reply; a chunk comes with the reason."""
    first = [f"  {chunk}: {reason}" for chunk, reason in missing[:_SHOWN]]
    more = [f"  … and {len(missing) - _SHOWN:,} more"] if len(missing) > _SHOWN else []
    return MissingReplyError(
        "\n".join([f"{len(missing):,} of {chunks:,} chunks have no reply:", *first, *more]),
        "Everything else is written. Run the same again to ask for these, or bring their replies with --replies.",
    )
