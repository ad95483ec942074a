"""LP-RAG: the best atoms by a trained link predictor, in the database or, without its plug-in, here."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from qcg_neo4j.core.errors import GraphError
from qcg_neo4j.core.settings import setting
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import Permission
from qcg_neo4j.indexing.train.network import Floats, Whole
from qcg_neo4j.indexing.train.stored import of_values, question_biases
from qcg_neo4j.indexing.train.weights import NONE, Weights, common_neighbours, encode, encode_questions, score
from qcg_neo4j.retrieval.evidence import atom, ranked_chunks, stated
from qcg_neo4j.retrieval.method import Found, RetrieveSettings, StoredMethod, Vector, call_of, near_call

LP_RAG = "LP-RAG paper, §3.4"
ALL_ATOMS = 100_000
SCORED = "the server has no plug-in qcg of this version: the link predictor scored on this side"
_KEPT = 4  # predictors whose numbers stay at hand
_AT_HAND: dict[str, Predictor] = {}
Row = Mapping[str, Any]


@dataclass(frozen=True)
class LpSettings(RetrieveSettings):
    """Retrieval as link prediction over the graph of the atoms."""

    candidates: int = setting(
        200, "Number of nearest atoms that the predictor ranks; 0 = all.", minimum=0, maximum=ALL_ATOMS
    )
    atoms: int = setting(25, "Maximum number of atoms (k).", minimum=1, maximum=ALL_ATOMS)
    selection: str = setting(
        "top",
        "Keep the best atoms, or only atoms that reach the predictor's threshold (σ ≥ 0.5 with recipe=paper).",
        source=LP_RAG,
        choices=("top", "threshold"),
    )
    reasons: int = setting(3, "Number of neighbours shown per atom.", minimum=0, maximum=100)


@dataclass(frozen=True)
class Predictor:
    """The numbers of a trained predictor."""

    weights: Weights
    question_biases: tuple[Floats, ...]


@dataclass(frozen=True)
class Neighbourhood:
    """Atoms by their places: their vectors in the predictor, and by place of a ranked one its pairs (place, score)."""

    names: tuple[str, ...]
    vectors: Floats
    pairs: Mapping[int, Sequence[tuple[int, float]]]
    similarities: Mapping[int, float]


def scored(graph: Graph, chosen: LpSettings, vector: Floats, permitted: Permission) -> dict[str, Any]:
    """The row that the plug-in's procedure gives: the best atoms with their chunks and reasons.

    Raises:
        GraphError: the graph has no link predictor, or none that fits.
    """
    row = graph.rows("retrieve/lp/predictor", known=list(_AT_HAND))
    predictor, threshold, stale = _predictor(row)
    question = _checked(predictor, vector)
    around = _neighbourhood(graph, predictor.weights, chosen, vector, permitted)
    asked = encode_questions(predictor.weights, predictor.question_biases, question[None])[0]
    found = _best(predictor.weights, around, asked, chosen, threshold)
    values = {"question_vector": vector, "permitted": permitted.parameter}
    return {"atoms": graph.rows("retrieve/lp/reasons | retrieve/atoms", scored=found, **values), "stale": stale}


def lp_call(path: str, chosen: LpSettings, vector: Floats) -> Call:
    """The call of a statement over the atoms that are ranked; a `Permission` widens what the index is asked for."""
    values = {"ranked": chosen.candidates, "candidates": chosen.candidates, "question_vector": vector}
    return near_call(path, chosen, {"Atom": vector}, chosen.atoms, **values)


def _predictor(rows: Sequence[Row]) -> tuple[Predictor, float, bool]:
    if not rows:
        raise GraphError("The graph has no link predictor.", "`qcg train link-predictor` makes one.")
    row = rows[0]
    if not row["ready"]:
        raise GraphError(
            f"The link predictor {row['version']} is being written, or that was interrupted.",
            "Run `qcg train link-predictor` again.",
        )
    found = _AT_HAND.get(row["version"])
    if found is None:
        found = Predictor(of_values(row["predictor"]).weights, question_biases(row["predictor"]))
        for version in list(_AT_HAND)[: 1 - _KEPT]:
            _AT_HAND.pop(version, None)
        _AT_HAND[row["version"]] = found
    return found, float(row["threshold"]), bool(row["stale"])


def _checked(predictor: Predictor, vector: Floats) -> Floats:
    if len(vector) != predictor.weights.dimension:
        raise GraphError(
            f"The question's vector has {len(vector)} numbers, but the link predictor was trained on "
            f"{predictor.weights.dimension}.",
            "Embed the question with the graph's model.",
        )
    return np.asarray(vector, np.float32)


def _neighbourhood(
    graph: Graph, weights: Weights, chosen: LpSettings, vector: Floats, permitted: Permission
) -> Neighbourhood:
    documents = permitted.parameter
    rows = graph.rows(permitted.applied(lp_call("retrieve/lp/ranked | retrieve/lp/neighbourhood", chosen, vector)))
    known = {row["id"]: np.asarray(row["vector"], np.float32) for row in rows if row["vector"] is not None}
    lacking = [row["id"] for row in rows if row["vector"] is None]
    if lacking:
        known |= _computed(graph, weights, lacking, documents)
    rows = [row for row in rows if row["id"] in known]
    names = tuple(row["id"] for row in rows)
    place = {name: number for number, name in enumerate(names)}
    ranked = [row for row in rows if row["is_ranked"] and row["similarity"] is not None]
    pairs = {
        place[row["id"]]: [(place[other], pair) for other, pair in row["pairs"] if other in place] for row in ranked
    }
    vectors = np.array([known[name] for name in names], np.float32).reshape(len(names), weights.hidden)
    return Neighbourhood(names, vectors, pairs, {place[row["id"]]: row["similarity"] for row in ranked})


def _computed(graph: Graph, weights: Weights, names: Sequence[str], documents: list[str] | None) -> dict[str, Floats]:
    """The vectors of atoms that have none stored: of their embeddings and those around, as far as layers reach."""
    found: dict[str, Row] = {}
    wanted = list(names)
    for _ in range(len(weights.layers) + 1):
        rows = graph.rows("retrieve/lp/atoms", ids=wanted, permitted=documents)
        found |= {row["id"]: row for row in rows if _has_embedding(row, weights.dimension)}
        wanted = list(dict.fromkeys(other for row in rows for other, _ in row["pairs"] if other not in found))
    place = {name: number for number, name in enumerate(found)}
    edges = [
        (place[other], place[name], pair)
        for name, row in found.items()
        for other, pair in row["pairs"]
        if other in place
    ]
    ends = np.array([edge[:2] for edge in edges], np.int64).reshape(-1, 2).T
    vectors = np.array([row["embedding"] for row in found.values()], np.float32).reshape(-1, weights.dimension)
    encoded = encode(weights, vectors, ends, np.array([edge[2] for edge in edges], np.float32))
    return {name: encoded.vectors[place[name]] for name in names if name in place}


def _has_embedding(row: Row, dimension: int) -> bool:
    if row["embedding"] is not None and len(row["embedding"]) == dimension:
        return True
    raise GraphError(
        f"The property embedding of the atom {row['id']} has "
        f"{'no vector' if row['embedding'] is None else len(row['embedding'])}, but the link predictor needs "
        f"{dimension} numbers.",
        "`qcg train link-predictor` trains one for the present graph.",
    )


def _best(
    weights: Weights, around: Neighbourhood, asked: Floats, chosen: LpSettings, threshold: float
) -> list[dict[str, Any]]:
    places = list(around.similarities)
    if not places:
        return []
    scores = _scores(weights, around, asked, [(place, None) for place in places])
    order = sorted(zip(places, scores.tolist(), strict=True), key=lambda item: (-item[1], around.names[item[0]]))
    least = threshold if chosen.selection == "threshold" else -np.inf
    return [
        {
            "id": around.names[place],
            "score": value,
            "similarity": around.similarities[place],
            "raising": _raising(weights, around, asked, place, value, chosen.reasons),
        }
        for place, value in order[: chosen.atoms]
        if value >= least
    ]


def _raising(
    weights: Weights, around: Neighbourhood, asked: Floats, place: int, value: float, most: int
) -> list[list[Any]]:
    """The neighbours without which the score would be lower, the most important first."""
    pairs = around.pairs[place]
    if not most or not pairs or weights.common == NONE:
        return []
    raised = value - _scores(weights, around, asked, [(place, other) for other, _ in pairs])
    best = sorted(zip(pairs, raised.tolist(), strict=True), key=lambda item: -item[1])[:most]
    return [[around.names[other], pair] for (other, pair), by in best if by > 0]


def _scores(weights: Weights, around: Neighbourhood, asked: Floats, links: Sequence[tuple[int, int | None]]) -> Floats:
    """The scores of links: each the place of an atom, and of a neighbour that does not count (None: all do)."""
    own = around.vectors[[place for place, _ in links]]
    edges: list[tuple[int, int]] = [
        (other, len(around.names) + number)
        for number, (place, without) in enumerate(links)
        for other, _ in around.pairs[place]
        if other != without
    ]
    both: Whole = np.array(edges, np.int64).reshape(-1, 2).T
    common = common_neighbours(weights, np.concatenate([around.vectors, own]), both)
    cosines = np.array([around.similarities[place] for place, _ in links], np.float32)
    return score(weights, asked, own, None if common is None else common[len(around.names) :], cosines)


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
        return call_of("retrieve/lp", self.settings, question, vector)

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
