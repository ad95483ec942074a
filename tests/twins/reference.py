"""Retrieval in slow, plain Python over the whole graph: the twin that the statements are held to."""

from __future__ import annotations

import math
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from reference_chains import chain, named, naming, pages_of

from qcg_neo4j.core.days import days_in
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import LayersSettings, QcgSettings
from qcg_neo4j.retrieval.layers import WEIGHTS

Ranking = list[tuple[str, float]]


@dataclass
class Whole:
    """The graph in memory: vectors by id, the chunk of each query and window, the neighbours of each query."""

    texts: dict[str, str] = field(default_factory=dict)
    dates: dict[str, list[str]] = field(default_factory=dict)
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
    unread: dict[str, set[str]] = field(default_factory=dict)  # chunks that no model has read, with the names of titles


def read_whole(graph: Graph) -> Whole:
    """Everything that retrieval looks at, fetched plainly."""

    def ask(text: str) -> list[Any]:
        return list(graph.driver.execute_query(text).records)

    whole = Whole()
    for row in ask("MATCH (c:QcgChunk) RETURN c.id AS id, c.text AS text, c.embedding AS v, c AS c"):
        whole.texts[row["id"]] = row["text"]
        whole.dates[row["id"]] = row["c"].get("dates", [])
        whole.chunks[row["id"]] = np.array(row["v"])
        whole.expanded[row["id"]] = {
            name: np.array(row["c"][name]) for name in ("d2qAllEmbedding", "d2qKeptEmbedding") if row["c"].get(name)
        }
    for row in ask("MATCH (w:QcgWindow)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id, w.embedding AS v"):
        whole.windows[row["id"]].append(np.array(row["v"]))
    for row in ask("MATCH (q:QcgQuery)-[:FROM_CHUNK]->(c:QcgChunk) RETURN q.id AS id, c.id AS c, q.embedding AS v"):
        whole.queries[row["id"]], whole.chunk_of[row["id"]] = np.array(row["v"]), row["c"]
    _read_stated(whole, ask)
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


def _read_stated(whole: Whole, ask: Callable[[str], list[Any]]) -> None:
    """What chunks state, once; where no model has read them, sentences stand for triples."""
    for row in ask("MATCH (c:QcgChunk {namesOnly: true})-[:FROM_DOCUMENT]->(d) RETURN c.id AS id, d.title AS title"):
        whole.unread[row["id"]] = {form.strip() for form in (row["title"], row["title"].split("(")[0])}
    for row in ask(
        "MATCH (a:QcgAtom)-[:FROM_CHUNK]->(c:QcgChunk) RETURN c.id AS id, a.embedding AS v,"
        " COLLECT { MATCH (a)-[:MENTIONS {chunkId: c.id}]->(e:QcgEntity) RETURN e.id } AS entities,"
        " EXISTS { (c)<-[:FROM_CHUNK]-(:QcgQuery {text: a.text}) } AS twice"
    ):
        if row["id"] in whole.unread:
            whole.stated[row["id"]] += [(entity, entity, np.array(row["v"])) for entity in row["entities"]]
        if row["id"] not in whole.unread or not row["twice"]:
            whole.atoms[row["id"]].append(np.array(row["v"]))
    for row in ask(
        "MATCH (s:QcgEntity)-[r:RELATED_TO]->(t) MATCH (c:QcgChunk {id: r.chunkId}) WHERE c.namesOnly IS NULL"
        " RETURN r.chunkId AS id, r.embedding AS v, s.id AS s, t.id AS t"
    ):
        whole.triples[row["id"]].append(np.array(row["v"]))
        whole.stated[row["id"]].append((row["s"], row["t"], np.array(row["v"])))


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


Entries = Sequence[tuple[str, float]]  # chunks with the score of something made from each


def folded(text: str) -> str:
    """What a chunk's text is found by: one form of each letter and digit, and words parted at the end of a line joined.

    Of scripts that put blanks between words.
    """
    seen = unicodedata.normalize("NFKC", text.replace("\r\n", "\n")).upper().lower().replace("\u00ad\n", "")
    kept = "".join(str(unicodedata.decimal(sign, sign)) for sign in seen if not _is_unseen(sign))
    lines = kept.split("-\n")
    joined = (f" {line.split(' ')[-1]}{following.split(' ')[0]}" for line, following in pairwise(lines))
    return re.sub("[_'’]", " ", kept + "".join(joined))


def _is_unseen(sign: str) -> bool:
    """Whether it is a direction, a soft hyphen, a width of zero, or an Arabic vowel mark."""
    return unicodedata.category(sign) == "Cf" or sign in "\u034f\u0640\u0670\ufe0f" or "\u064b" <= sign <= "\u0652"


def layer_entries(whole: Whole, question: NDArray[np.float64], *lexical: Mapping[str, float]) -> list[Entries]:
    """Each layer's entries with their chunks: queries, windows, atoms, triples, and BM25 as given."""
    windows = {chunk: whole.windows.get(chunk) or [own] for chunk, own in whole.chunks.items()}
    queries = [(whole.chunk_of[name], cosine(vector, question)) for name, vector in whole.queries.items()]
    others = [
        [(chunk, cosine(vector, question)) for chunk, vectors in held.items() for vector in vectors]
        for held in (windows, whole.atoms, whole.triples)
    ]
    return [queries, *others, *(list(scores.items()) for scores in lexical)]


def layers(
    whole: Whole,
    entries: Sequence[Entries],
    settings: LayersSettings,
    question: str = "",
    vector: NDArray[np.float64] | None = None,
    left: Sequence[Entries] = (),
) -> tuple[Ranking, dict[str, float]]:
    """All layers added (the last two of ``entries`` are BM25), days, the walk; and how much of it reaches each chunk.

    ``left`` are the entries for the question without its names.
    """
    chosen = settings
    follows = settings.name_share and settings.walk_weight and settings.chain_weight
    names = named(whole, question, settings.page_share) if follows else []
    pages = {pages_of(said)[0] for _, said in names}
    dated = [(chunk, 1.0) for chunk, dates in whole.dates.items() if not {*dates}.isdisjoint(days_in(question))]
    entries, left = [*entries, dated], [*left, dated]
    weights = [getattr(chosen, name) for name in WEIGHTS.values()]
    hits = max(chosen.hits, chosen.candidate_factor * chosen.passages)
    total: dict[str, float] = defaultdict(float)
    promise: dict[str, float] = defaultdict(float)
    floors = 0.0
    for place, weight in enumerate(weights):
        first = nearest_entries(entries[place], hits)
        aside = nearest_entries(left[place], hits) if names and chosen.rest_alone else first
        if not weight or not (first or aside):
            continue
        is_words = place > 3
        unit = max((score for _, score in first), default=1.0) if is_words else 1.0
        least = 0.0 if is_words else min(score for _, score in [*first, *aside])
        floors += weight * least
        for chunk, score in best_of(first).items():
            promise[chunk] += weight * (score / unit - least)
            if chunk in pages:
                total[chunk] += weight * (score / unit - least)
        for chunk, score in best_of(aside).items():
            if chunk not in pages:
                total[chunk] += weight * (score / unit - least)
    reached: dict[str, float] = {}
    if names and vector is not None:
        reached = chain(whole, promising(promise, settings.walk_seeds), names, vector, settings)
    elif chosen.walk_weight:
        read = {chunk: score for chunk, score in promise.items() if chunk not in whole.unread}
        reached = walk(whole, promising(read, settings.walk_seeds), settings)
    for chunk, mass in reached.items():
        weight = chosen.chain_weight if names else chosen.walk_weight
        total[chunk] += weight * math.log1p(1e6 * mass) / math.log1p(1e6)
    ranked = sorted(((chunk, score + floors) for chunk, score in total.items()), key=lambda item: (-item[1], item[0]))
    return ranked[: chosen.passages], reached


def nearest_entries(entries: Entries, most: int) -> Entries:
    """The hits of a layer."""
    return sorted(entries, key=lambda entry: -entry[1])[:most]


def best_of(entries: Entries) -> dict[str, float]:
    """The best score of each chunk."""
    best: dict[str, float] = {}
    for chunk, score in entries:
        best[chunk] = max(score, best.get(chunk, score))
    return best


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
