"""LP-RAG: the best atoms by a trained link predictor that scores in the database, and the chunks that state them."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from qcg_neo4j.core.records import Evidence
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import configuration
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.atoms import atom, ranked_chunks, stated
from qcg_neo4j.retrieval.link_scoring import ALL_ATOMS, SCORED, LpSettings, lp_call, scored
from qcg_neo4j.retrieval.method import StoredMethod, Vector, checked_question, what_is_lacking, within
from qcg_neo4j.retrieval.permission import Permission, permission

NOTHING: Mapping[str, Any] = {"atoms": (), "stale": False}  # where a filter permits no document


@dataclass(frozen=True)
class Lp(StoredMethod):
    """LP-RAG: a trained predictor scores links from the question to chunks (``qcg train link-predictor``)."""

    settings: LpSettings = LpSettings()
    name: ClassVar[str] = "lp"
    procedure: ClassVar[str] = "qcg.retrieve.lp"
    looks_at: ClassVar[tuple[str, ...]] = ("Atom",)
    # Every atom is scored, and kept from σ = 0.5 on (equation 9, appendix A.3), by a predictor of the paper's recipe.
    paper: ClassVar[Mapping[str, Any]] = {"candidates": 0, "atoms": ALL_ATOMS, "selection": "threshold"}

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/lp``: all of it in one statement, to look at."""
        return Call("retrieve/lp", {"question_vector": vector, "configuration": configuration(self.settings)})

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question: chunks as passages, and the atoms that they were found by.

        Raises:
            GraphError: the graph has no link predictor.
        """
        question = checked_question(question)
        start = time.perf_counter()
        vector = graph.embed_question(question) if vector is None else vector
        permitted = permission(graph, self.settings.where)
        row = NOTHING if permitted.is_empty else self._row(graph, question, vector, permitted)
        rows = stated(row["atoms"])
        atoms = tuple(atom(one) for one in rows)
        passages = ranked_chunks(rows, atoms)[: self.settings.passages]
        kept, notes = within(passages, self.settings.context_tokens)
        if row["stale"]:
            notes = (*notes, "the link predictor is older than the atoms; `qcg status` says what to run again")
        lacking = () if permitted.is_empty else what_is_lacking(self, graph, kept, self.looks_at if rows else ())
        here = () if permitted.is_empty or graph.has_procedures() else (SCORED,)
        notes = (*permitted.notes, *lacking, *notes, *here)
        return Evidence(
            question, self.name, kept, asdict(self.settings), time.perf_counter() - start, notes, atoms=atoms
        )

    def _row(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Mapping[str, Any]:
        if not graph.has_procedures():
            return scored(graph, self.settings, vector, permitted)
        call = lp_call(
            "retrieve/lp/ranked | retrieve/lp/scores | retrieve/atoms | retrieve/lp/evidence", self.settings, vector
        )
        return graph.rows(permitted.applied(call))[0]
