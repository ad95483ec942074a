"""Systems that answer: a retriever whose passages an answer is written from, or a way of answering of its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.records import Evidence
from qcg_neo4j.core.settings import by_table, from_mapping
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.lineup import Lineup, System, lineup_of, read_lineup, retriever_of
from qcg_neo4j.models.replies import ReplySource, Request
from qcg_neo4j.retrieval import METHODS, GraphragGlobal, GraphragGlobalSettings, GraphragLocal, Method
from qcg_neo4j.retrieval.answer import ANSWERERS
from qcg_neo4j.retrieval.answer.global_search import expected_requests
from qcg_neo4j.retrieval.answer.records import Answer
from qcg_neo4j.retrieval.around.wrapper import Answering, Around
from qcg_neo4j.retrieval.catalogue import PAPER, PRESET, AroundSettings, with_preset
from qcg_neo4j.retrieval.method import ANSWER_TOKENS

# GraphRAG's conditions (section 4.1.2): reports of each level, all chunks, the nearest chunks.
CONDITIONS: Mapping[str, Mapping[str, Any]] = {
    **{f"C{level}": {"level": level} for level in range(4)},
    "TS": {"over": "chunks"},
    "SS": {"over": "nearest"},
}
SYSTEMS = list(dict.fromkeys([*METHODS, *ANSWERERS]))  # what may be named


@dataclass(frozen=True)
class OwnWay(Around):
    """A method that writes its answers in its own way, from reports or in several steps."""

    kind: str

    @property
    def name(self) -> str:
        """The name of the way."""
        return self.kind

    @property
    def asks_model(self) -> bool:
        """Its own way is that of a language model."""
        return True

    def retrieve(self, graph: Graph, question: str, vector: Any = None) -> Evidence:
        """What the inner method finds; the way itself asks for more."""
        return self.retriever.retrieve(graph, question, vector)

    def expected(self, graph: Graph) -> Callable[[str], list[Request]] | None:
        """What it will ask about a question (`expected_requests`); None where that is not known."""
        settings = self.settings
        return expected_requests(graph, settings) if isinstance(settings, GraphragGlobalSettings) else None

    def answer(self, graph: Graph, question: str, source: ReplySource) -> Answer:
        """The answer to a question."""
        run, _ = ANSWERERS[self.kind]
        return run(graph, question, self.settings, source)


def answering_lineup(
    file: Path | None,
    methods: Sequence[str],
    baseline: str | None,
    source: ReplySource | None,
    rerank_key: str | None = None,
) -> Lineup:
    """The systems of a TOML file (`read_lineup`), else those of the named methods with their defaults."""
    make = partial(_made, rerank_key=rerank_key)
    return read_lineup(file, baseline, source, make) if file else lineup_of(methods, baseline, source, make)


def conditions(baseline: str | None, source: ReplySource | None) -> Lineup:
    """GraphRAG's six conditions, with the settings of its paper."""
    kind = GraphragGlobal.name
    made = {name: _made(kind, {PRESET: PAPER, **chosen}, name, source, None) for name, chosen in CONDITIONS.items()}
    return Lineup(tuple(System(name, method) for name, method in made.items()), baseline)


def settings_of(method: Method) -> dict[str, Any]:
    """The settings of a system by their names; the tokens of an answer where it is written from passages."""
    listed = method.settings.listed()
    return {**listed, ANSWER_TOKENS: method.settings.answer_tokens} if isinstance(method, Answering) else listed


def _made(
    kind: str, settings: Mapping[str, Any], where: str, source: ReplySource | None, rerank_key: str | None
) -> Method:
    if kind not in ANSWERERS:
        return Answering(retriever_of(kind, settings, where, source, rerank_key))
    for name in settings:
        if name in AroundSettings.__dataclass_fields__:
            raise SettingsError(f"{where}: {kind} answers in its own way; nothing is put around it ({name!r}).")
    try:
        given = with_preset(kind, settings)
    except SettingsError as error:
        raise SettingsError(f"{where}: {error.problem}", error.remedy) from None
    try:
        chosen: Any = from_mapping(ANSWERERS[kind][1], given, where)
    except SettingsError as error:
        raise SettingsError(by_table(error.problem, ANSWERERS[kind][1], f"retrieve.{kind}"), error.remedy) from None
    return OwnWay(GraphragGlobal(chosen) if kind == GraphragGlobal.name else GraphragLocal(chosen), kind)
