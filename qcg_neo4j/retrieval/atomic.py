"""AtomicRAG: the best atoms by personalized PageRank over the atom-entity graph, and the chunks that state them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, ClassVar, TypeVar

from qcg_neo4j.core.errors import GraphError, SettingsError, number_of
from qcg_neo4j.core.records import Atom
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.database.projection import KIND, provide_projection
from qcg_neo4j.models.replies import ReplySource
from qcg_neo4j.retrieval.atomic_question import ROUNDS, SPACY, AtomicSettings, QuestionPart, question_parts
from qcg_neo4j.retrieval.evidence import atom, merged, ranked_chunks, stated
from qcg_neo4j.retrieval.method import MODEL, Found, Vector, call_of
from qcg_neo4j.retrieval.model_steps import SIEVE, AskingMethod, kept

EVIDENCE = "retrieve/atomic/evidence"
WALKED = "the server has no plug-in qcg of this version: the walk ran as rounds of Cypher"
FAR = "the walk found nothing: no atom or entity of the graph is near the question"
ENOUGH = 0.02  # of the walk may be left after the last round; how it would go on is estimated from that round
MOST_ROUNDS = 30
Row = dict[str, Any]
T = TypeVar("T")


def walked(graph: Graph, chosen: AtomicSettings, asked: QuestionPart, permitted: Permission) -> Row:
    """The best atoms with their chunks and reasons, as ``qcg.evidence.atomic`` gives them.

    Raises:
        MissingPluginError: the propagation is that of GDS, which the plug-in runs.
    """
    if chosen.propagation == "gds":
        graph.need_procedures()
    atom_seeds = graph.rows("retrieve/atomic/seeding", atom_seeds=chosen.atom_seeds)[0]["atom_seeds"]
    common: Row = {"question_vector": asked.vector, "permitted": permitted.parameter}
    begin = graph.rows(
        "retrieve/atomic/seeds",
        question="" if asked.names is not None else asked.question,
        names=list(asked.names or ()),
        entity_seeds=chosen.entity_seeds,
        entity_candidates=_candidates(chosen, chosen.entity_seeds, permitted),
        entity_floor=chosen.entity_floor,
        atom_seeds=atom_seeds,
        atom_candidates=_candidates(chosen, atom_seeds, permitted),
        atom_weight=chosen.atom_weight,
        **common,
    )[0]
    found = _best(graph, begin, chosen, permitted)
    reasons: Row = {"walked": found, "entities": begin["entities"], "synonyms": chosen.synonyms, "atoms": chosen.atoms}
    rows = graph.rows("retrieve/atomic/reasons | retrieve/atoms", **reasons, **common)
    return {"atoms": rows, "synonyms_built": begin["synonyms_built"], "atom_seeds": atom_seeds}


def _best(graph: Graph, begin: Mapping[str, Any], chosen: AtomicSettings, permitted: Permission) -> list[Row]:
    """The atoms with the highest scores, and those that tie with the last: node, score, weight as a seed."""
    seeds = _seeds(begin)
    atoms = set(begin["atoms"])
    sums, rests, left, before = Counter(seeds), seeds, 1.0, 1.0
    for _ in range(MOST_ROUNDS):
        if not rests or left <= ENOUGH:
            break
        rows = graph.rows(
            "retrieve/atomic/push",
            nodes=list(rests),
            rests=list(rests.values()),
            damping=chosen.damping,
            tolerance=chosen.tolerance,
            synonyms=chosen.synonyms,
            permitted=permitted.parameter,
        )
        atoms.update(node for row in rows if row["are_atoms"] for node in row["nodes"])
        rests = {node: rest for row in rows for node, rest in zip(row["nodes"], row["rests"], strict=True)}
        sums.update(rests)
        before, left = left, sum(rests.values())
    following = left / (before - left) if left < before else 0.0  # rounds that shrink as the last one did
    sums.update({node: following * rest for node, rest in rests.items()})
    scores = {node: (1 - chosen.damping) * sums[node] for node in atoms if sums[node] > 0}
    least = min(sorted(scores.values(), reverse=True)[: chosen.atoms], default=0.0)
    return [
        {"node": node, "score": score, "weight": seeds.get(node, 0.0)}
        for node, score in scores.items()
        if score >= least
    ]


def _seeds(begin: Mapping[str, Any]) -> dict[str, float]:
    """The share of the walk that begins at each atom and entity."""
    weights = dict(zip(begin["atoms"], begin["weights"], strict=True))
    weights |= {seed["node"]: seed["similarity"] for seed in begin["entities"]}
    total = sum(weight for weight in weights.values() if weight > 0)
    return {node: weight / total for node, weight in weights.items() if weight > 0}


def _candidates(chosen: AtomicSettings, seeds: int, permitted: Permission) -> int:
    return max(1, permitted.candidates(chosen.candidate_factor * seeds))


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
        return call_of("retrieve/atomic", self.settings, question, vector)

    def _found(self, graph: Graph, question: str, vector: Vector, permitted: Permission) -> Found:
        """Chunks as passages, and the atoms that they were found by."""
        asked = question_parts(graph, question, vector, self.settings, self.source)
        found = _side_by_side(lambda one: self._row(graph, one, permitted), asked)  # each by itself
        held = [stated(row["atoms"]) for row in found]
        sieved_atoms = [self._sieved(one, rows) for one, rows in zip(asked, held, strict=True)]
        atoms = merged(sieved_atoms, self.settings.atoms)
        passages = ranked_chunks(chain.from_iterable(held), atoms)[: self.settings.passages]
        if not passages:
            return Found(
                otherwise=f"the language model kept none of {sum(map(len, held)):,} atoms" if any(held) else FAR
            )
        return Found(passages, self.looks_at, self._notes(graph, asked, found), atoms=atoms)

    def _row(self, graph: Graph, asked: QuestionPart, permitted: Permission) -> Row:
        if self._in_rounds(graph):
            return walked(graph, _chosen(self.settings, asked), asked, permitted)
        names = None if asked.names is None else list(asked.names)
        call = call_of(EVIDENCE, _chosen(self.settings, asked), asked.question, asked.vector, names=names)
        try:
            return graph.rows(call)[0]
        except GraphError as error:
            if f"{graph.own(KIND)}:" not in error.problem:
                raise
        provide_projection(graph, synonyms=self.settings.synonyms)  # there is none of the present state
        return graph.rows(call)[0]

    def _sieved(self, asked: QuestionPart, rows: Sequence[Row]) -> list[Atom]:
        atoms = [atom(row) for row in rows]
        if self.settings.sieve != MODEL:
            return atoms
        keep = kept(SIEVE, "atoms", asked.question, [one.text for one in atoms], self.needed_source())
        return [atoms[position] for position in keep]

    def _notes(self, graph: Graph, asked: Sequence[QuestionPart], found: Sequence[Row]) -> list[str]:
        notes = [f"asked as well: {one.question}" for one in asked[1:]]
        if found[0]["atom_seeds"]:
            notes.append(
                f"only the {number_of(found[0]['atom_seeds'], 'nearest atom is a seed', 'nearest atoms are seeds')}"
            )
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


def _side_by_side(work: Callable[[QuestionPart], T], parts: Sequence[QuestionPart]) -> list[T]:
    """The work for each part of a question at the same time; results in their order."""
    if len(parts) < 2:
        return [work(part) for part in parts]
    with ThreadPoolExecutor(len(parts)) as pool:
        results = [pool.submit(copy_context().run, work, part) for part in parts]  # a span's parent is in the context
        return [result.result() for result in results]
