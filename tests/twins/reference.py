"""Retrieval in slow, plain Python over the whole graph: the twin that the statements are held to."""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference_chains import chain, named, naming, pages_of

from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import LayersSettings, QcgSettings

Ranking = list[tuple[str, float]]


@dataclass
class Whole:
    """The graph in memory: vectors by id, the chunk of each query and window, the neighbours of each query."""

    texts: dict[str, str] = field(default_factory=dict)
    chunks: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    windows: dict[str, list[NDArray[np.float64]]] = field(default_factory=lambda: defaultdict(list))
    queries: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    chunk_of: dict[str, str] = field(default_factory=dict)
    neighbours: dict[str, list[str]] = field(default_factory=dict)
    atoms: dict[str, list[NDArray[np.float64]]] = field(default_factory=lambda: defaultdict(list))
    triples: dict[str, list[NDArray[np.float64]]] = field(default_factory=lambda: defaultdict(list))
    entities: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    names: dict[str, str] = field(default_factory=dict)
    name_vectors: dict[str, NDArray[np.float64]] = field(default_factory=dict)
    stated: dict[str, list[tuple[str, str, NDArray[np.float64]]]] = field(default_factory=lambda: defaultdict(list))
    mentions: dict[str, list[set[str]]] = field(default_factory=lambda: defaultdict(list))
    expanded: dict[str, dict[str, NDArray[np.float64]]] = field(default_factory=dict)


def read_whole(graph: Graph) -> Whole:
    """Everything that retrieval looks at, fetched plainly."""

    def ask(text: str) -> list[Any]:
        return list(graph.driver.execute_query(text).records)

    whole = Whole()
    for row in ask("MATCH (c:QcgChunk) RETURN c.id AS id, c.text AS text, c.embedding AS v, c AS c"):
        whole.texts[row["id"]] = row["text"]
        whole.chunks[row["id"]] = np.array(row["v"])
        whole.expanded[row["id"]] = {
            name: np.array(row["c"][name]) for name in ("d2qAllEmbedding", "d2qKeptEmbedding") if row["c"].get(name)
        }
    for row in ask("MATCH (w:QcgWindow)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id, w.embedding AS v"):
        whole.windows[row["id"]].append(np.array(row["v"]))
    for row in ask("MATCH (q:QcgQuery)-[:FROM_CHUNK]->(c:QcgChunk) RETURN q.id AS id, c.id AS c, q.embedding AS v"):
        whole.queries[row["id"]], whole.chunk_of[row["id"]] = np.array(row["v"]), row["c"]
    for row in ask("MATCH (a:QcgAtom)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id, a.embedding AS v"):
        whole.atoms[row["id"]].append(np.array(row["v"]))
    for row in ask(
        "MATCH (s:QcgEntity)-[r:RELATED_TO]->(t) RETURN r.chunkId AS id, r.embedding AS v, s.id AS s, t.id AS t"
    ):
        whole.triples[row["id"]].append(np.array(row["v"]))
        whole.stated[row["id"]].append((row["s"], row["t"], np.array(row["v"])))
    for row in ask("MATCH (e:QcgEntity) RETURN e.id AS id, e.name AS name, e.embedding AS v"):
        whole.names[row["id"]], whole.name_vectors[row["id"]] = row["name"], np.array(row["v"])
    for row in ask(
        "MATCH (a:QcgAtom)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id,"
        " COLLECT { MATCH (a)-[:MENTIONS {chunkId: c.id}]->(e:QcgEntity) RETURN e.id } AS entities"
    ):
        whole.mentions[row["id"]].append(set(row["entities"]))
    for row in ask("MATCH (e:QcgEntity)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id, e.id AS e"):
        whole.entities[row["id"]].add(row["e"])
    joined = (
        "MATCH (q:QcgQuery)-[s:SIMILAR_TO]->(o:QcgQuery) WITH q, s, o ORDER BY s.rank "
        "RETURN q.id AS id, collect(o.id) AS o"
    )
    whole.neighbours = {row["id"]: row["o"] for row in ask(joined)}
    return whole


def nearest(whole: Whole, most: int) -> dict[str, list[float]]:
    """The cosines of each query's nearest others, best first, by comparing all with all."""
    ids = sorted(whole.queries)
    matrix = np.array([whole.queries[name] for name in ids])
    scores = matrix @ matrix.T
    np.fill_diagonal(scores, -2)
    best = -np.sort(-scores, axis=1)[:, :most]
    return dict(zip(ids, best.tolist(), strict=True))


def cosine(one: NDArray[np.float64], other: NDArray[np.float64]) -> float:
    """The cosine of two vectors of any length."""
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def qcg(whole: Whole, question: NDArray[np.float64], settings: QcgSettings) -> Ranking:
    """QCG-RAG as the paper has it: hit, expand hop by hop, aggregate by chunk."""
    similarity = {name: cosine(vector, question) for name, vector in whole.queries.items()}
    eligible = [name for name in similarity if similarity[name] + 1 >= settings.minimum_score]
    hits = sorted(eligible, key=lambda name: (-similarity[name], name))[: settings.queries]
    reached, frontier = set(hits), set(hits)
    for _ in range(settings.hops):
        frontier = {other for name in frontier for other in whole.neighbours[name][: settings.neighbours]}
        reached |= frontier
    by_chunk: dict[str, list[float]] = defaultdict(list)
    for name in reached:
        by_chunk[whole.chunk_of[name]].append(similarity[name])
    scored = [(aggregate(found, settings.aggregation), len(found), chunk) for chunk, found in by_chunk.items()]
    scored.sort(key=lambda item: (-item[0], -item[1], item[2]))
    return [(chunk, score) for score, _, chunk in scored[: settings.passages]]


def aggregate(similarities: Sequence[float], how: str) -> float:
    """One score from the cosines of a chunk's queries."""
    if how == "max":
        return max(similarities)
    return sum(similarities) / (len(similarities) if how == "mean" else 1)


def window_scores(whole: Whole, question: NDArray[np.float64]) -> dict[str, float]:
    """Every chunk by its best window, or by its own vector where it has no windows."""
    return {
        chunk: max(cosine(vector, question) for vector in whole.windows.get(chunk) or [own])
        for chunk, own in whole.chunks.items()
    }


def words(text: str) -> list[str]:
    """Words as the full-text index's analyzer finds them in texts of the sample, roughly (see `bm25`)."""
    return re.findall(r"[^\W_]+(?:\.[^\W_]+)*", text.lower())


def bm25(whole: Whole, question: str) -> dict[str, float]:
    """BM25 with Lucene's constants (k1 = 1.2, b = 0.75), lengths unrounded."""
    texts = {chunk: words(text) for chunk, text in whole.texts.items()}
    average = sum(map(len, texts.values())) / len(texts)
    holding = Counter(word for text in texts.values() for word in set(text))
    scores: dict[str, float] = defaultdict(float)
    for term in words(question):
        rarity = math.log(1 + (len(texts) - holding[term] + 0.5) / (holding[term] + 0.5))
        for chunk, text in texts.items():
            count = text.count(term)
            scores[chunk] += rarity * count / (count + 1.2 * (0.25 + 0.75 * len(text) / average))
    return {chunk: score for chunk, score in scores.items() if score > 0}


def layer_scores(
    whole: Whole, question: NDArray[np.float64], *lexical: Mapping[str, float]
) -> list[Mapping[str, float]]:
    """Each layer's score of every chunk that has something in it: query, window, atom, triple, and BM25 as given."""
    queries: dict[str, list[NDArray[np.float64]]] = defaultdict(list)
    for name, vector in whole.queries.items():
        queries[whole.chunk_of[name]].append(vector)
    parts = (queries, whole.atoms, whole.triples)
    best = [
        {chunk: max(cosine(vector, question) for vector in vectors) for chunk, vectors in held.items()}
        for held in parts
    ]
    return [best[0], window_scores(whole, question), best[1], best[2], *lexical]


def layers(
    whole: Whole,
    scores: Sequence[Mapping[str, float]],
    settings: LayersSettings,
    question: str = "",
    vector: NDArray[np.float64] | None = None,
    left: Sequence[Mapping[str, float]] = (),
) -> tuple[Ranking, dict[str, float]]:
    """All layers added (the last two of ``scores`` are BM25), with the walk; and how much of it reaches each chunk.

    ``left`` are the scores for the question without its names.
    """
    chosen = settings
    follows = settings.name_share and settings.walk_weight and settings.chain_weight
    names = named(whole, question, settings.page_share) if follows else []
    weights = (
        chosen.query_weight,
        chosen.window_weight,
        chosen.atom_weight,
        chosen.triple_weight,
        chosen.fulltext_weight,
        chosen.expanded_weight,
    )
    lexical = [{chunk: score / max(held.values()) for chunk, score in held.items()} for held in scores[4:]]
    shares = [*scores[:4], *lexical]
    used = [(layer, weight) for layer, weight in zip(shares, weights, strict=True) if weight and layer]
    promise: dict[str, float] = defaultdict(float)
    for layer, weight in used:
        for chunk, ahead in _proposed(whole, layer, layer is shares[1], chosen.layer_candidates):
            promise[chunk] += weight * ahead
    reached: dict[str, float] = {}
    if names and vector is not None:
        reached = chain(whole, promising(promise, settings.walk_seeds), names, vector, settings)
    elif chosen.walk_weight:
        reached = walk(whole, promising(promise, settings.walk_seeds), settings)
    nearest = sorted(reached, key=lambda chunk: (-reached[chunk], chunk))[: chosen.walk_chunks]
    candidates = sorted({*promise, *nearest})
    total = dict.fromkeys(candidates, 0.0)
    pages = {pages_of(said)[0] for _, said in names}
    for place, (layer, weight) in enumerate(zip(shares, weights, strict=True)):
        if not weight or not layer:
            continue
        seen = dict(layer)
        if names and chosen.rest_alone:
            unit = max(scores[place].values()) if place > 3 else 1.0
            aside = {chunk: score / unit for chunk, score in left[place].items() if chunk not in pages}
            seen = {chunk: score for chunk, score in layer.items() if chunk in pages} | aside
        least = 0.0 if place > 3 else min(seen[chunk] for chunk in candidates if chunk in seen)
        for chunk in candidates:
            total[chunk] += weight * seen.get(chunk, least)
    for chunk in candidates:
        weight = chosen.chain_weight if names else chosen.walk_weight
        total[chunk] += weight * math.log1p(1e6 * reached.get(chunk, 0.0)) / math.log1p(1e6)
    ranked = sorted(total.items(), key=lambda item: (-item[1], item[0]))
    return ranked[: chosen.passages], reached


def _proposed(whole: Whole, layer: Mapping[str, float], windows: bool, most: int) -> list[tuple[str, float]]:
    """The chunks that a layer proposes, and how far each is ahead of the last one."""
    # Windows and chunks that are their own window lie in two indexes, each of which proposes its best.
    groups = [[c for c in layer if (c in whole.windows) is whether] for whether in (True, False)]
    proposed = [
        chunk
        for group in (groups if windows else [list(layer)])
        for chunk in sorted(group, key=lambda chunk: (-layer[chunk], chunk))[:most]
    ]
    least = min((layer[chunk] for chunk in proposed), default=0.0)
    return [(chunk, layer[chunk] - least) for chunk in proposed]


def promising(promise: Mapping[str, float], most: int) -> dict[str, float]:
    """How much of the walk begins at each of the most promising chunks."""
    seeds = sorted(promise, key=lambda chunk: (-promise[chunk], chunk))[:most]
    parts = [math.exp((promise[chunk] - promise[seeds[0]]) / 0.2) for chunk in seeds]
    return {chunk: part / sum(parts) for chunk, part in zip(seeds, parts, strict=True)}


def walk(whole: Whole, seeds: Mapping[str, float], settings: LayersSettings) -> dict[str, float]:
    """Half stays where it begins, half goes to an entity that is named there and on to any chunk that names it."""
    reached: dict[str, float] = defaultdict(float)
    for seed, part in seeds.items():
        reached[seed] += part / 2
        for entity in whole.entities[seed]:
            chunks = naming(whole, entity)
            if len(chunks) <= settings.max_entity_degree:
                for chunk in chunks:
                    reached[chunk] += part / 2 / len(whole.entities[seed]) / len(chunks)
    return reached
