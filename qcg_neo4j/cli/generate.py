"""``qcg generate``: questions with answers for each chunk."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.language_model import api_key, given_home, store_option, store_path
from qcg_neo4j.cli.options import Connect, connection_options, json_option, settings_file_option, settings_options
from qcg_neo4j.cli.terminal import notices, print_json, print_table, progress_bar
from qcg_neo4j.embedding import Embedder, EmbeddingSettings, open_embedder
from qcg_neo4j.errors import InputError, MissingReplyError
from qcg_neo4j.generate import GenerateReport, GenerateSettings, estimate_generation
from qcg_neo4j.generate import generate as run_stage
from qcg_neo4j.generate.settings import MODEL, REPLIES, SENTENCES
from qcg_neo4j.language_model import Estimate, LanguageModelSettings, LiveModel, cost
from qcg_neo4j.replies import Recording, ReplySource, ReplyStore, StoredReplies

_SHOWN = 5  # chunks without a reply that are named


@click.command()
@click.option(
    "--replies",
    "files",
    type=click.Path(path_type=Path),
    multiple=True,
    help="Take the replies from this recording, and ask nobody; may be given several times.",
)
@click.option("--estimate", "estimate_only", is_flag=True, help="Say calls, tokens and cost, and stop there.")
@click.option("--baselines", is_flag=True, help="Also make the chunk vectors of the baselines d2q and d2q--.")
@store_option
@settings_options(GenerateSettings, "generate")
@settings_options(LanguageModelSettings, "language_model", shared=True)
@settings_options(EmbeddingSettings, "embedding", shared=True)
@settings_file_option
@connection_options
@json_option
def generate(
    connect: Connect,
    files: tuple[Path, ...],
    estimate_only: bool,
    baselines: bool,
    store: Path | None,
    as_json: bool,
    **sections: Any,
) -> None:
    """Write pairs of question and answer for each chunk, and keep the most faithful as Query nodes.

    What was paid for is stored as it arrives; run the same again to go on after an interruption.
    """
    settings, language_model = sections["generate"], sections["language_model"]
    if files:
        settings = replace(settings, source=REPLIES)
    embedder = open_embedder(sections["embedding"], api_key())
    with (
        _source(settings, language_model, files, store_path(store, given_home())) as (source, opened),
        connect() as graph,
    ):
        expected = None
        if settings.source == MODEL and source and opened:
            expected = estimate_generation(graph, settings, source, language_model, opened, _counter(embedder))
            _show_estimate(expected, as_json and estimate_only)
        elif estimate_only:
            raise InputError(f"The source {settings.source!r} costs nothing; there is nothing to estimate.")
        if estimate_only:
            return
        with progress_bar("Generating") as progress:
            report = run_stage(graph, embedder, settings, source, with_baselines=baselines, progress=progress)
    _show_report(report, expected, language_model, as_json)


@contextmanager
def _source(
    settings: GenerateSettings, language_model: LanguageModelSettings, files: tuple[Path, ...], store: Path
) -> Iterator[tuple[ReplySource | None, ReplyStore | None]]:
    """Whoever replies, and the store where there is one."""
    if settings.source == SENTENCES:
        yield None, None
    elif files:
        yield Recording(files, "generate/pairs"), None
    else:
        with ReplyStore(store) as opened:
            if settings.source == REPLIES:
                yield StoredReplies(opened), opened
                return
            model = LiveModel(language_model, opened, api_key())
            try:
                yield model, opened
            finally:
                model.close()


def _counter(embedder: Embedder) -> Any:
    return lambda text: len(embedder.tokenizer.encode(text, add_special_tokens=False).ids)


def _show_estimate(expected: Estimate, as_json: bool) -> None:
    if as_json:
        print_json(asdict(expected))
        return
    usage = expected.usage
    price = "unknown without prices" if expected.cost is None else f"{expected.cost:,.4f}"
    notices().print(
        f"Estimate: {usage.calls:,} calls ({expected.known:,} of {expected.requests:,} replies are known), "
        f"{usage.input_tokens:,} input tokens (counted with the embedding model's tokenizer), "
        f"{usage.output_tokens:,} output tokens ({expected.assumption}), cost {price}."
    )


def _show_report(
    report: GenerateReport, expected: Estimate | None, language_model: LanguageModelSettings, as_json: bool
) -> None:
    if as_json:
        print_json({**asdict(report), "estimate": asdict(expected) if expected else None})
    else:
        names = ("chunks", "written", "unchanged", "kept", "filtered_out", "empty", "duplicates")
        rows: list[tuple[str, int]] = [(name.replace("_", " "), getattr(report, name)) for name in names]
        print_table("Queries", ("what", "number"), [*rows, ("without reply", len(report.missing))])
        if expected:
            _show_costs(report, expected, language_model)
    if report.missing:
        raise _incomplete(report)


def _show_costs(report: GenerateReport, expected: Estimate, language_model: LanguageModelSettings) -> None:
    usage, real_cost = report.usage, cost(report.usage, language_model)
    rows: list[tuple[Any, ...]] = [
        ("calls", expected.usage.calls, usage.calls),
        ("input tokens", expected.usage.input_tokens, usage.input_tokens),
        ("output tokens", expected.usage.output_tokens, usage.output_tokens),
    ]
    if expected.cost is not None and real_cost is not None:
        rows.append(("cost", f"{expected.cost:.4f}", f"{real_cost:.4f}"))
    print_table("Language model", ("what", "estimated", "real"), rows)


def _incomplete(report: GenerateReport) -> MissingReplyError:
    first = [f"  {item.chunk}: {item.reason}" for item in report.missing[:_SHOWN]]
    more = [f"  … and {len(report.missing) - _SHOWN:,} more"] if len(report.missing) > _SHOWN else []
    return MissingReplyError(
        "\n".join([f"{len(report.missing):,} of {report.chunks:,} chunks have no reply:", *first, *more]),
        "Everything else is written. Run the same again to ask for these, or bring their replies with --replies.",
    )
