"""GraphRAG's retrieval: local from the nearest entities, global from the reports of a level (Edge et al.)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from qcg_neo4j.core.errors import SettingsError
from qcg_neo4j.core.filters import Where
from qcg_neo4j.core.records import Claim, EntityHit, Neighbourhood, Passage, Report, Triple
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import from_cypher
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.retrieval.evidence import OF_TRIPLE, complete, passages_of
from qcg_neo4j.retrieval.method import Found, RetrieveSettings, StoredMethod, Vector, call_of

NO_REPORTS = "there are no reports; make them with `qcg build communities` and `qcg report`"

EXTRACTIVE = "extractive"  # who wrote a report that no language model did
EXTRACTS = "GraphRAG with extractive reports: the paper has a language model write them (`qcg report --source model`)"

GRAPHRAG = "GraphRAG, public code"


@dataclass(frozen=True)
class CollectionSettings(RetrieveSettings):
    """What the methods share that read what is made of all documents, so that nothing less can be filtered."""

    where: Where | None = setting(
        None, "Not available: descriptions and reports cover all documents.", in_database=False
    )

    style: str = setting(
        "",
        "Length and form of a written answer, such as `multiple paragraphs`.",
        in_database=False,
    )
    general_knowledge: bool = setting(
        False,
        "Allow general knowledge in the answer, marked as such.",
        in_database=False,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.where is not None:
            raise SettingsError(
                f"GraphRAG takes no filter ({self.where}): descriptions and reports are made of all documents.",
                "Every method but those of graphrag takes one.",
            )


@dataclass(frozen=True)
class GraphragLocalSettings(CollectionSettings):
    """Local search: from the entities nearest to the question to their chunks, relations, claims and reports."""

    entities: int = setting(
        10, "Number of entities nearest to the question.", source=f"{GRAPHRAG}, top_k_entities", minimum=1, maximum=1000
    )
    ranking: str = setting(
        "entity",
        "Order of chunks: by their nearest entity, then by how many relations they state; or by their best relation.",
        source=GRAPHRAG,
        choices=("entity", "relation"),
    )
    relations: int = setting(100, "Maximum number of relations, of claims and of reports.", minimum=1, maximum=1000)
    window_tokens: int = setting(
        8000, "Maximum tokens of the context of an answer.", source=GRAPHRAG, minimum=100, in_database=False
    )
    passage_share: float = setting(
        0.5, "Share of the window for chunks.", source=GRAPHRAG, minimum=0, maximum=1, in_database=False
    )
    report_share: float = setting(
        0.1,
        "Share of the window for reports; the rest is for entities and relations.",
        source=GRAPHRAG,
        minimum=0,
        maximum=1,
        in_database=False,
    )


@dataclass(frozen=True)
class GraphragGlobalSettings(CollectionSettings):
    """Global search: the reports of a level."""

    level: int = setting(1, "Level of the communities (C0 is the root).", source="GraphRAG paper, §4.1.2", minimum=0)
    reports: int = setting(5, "Number of reports that retrieval returns and that `similar` reads.", minimum=1)
    choice: str = setting(
        "level",
        "Reports that an answer reads: all of the level, the most similar, or the ones that a model rates as helpful.",
        choices=("level", "similar", "dynamic"),
        in_database=False,
    )
    over: str = setting(
        "reports",
        "Material of an answer: reports (the paper's C0 to C3), all chunks (TS), or the nearest chunks (SS).",
        source="GraphRAG paper, §4.1.2",
        choices=("reports", "chunks", "nearest"),
        in_database=False,
    )
    rating_floor: int = setting(
        1,
        "Minimum rating (0 to 5) of a report that `dynamic` follows.",
        source=GRAPHRAG,
        minimum=0,
        maximum=5,
        in_database=False,
    )
    window_tokens: int = setting(
        8000, "Tokens of a window.", source="GraphRAG paper, §4.1.3", minimum=100, in_database=False
    )
    random_seed: int = setting(42, "Seed of the order of reports in windows.", minimum=0, in_database=False)


@dataclass(frozen=True)
class GraphragDriftSettings(GraphragLocalSettings):
    """DRIFT: from the reports most similar to the question to follow-up questions, each a local search."""

    level: int = setting(1, "Level of the first reports.", minimum=0)
    reports: int = setting(5, "Number of first reports.", minimum=1, maximum=100)
    follow_ups: int = setting(3, "Maximum number of follow-up questions per round.", minimum=1, maximum=20)
    rounds: int = setting(
        3, "Maximum number of rounds of follow-up questions.", source=f"{GRAPHRAG}, n_depth", minimum=0, maximum=10
    )
    token_budget: int = setting(
        100_000, "Maximum tokens of all prompts together; no new round starts beyond it.", minimum=1000
    )


@dataclass(frozen=True)
class GraphragLocal(StoredMethod):
    """GraphRAG local search: the entities nearest to the question, with chunks, relations, claims, reports."""

    settings: GraphragLocalSettings = GraphragLocalSettings()
    name: ClassVar[str] = "graphrag-local"
    procedure: ClassVar[str] = "qcg.retrieve.graphragLocal"
    tuned: ClassVar[Mapping[str, Any]] = {"ranking": "relation", "entities": 50}

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/graphrag_local`` with these settings."""
        candidates = self.settings.candidate_factor * self.settings.entities
        return call_of("retrieve/graphrag_local", self.settings, question, vector, candidates=candidates)

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """The chunks in one round trip, with the neighbourhood of the entities and the reports on it."""
        row = graph.rows(permitted.applied(self.call(question, vector)))[0]
        reports = reports_of(row["reports"])
        neighbourhood = Neighbourhood(
            tuple(EntityHit(**entity) for entity in complete(row["entities"], "id", "name", "similarity")),
            tuple(Triple(**relation) for relation in complete(row["relations"], *OF_TRIPLE)),
            tuple(Claim(**claim) for claim in complete(row["claims"], "id", "description")),
        )
        notes: tuple[str, ...] = ()
        if not neighbourhood.entities:
            notes = ("the graph holds no entities; make them with `qcg extract`",)
        elif not reports:
            notes = (NO_REPORTS,)
        return Found(_passages(row), notes=notes, reports=reports, neighbourhood=neighbourhood)


@dataclass(frozen=True)
class GraphragGlobal(StoredMethod):
    """GraphRAG global search: the reports nearest to the question, and the chunks behind them."""

    settings: GraphragGlobalSettings = GraphragGlobalSettings()
    name: ClassVar[str] = "graphrag-global"
    procedure: ClassVar[str] = "qcg.retrieve.graphragGlobal"
    paper: ClassVar[Mapping[str, Any]] = {"style": "multiple paragraphs", "general_knowledge": True}
    tuned: ClassVar[Mapping[str, Any]] = {"level": 1, "reports": 20}

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/graphrag_global`` with these settings."""
        return call_of("retrieve/graphrag_global", self.settings, question, vector)

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """The chunks in one round trip, with the reports that led to them."""
        row = graph.rows(permitted.applied(self.call(question, vector)))[0]
        reports = reports_of(row["reports"])
        notes = without_model(reports) if reports else (NO_REPORTS,)
        return Found(_passages(row), notes=notes, reports=reports)


def without_model(reports: Iterable[Report]) -> tuple[str, ...]:
    """A note where reports are extracts, which the paper has a language model write."""
    return (EXTRACTS,) if any(report.source == EXTRACTIVE for report in reports) else ()


def reports_of(rows: Iterable[Mapping[str, Any]]) -> tuple[Report, ...]:
    """Rows of reports as values."""
    return tuple(Report(**row) for row in complete(rows, "id", "level", "title", "text"))


def _passages(row: Mapping[str, Any]) -> list[Passage]:
    return passages_of(from_cypher(found) for found in row["passages"])
