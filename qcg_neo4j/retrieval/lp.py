"""LP-RAG: the best atoms by a trained link predictor that scores in the database, and the chunks that state them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import configuration
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval.atoms import atom, ranked_chunks, stated
from qcg_neo4j.retrieval.link_scoring import ALL_ATOMS, SCORED, LpSettings, lp_call, scored
from qcg_neo4j.retrieval.method import Found, StoredMethod, Vector
from qcg_neo4j.retrieval.permission import Permission


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

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """Chunks as passages, and the atoms that they were found by."""
        notes = []
        if graph.has_procedures():
            path = "retrieve/lp/ranked | retrieve/lp/scores | retrieve/atoms | retrieve/lp/evidence"
            row = graph.rows(permitted.applied(lp_call(path, self.settings, vector)))[0]
        else:
            row = scored(graph, self.settings, vector, permitted)
            notes.append(SCORED)
        if row["stale"]:
            notes.insert(0, "the link predictor is older than the atoms; `qcg status` says what to run again")
        rows = stated(row["atoms"])
        atoms = tuple(atom(one) for one in rows)
        passages = ranked_chunks(rows, atoms)[: self.settings.passages]
        return Found(passages, self.looks_at if rows else (), notes, atoms=atoms)
