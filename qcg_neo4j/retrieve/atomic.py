"""AtomicRAG: the best atoms by personalized PageRank over the atom-entity graph, and the chunks that state them."""

from __future__ import annotations

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from qcg_neo4j.errors import GraphError, MissingPluginError, SettingsError
from qcg_neo4j.graph import Call, Graph
from qcg_neo4j.records import Atom, Evidence
from qcg_neo4j.replies import ReplySource
from qcg_neo4j.retrieve.asked import MODEL, Asked, asked_for
from qcg_neo4j.retrieve.atoms import atom, merged, ranked_chunks
from qcg_neo4j.retrieve.method import checked_question, why_nothing, within
from qcg_neo4j.retrieve.projection import PREFIX, provide_projection
from qcg_neo4j.retrieve.reasoning import sieved
from qcg_neo4j.retrieve.settings import AtomicSettings

if TYPE_CHECKING:
    from qcg_neo4j.retrieve.method import Vector

NEGLIGIBLE = 1e-8  # what the last round of GDS may still move, of all
FEWEST_ROUNDS = 20  # GDS's own default
Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Atomic:
    """Atom retrieval; ``source`` is the language model (or recording) that analyses questions and sieves atoms."""

    settings: AtomicSettings = AtomicSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "atomic"
    needs_vector: ClassVar[bool] = True

    def with_settings(self, settings: AtomicSettings) -> Atomic:
        """The same with other settings."""
        return replace(self, settings=settings)

    def asks_model(self) -> bool:
        """Whether these settings ask a language model."""
        return MODEL in (self.settings.analysis, self.settings.sieve)

    def call(self, question: str, vector: Vector | None) -> Call:
        """The statement for the question alone, with the names of the graph that it holds."""
        return _call(self.settings, Asked(question, vector))

    def retrieve(self, graph: Graph, question: str, vector: Vector | None = None) -> Evidence:
        """The evidence for a question: chunks as passages, and the atoms that they were found by.

        Raises:
            SettingsError: a setting asks for a language model and there is none.
            MissingReplyError: the language model, or the recording, gave no reply.
            MissingPluginError: the server lacks what the propagation needs.
        """
        question = checked_question(question)
        if self.asks_model() and self.source is None:
            raise SettingsError(
                "The settings of atomic ask for a language model, and none is given.",
                "Give --language-model-endpoint and --language-model, or set analysis and sieve otherwise.",
            )
        start = time.perf_counter()
        vector = graph.embed_question(question) if vector is None else vector
        if self.settings.propagation == "push":
            graph.need_procedures()
        asked = asked_for(graph, question, vector, self.settings, self.source)
        found = self._side_by_side(graph, asked)
        atoms = merged([self._sieved(one, rows) for one, rows in zip(asked, found, strict=True)], self.settings.atoms)
        rows = [row for each in found for row in each]
        passages = ranked_chunks(rows, atoms)[: self.settings.passages]
        kept, notes = within(passages, self.settings.context_tokens)
        notes = (*notes, *self._notes(asked, rows)) if kept else why_nothing(self, graph)
        seconds = time.perf_counter() - start
        return Evidence(question, self.name, kept, asdict(self.settings), seconds, notes, atoms=atoms)

    def _side_by_side(self, graph: Graph, asked: Sequence[Asked]) -> list[Rows]:
        """The rows for the question and its sub-questions, each by one round trip, all at the same time."""
        if len(asked) == 1:
            return [self._rows(graph, asked[0])]
        with ThreadPoolExecutor(len(asked)) as pool:
            return list(pool.map(lambda one: self._rows(graph, one), asked))

    def _rows(self, graph: Graph, asked: Asked) -> Rows:
        call = _call(self.settings, asked)
        try:
            return graph.rows(call.path, **call.parameters)
        except MissingPluginError as error:
            if self.settings.propagation == "push":
                raise
            raise MissingPluginError(
                f"The propagation gds needs Graph Data Science: {error.problem}",
                "Install it, or use the propagation push.",
            ) from None
        except GraphError as error:
            if PREFIX not in error.problem:
                raise
        provide_projection(graph, synonyms=self.settings.synonyms)  # there is none of the present state
        return graph.rows(call.path, **call.parameters)

    def _sieved(self, asked: Asked, rows: Rows) -> list[Atom]:
        atoms = [atom(row) for row in rows]
        if self.settings.sieve != MODEL or not atoms:
            return atoms
        assert self.source is not None  # noqa: S101 - `retrieve` has checked it
        kept = sieved(asked.question, [one.text for one in atoms], self.source)
        return [atoms[position] for position in kept]

    def _notes(self, asked: Sequence[Asked], rows: Rows) -> list[str]:
        notes = [f"asked as well: {one.question}" for one in asked[1:]]
        if self.settings.atom_seeds:
            notes.append(f"only the {self.settings.atom_seeds:,} nearest atoms are seeds")
        if self.settings.synonyms and not all(row["synonyms_built"] for row in rows):
            notes.append("the graph has no synonyms yet; `qcg build synonyms` makes them")
        return notes


def _call(chosen: AtomicSettings, asked: Asked) -> Call:
    weight, damping = chosen.atom_weight, chosen.damping
    if asked.is_chain:
        weight = weight if chosen.chain_atom_weight is None else chosen.chain_atom_weight
        damping = damping if chosen.chain_damping is None else chosen.chain_damping
    parameters: dict[str, Any] = {
        "question": asked.question if asked.look_for_names else "",
        "question_vector": asked.vector,
        "entity_vectors": list(asked.names),
        "atom_seeds": chosen.atom_seeds,
        "atom_candidates": max(1, chosen.candidate_factor * chosen.atom_seeds),
        "atom_weight": float(weight),
        "entity_seeds": chosen.entity_seeds,
        "entity_candidates": max(1, chosen.candidate_factor * chosen.entity_seeds),
        "entity_floor": float(chosen.entity_floor),
        "damping": float(damping),
        "synonyms": chosen.synonyms,
        "atoms": chosen.atoms,
    }
    if chosen.propagation == "gds":
        return Call("retrieve/atomic_gds", {**parameters, "iterations": rounds(damping)})
    return Call("retrieve/atomic", {**parameters, "tolerance": float(chosen.tolerance)})


def rounds(damping: float) -> int:
    """So many rounds that what is left of the walk after them is negligible."""
    needed, left = 0, 1.0
    while left > NEGLIGIBLE and damping > 0:
        needed, left = needed + 1, left * damping
    return max(FEWEST_ROUNDS, needed)
