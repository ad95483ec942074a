"""GraphRAG's retrieval: local from the nearest entities, global from the reports of a level (Edge et al.)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.graph.conversion import from_cypher
from qcg_neo4j.records import Claim, EntityHit, Evidence, Neighbourhood, Report, Triple
from qcg_neo4j.retrieve.method import checked_question, passage, within
from qcg_neo4j.retrieve.settings import GraphragGlobalSettings, GraphragLocalSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector

NO_REPORTS = "there are no reports; make them with `qcg build communities` and `qcg report`"


@dataclass(frozen=True)
class GraphragLocal:
    """Local search: chunks of the entities nearest to the question, with their relations, claims and reports."""

    settings: GraphragLocalSettings = GraphragLocalSettings()
    name: ClassVar[str] = "graphrag-local"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: GraphragLocalSettings) -> GraphragLocal:
        """The same with other settings."""
        return replace(self, settings=settings)

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/graphrag_local`` with these settings."""
        chosen = self.settings
        return Call(
            "retrieve/graphrag_local",
            {
                "question_vector": vector,
                "candidates": chosen.candidate_factor * chosen.entities,
                "entities": chosen.entities,
                "ranking": chosen.ranking,
                "passages": chosen.passages,
                "relations": chosen.relations,
            },
        )

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence in one round trip, with the neighbourhood of the entities and the reports on it."""
        evidence, row = _evidence(self, graph, question, vector)
        neighbourhood = Neighbourhood(
            tuple(EntityHit(**entity) for entity in row["entities"]),
            tuple(Triple(**relation) for relation in row["relations"]),
            tuple(Claim(**claim) for claim in row["claims"]),
        )
        notes = evidence.notes
        if not neighbourhood.entities:
            notes = (*notes, "the graph holds no entities; make them with `qcg extract`")
        elif not evidence.reports:
            notes = (*notes, NO_REPORTS)
        return replace(evidence, neighbourhood=neighbourhood, notes=notes)


@dataclass(frozen=True)
class GraphragGlobal:
    """Global search as retrieval: the reports of a level nearest to the question, and the chunks behind them."""

    settings: GraphragGlobalSettings = GraphragGlobalSettings()
    name: ClassVar[str] = "graphrag-global"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: GraphragGlobalSettings) -> GraphragGlobal:
        """The same with other settings."""
        return replace(self, settings=settings)

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/graphrag_global`` with these settings."""
        chosen = self.settings
        return Call(
            "retrieve/graphrag_global",
            {
                "question_vector": vector,
                "level": chosen.level,
                "reports": chosen.reports,
                "passages": chosen.passages,
            },
        )

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence in one round trip, with the reports that led to it."""
        evidence, _ = _evidence(self, graph, question, vector)
        if evidence.reports:
            return evidence
        return replace(evidence, notes=(NO_REPORTS,))


def _evidence(
    method: GraphragLocal | GraphragGlobal, graph: Graph, question: str, vector: Vector | None
) -> tuple[Evidence, Mapping[str, Any]]:
    question = checked_question(question)
    start = time.perf_counter()
    vector = graph.embed_question(question) if vector is None else vector
    call = method.call(question, vector)
    row = graph.rows_of(call)[0]
    passages, notes = within([passage(from_cypher(found)) for found in row["passages"]], method.settings.context_tokens)
    seconds = time.perf_counter() - start
    reports = tuple(Report(**report) for report in row["reports"])
    return Evidence(question, method.name, passages, asdict(method.settings), seconds, notes, reports=reports), row
