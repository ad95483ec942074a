"""AtomicRAG: the best atoms by personalized PageRank over the atom-entity graph, and the chunks that state them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, TypeVar

from qcg_neo4j.core.errors import GraphError, SettingsError
from qcg_neo4j.core.records import Atom
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.conversion import configuration
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.projection import KIND, provide_projection
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.atomic_settings import ROUNDS, AtomicSettings
from qcg_neo4j.retrieval.atomic_walk import WALKED, walked
from qcg_neo4j.retrieval.atoms import atom, merged, ranked_chunks, stated
from qcg_neo4j.retrieval.method import MODEL, AskingMethod, Found, Vector
from qcg_neo4j.retrieval.model_steps import sieved
from qcg_neo4j.retrieval.permission import Permission
from qcg_neo4j.retrieval.question_parts import SPACY, QuestionPart, question_parts

EVIDENCE = "retrieve/atomic/evidence"
Row = dict[str, Any]
T = TypeVar("T")


@dataclass(frozen=True)
class Atomic(AskingMethod):
    """AtomicRAG: PageRank over atomic facts, seeded by those nearest to the question.

    ``source`` is the language model (or recording) that analyses questions and filters atoms.
    """

    settings: AtomicSettings = AtomicSettings()
    source: ReplySource | None = field(default=None, compare=False, repr=False)
    name: ClassVar[str] = "atomic"
    procedure: ClassVar[str] = "qcg.retrieve.atomic"
    looks_at: ClassVar[tuple[str, ...]] = ("Atom",)
    paper: ClassVar[Mapping[str, Any]] = {"analysis": MODEL, "sieve": MODEL}
    by_model: ClassVar[Mapping[str, str]] = {"analysis": "analysis of the question", "sieve": "sieve"}
    # The entities of exactly the question's names; what is for chains counts where `analysis` finds a question complex.
    tuned: ClassVar[Mapping[str, Any]] = {
        "entity_floor": 0.9,
        "atom_weight": 1.0,
        "chain_atom_weight": 0.01,
        "chain_damping": 0.5,
    }

    @property
    def asks_model(self) -> bool:
        """Whether these settings ask a language model."""
        return MODEL in (self.settings.analysis, self.settings.sieve)

    def _in_rounds(self, graph: Graph) -> bool:
        return self.settings.propagation == ROUNDS or not graph.has_procedures()

    def call(self, question: str, vector: Vector | None) -> Call:
        """``retrieve/atomic``: all of it in one statement, to look at.

        Raises:
            SettingsError: a language model or spaCy is asked on the way, or the walk is several statements.
        """
        if self.asks_model or self.settings.analysis == SPACY or self.settings.propagation == ROUNDS:
            raise SettingsError(
                "With these settings atomic runs several statements.",
                "Leave analysis, sieve and propagation at their defaults.",
            )
        return Call("retrieve/atomic", _parameters(self.settings, QuestionPart(question, vector)))

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """Chunks as passages, and the atoms that they were found by."""
        asked = question_parts(graph, question, vector, self.settings, self.source)
        found = _side_by_side(lambda one: self._row(graph, one, permitted), asked)  # each by itself
        held = [stated(row["atoms"]) for row in found]
        sieved_atoms = [self._sieved(one, rows) for one, rows in zip(asked, held, strict=True)]
        atoms = merged(sieved_atoms, self.settings.atoms)
        passages = ranked_chunks(chain.from_iterable(held), atoms)[: self.settings.passages]
        if not passages:
            return Found(atoms=atoms)
        return Found(passages, self.looks_at, self._notes(graph, asked, found), atoms=atoms)

    def _row(self, graph: Graph, asked: QuestionPart, permitted: Permission) -> Row:
        if self._in_rounds(graph):
            return walked(graph, _chosen(self.settings, asked), asked, permitted)
        names = None if asked.names is None else list(asked.names)
        parameters = {**_parameters(self.settings, asked), "names": names}
        try:
            return graph.rows(EVIDENCE, **parameters)[0]
        except GraphError as error:
            if f"{graph.own(KIND)}:" not in error.problem:
                raise
        provide_projection(graph, synonyms=self.settings.synonyms)  # there is none of the present state
        return graph.rows(EVIDENCE, **parameters)[0]

    def _sieved(self, asked: QuestionPart, rows: Sequence[Row]) -> list[Atom]:
        atoms = [atom(row) for row in rows]
        if self.settings.sieve != MODEL or not atoms:
            return atoms
        kept = sieved(asked.question, [one.text for one in atoms], self.needed_source())
        return [atoms[position] for position in kept]

    def _notes(self, graph: Graph, asked: Sequence[QuestionPart], found: Sequence[Row]) -> list[str]:
        notes = [f"asked as well: {one.question}" for one in asked[1:]]
        if found[0]["atom_seeds"]:
            notes.append(f"only the {found[0]['atom_seeds']:,} nearest atoms are seeds")
        if self.settings.synonyms and not found[0]["synonyms_built"]:
            notes.append("the graph has no synonyms yet; `qcg build synonyms` makes them")
        if not graph.has_procedures():
            notes.append(WALKED)
        return notes


def _chosen(chosen: AtomicSettings, asked: QuestionPart) -> AtomicSettings:
    """The settings for a question: those for chains where it is one."""
    weight, damping = chosen.atom_weight, chosen.damping
    if asked.is_chain:
        weight = weight if chosen.chain_atom_weight is None else chosen.chain_atom_weight
        damping = damping if chosen.chain_damping is None else chosen.chain_damping
    return replace(chosen, atom_weight=weight, damping=damping)


def _parameters(chosen: AtomicSettings, asked: QuestionPart) -> dict[str, Any]:
    told = configuration(_chosen(chosen, asked))
    return {"question": asked.question, "question_vector": asked.vector, "configuration": told}


def _side_by_side(work: Callable[[QuestionPart], T], parts: Sequence[QuestionPart]) -> list[T]:
    """The work for each part of a question at the same time; results in their order."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(len(parts)) as pool:
        results = [pool.submit(copy_context().run, work, part) for part in parts]  # a span's parent is in the context
        return [result.result() for result in results]
