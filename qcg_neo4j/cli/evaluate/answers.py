"""``qcg evaluate answers``: answers of any method, scored against the reference answers of questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import click

from qcg_neo4j.cli.command import COMMAND, command, option
from qcg_neo4j.cli.evaluate.side_by_side import shown_claims, shown_rates
from qcg_neo4j.cli.evaluation_options import output_option, question_options, show, systems_options, tell
from qcg_neo4j.cli.models import (
    api_key,
    budget_of,
    embedding_option,
    live_model,
    rerank_key,
    usage_in_words,
    use_for_questions,
)
from qcg_neo4j.cli.options import Connect, connection_options, json_option, model_option, settings_options
from qcg_neo4j.cli.paid_runs import BY_BYTES, PaidRun, nothing_to_estimate, paying_options, show_estimate
from qcg_neo4j.cli.terminal import notices, print_json, progress_bar
from qcg_neo4j.core.errors import InputError, LanguageModelError, SettingsError, number_of
from qcg_neo4j.evaluation import agreement, claims, pairwise
from qcg_neo4j.evaluation.answers import (
    estimate_answers,
    estimate_verdicts,
    evaluate_answers,
    evaluate_given,
    expected_candidates,
    given_candidates,
    measurable,
)
from qcg_neo4j.evaluation.answers.answer_run import AnswerRun
from qcg_neo4j.evaluation.answers.earlier import read_earlier
from qcg_neo4j.evaluation.answers.measures import COMPARING, GROUPS, JUDGED_GROUPS, MATCH, VERDICTS, Measuring
from qcg_neo4j.evaluation.answers.page import cost_table, earlier_table, figure_table, is_drawn, oddities
from qcg_neo4j.evaluation.answers.result import AnswersResult
from qcg_neo4j.evaluation.answers.systems import CONDITIONS, SYSTEMS, answering_lineup, conditions
from qcg_neo4j.evaluation.answers.trials import FILE, KINDS, Candidate, Metered, trials_of
from qcg_neo4j.evaluation.folder import open_kept
from qcg_neo4j.evaluation.questions import Question, read_answers
from qcg_neo4j.evaluation.settings import AnswersSettings, JudgeSettings, PairwiseSettings
from qcg_neo4j.evaluation.systems_run import graph_state
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import Embedder
from qcg_neo4j.models.llm import Budget, Estimate, LanguageModelSettings, batch_prices
from qcg_neo4j.models.llm.endpoint import CONFIGURE, NOT_CONFIGURED
from qcg_neo4j.models.replies import Recording, ReplySource, ReplyStore


@command()
@question_options
@systems_options(SYSTEMS, "a method with its defaults; repeatable")
@option("--conditions", is_flag=True, help=f"GraphRAG's conditions {', '.join(CONDITIONS)}")
@option(
    "--answers",
    "written",
    type=click.Path(path_type=Path),
    metavar="FILE",
    multiple=True,
    help="score the answers of FILE instead; repeatable",
)
@option("--measure", "groups", type=click.Choice(list(GROUPS)), metavar="NAME", multiple=True, help=", ".join(GROUPS))
@option(
    "--earlier",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="compare with an earlier run, by its scores.jsonl",
)
@option("--style", metavar="TEXT", default="precise", help="as for qcg answer [precise]")
@output_option
@settings_options(AnswersSettings, "evaluate_answers")
@settings_options(PairwiseSettings, "evaluate_pairwise")
@paying_options
@model_option("--judge", "judge", "model that judges [the model that answers]")
@settings_options(JudgeSettings, "judge")
@embedding_option
@connection_options
@json_option
@click.pass_context
def answers(
    context: click.Context, /, connect: Connect, questions: list[Question], output: Path, paid: PaidRun, **rest: Any
) -> None:
    """Let systems answer QUESTIONS and score the answers.

    Give --systems, --method, --conditions or --answers. QUESTIONS: see retrieval.
    """
    ways = [name for name in ("systems", "methods", "conditions", "written") if rest[name]]
    if len(ways) != 1:
        raise InputError(
            "Answers are those of --systems, of --method, of --conditions or of --answers.",
            f"Give {'one' if not ways else 'only one'}.",
        )
    if not rest["groups"]:
        rest["groups"] = (MATCH, VERDICTS) if any(one.has_reference for one in questions) else COMPARING
    if rest["where"] is not None and rest["written"]:
        raise InputError("--where is for systems that retrieve; --answers are written already.", "Give one of them.")
    rest |= {"command": context.meta[COMMAND], "output": output, "paid": paid}
    result = _score_files(questions, rest) if rest["written"] else _answer_and_score(connect, questions, rest)
    if result:
        _show(result, output, paid.as_json)


@dataclass(frozen=True)
class _Sources:
    """Who answers and who judges: recordings, or live models with their store; nobody where nothing is set.

    ``writer`` is the answerer, asked in batches where these are wanted. ``models`` have the prices of this call.
    """

    answerer: ReplySource | None
    writer: ReplySource | None
    judge: ReplySource | None
    models: tuple[LanguageModelSettings, LanguageModelSettings]
    store: ReplyStore | None = None


@contextmanager
def _sources(paid: PaidRun, chosen: JudgeSettings) -> Iterator[_Sources]:
    model, judge = paid.llm, _judge(chosen, paid.llm)
    if paid.files:
        recording = Recording(paid.files)
        yield _Sources(recording, recording, recording, (model, judge))
        return
    with ExitStack() as opened:
        store = opened.enter_context(ReplyStore(paid.store))
        key = os.environ.get("QCG_JUDGE_API_KEY")
        answerer = opened.enter_context(live_model(model, store)) if model.is_given else None
        budget = Budget(judge) if judge.max_cost is not None else Budget(judge, budget_of(model))
        judging = opened.enter_context(live_model(judge, store, key, budget)) if judge.is_given else None
        writer, asked_judge = (live and opened.enter_context(paid.asking(live, store)) for live in (answerer, judging))
        prices = paid.prices, batch_prices(judge) if paid.batch else judge
        yield _Sources(answerer, writer, asked_judge, prices, store)


def _judge(chosen: JudgeSettings, model: LanguageModelSettings) -> JudgeSettings:
    """The judge's settings; what they do not say is as the answerer's, its place and its prices as a whole.

    Raises:
        SettingsError: costs are limited, and nothing says what the judge costs.
    """
    judge = replace(chosen, model=chosen.model or model.model)
    if not (chosen.provider or chosen.endpoint):
        judge = replace(judge, provider=model.provider, endpoint=model.endpoint)
    has_prices = judge.input_price is not None and judge.output_price is not None
    if not has_prices and (judge.model, judge.address) == (model.model, model.address):
        prices = {name: getattr(model, name) for name in ("input_price", "output_price", "batch_price")}
        return replace(judge, **prices)
    if not has_prices and model.max_cost is not None:
        raise SettingsError(
            "--max-cost limits what the judge costs, too, and nothing says what its tokens cost.",
            "Give --set judge.input_price and --set judge.output_price, each for a million tokens.",
        )
    return judge


def _measuring(given: dict[str, Any], judge: ReplySource | None, open_embedder: Callable[[], Embedder]) -> Measuring:
    return Measuring(
        given["groups"],
        judge,
        given["evaluate_answers"],
        open_embedder,
        given["command"],
        given["evaluate_pairwise"],
        given["baseline"],
        given["earlier"] and read_earlier(given["earlier"]),
    )


def _score_files(questions: list[Question], given: dict[str, Any]) -> AnswersResult | None:
    answers = read_answers(given["written"])
    with _sources(given["paid"], given["judge"]) as sources:
        measuring = _measuring(given, sources.judge, cache(lambda: open_embedder(given["embedding"], api_key())))
        candidates = given_candidates(answers, measurable(questions, measuring), measuring.times_judged)
        if _told({"verdicts": _expected_verdicts(candidates, measuring, sources)}, given["paid"]):
            return None
        return evaluate_given(
            answers, questions, given["output"], measuring, baseline=given["baseline"], bars=progress_bar
        )


def _answer_and_score(connect: Connect, questions: list[Question], given: dict[str, Any]) -> AnswersResult | None:
    with _sources(given["paid"], given["judge"]) as sources, ExitStack() as opened:
        if sources.answerer is None:
            raise LanguageModelError(NOT_CONFIGURED, CONFIGURE)
        meter = Metered(sources.answerer, sources.writer)
        if given["conditions"]:
            lineup = conditions(given["baseline"], meter)
        else:
            lineup = answering_lineup(given["systems"], given["methods"], given["baseline"], meter, rerank_key())
        if given["where"] is not None:
            lineup = lineup.filtered(given["where"])
        graph = opened.enter_context(connect())
        use_for_questions(graph, given["embedding"])
        measuring = _measuring(given, sources.judge, graph.question_embedder)
        state = graph_state(graph)
        names = [system.name for system in lineup.systems]
        trials = trials_of(names, measurable(questions, measuring), measuring.settings.replicates)
        kept = opened.enter_context(open_kept(given["output"] / FILE, KINDS))
        run = AnswerRun(graph, state, kept, lineup, trials, given["style"], meter)
        with progress_bar("Retrieving") as progress:
            run.gather(asking=False, progress=progress)
        if _told(_expected(run, measuring, sources), given["paid"]):
            return None
        return evaluate_answers(run, questions, given["output"], measuring, progress_bar)


def _expected(run: AnswerRun, measuring: Measuring, sources: _Sources) -> dict[str, Estimate | None]:
    if sources.store is None or sources.answerer is None:
        return {}
    answers = estimate_answers(run, sources.answerer, sources.models[0], sources.store)
    if run.asking_systems:
        named = ", ".join(run.asking_systems)
        notices().print(f"Not counted are the calls on the way to an answer of {named}.")
    return {"answers": answers, "verdicts": _expected_verdicts(list(expected_candidates(run)), measuring, sources)}


def _expected_verdicts(candidates: list[Candidate], measuring: Measuring, sources: _Sources) -> Estimate | None:
    judging = any(name in JUDGED_GROUPS for name in measuring.groups)
    if sources.store is None or sources.judge is None or not judging:
        return None
    return estimate_verdicts(candidates, measuring, sources.judge, sources.models[1], sources.store)


def _told(expected: dict[str, Estimate | None], paid: PaidRun) -> bool:
    """Tell what a run will cost; whether that is all that was wanted."""
    found = {name: item for name, item in expected.items() if item}
    if paid.estimate_only and not found:
        raise nothing_to_estimate("replies" if paid.files else MATCH)
    if paid.estimate_only and paid.as_json:
        print_json({name: asdict(item) for name, item in found.items()})
        return True
    for name, item in found.items():
        show_estimate(item, BY_BYTES, what=f"Estimate of {name}")
    return paid.estimate_only


def _show(result: AnswersResult, output: Path, as_json: bool) -> None:
    table = figure_table(result, intervals=False)
    tables = [replace(table, title=f"{number_of(result.questions, 'question')}, shares in percent")]
    tables += [earlier_table(result), cost_table(result)]
    odd = list(oddities(result))
    if result.pairwise:
        tables.append(shown_rates(result.pairwise))
        odd += pairwise.oddities(result.pairwise)
    if result.claims:
        tables.append(shown_claims(result.claims))
        odd += claims.oddities(result.claims)
    tables.append(agreement.table(result.agreement, "Verdicts and claims"))
    show(result, as_json, [table for table in tables if table.rows])
    for name, usage in result.usage.items():
        if usage.calls:
            notices().print(f"Paid for {name}: {number_of(usage.calls, 'call')}, {usage_in_words(usage)}.")
    picture = ["answers.png"] if is_drawn(result) else []
    written = ["answers.md", "answers.csv", *picture, "scores.jsonl"]
    written += [f"{name}.md" for name in ("pairwise", "claims", "agreement") if getattr(result, name)]
    tell(dict.fromkeys(odd), f"{output}: {', '.join(written)}")
