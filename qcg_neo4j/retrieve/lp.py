"""LP-RAG: the best atoms by a trained link predictor that scores in the database, and the chunks that state them."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.graph.conversion import camel
from qcg_neo4j.records import Evidence
from qcg_neo4j.retrieve.atoms import atom, ranked_chunks
from qcg_neo4j.retrieve.method import checked_question, why_nothing, within
from qcg_neo4j.retrieve.settings import LpSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector


@dataclass(frozen=True)
class Lp:
    """Retrieval as link prediction; the graph needs a predictor (``qcg train link-predictor``)."""

    settings: LpSettings = LpSettings()
    name: ClassVar[str] = "lp"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: LpSettings) -> Lp:
        """The same with other settings."""
        return replace(self, settings=settings)

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/lp_graph``: all of it in one statement, to look at."""
        configuration = {camel(name): value for name, value in asdict(self.settings).items()}
        return Call("retrieve/lp_graph", {"question_vector": vector, "configuration": configuration})

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question: chunks as passages, and the atoms that they were found by.

        Raises:
            MissingPluginError: the server lacks the plug-in, or has another version of it.
            GraphError: the graph has no link predictor.
        """
        question = checked_question(question)
        start = time.perf_counter()
        vector = graph.embed_question(question) if vector is None else vector
        graph.need_procedures()
        row = graph.rows("retrieve/lp", **self._parameters(vector))[0]
        atoms = tuple(atom(one) for one in row["atoms"])
        passages = ranked_chunks(row["atoms"], atoms)[: self.settings.passages]
        kept, notes = within(passages, self.settings.context_tokens)
        if row["stale"]:
            notes = (*notes, "the link predictor is older than the atoms; `qcg status` says what to run again")
        notes = notes if kept else why_nothing(self, graph) + notes
        return Evidence(
            question, self.name, kept, asdict(self.settings), time.perf_counter() - start, notes, atoms=atoms
        )

    def _parameters(self, vector: Any) -> dict[str, Any]:
        chosen = self.settings
        return {
            "question_vector": vector,
            "candidates": chosen.candidates,
            "atoms": chosen.atoms,
            "selection": chosen.selection,
            "reasons": chosen.reasons,
        }
