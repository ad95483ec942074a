"""The stage on a real server: what chunks state, what stays of it without them, what an interruption costs."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner, Result
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, endpoint, material
from graph_dump import dump, query
from sample_texts import PASSAGES, SAMPLE, documents, lines
from small_embedder import SmallEmbedder

from qcg_neo4j.cli.stages import extract as command
from qcg_neo4j.core.errors import (
    GraphError,
    InputError,
    LanguageModelError,
    MissingPackageError,
    MissingReplyError,
    ModelMismatchError,
    SettingsError,
)
from qcg_neo4j.core.records import SourceDocument, Usage
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import build_communities
from qcg_neo4j.indexing.extract import ExtractReport, ExtractSettings, extract_graph
from qcg_neo4j.indexing.extract.conversation import Conversation
from qcg_neo4j.indexing.extract.findings import Findings, clean, entity_id, normalized
from qcg_neo4j.indexing.extract.readers import SpacySource
from qcg_neo4j.indexing.extract.settings import read_domain
from qcg_neo4j.indexing.load import LoadSettings, delete_documents, load_documents
from qcg_neo4j.indexing.report.stage import materials
from qcg_neo4j.indexing.stage import StoredChunk
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore, StoredReplies, key_of

RECORDED = ExtractSettings(source="replies")


@pytest.fixture
def embedder() -> SmallEmbedder:
    return SmallEmbedder()


REPLIES = {line["key"]: line["reply"] for line in lines("graph.jsonl")}


def recording() -> Recording:
    return Recording([SAMPLE / "graph.jsonl"])


def loaded(graph: Graph, embedder: SmallEmbedder, *documents: SourceDocument) -> Graph:
    load_documents(graph, embedder, documents, LoadSettings())
    return graph


def revision(graph: Graph) -> int:
    return stages.recorded(graph)["extract"].revision


def written(tmp_path: Path, replies: dict[str, Any]) -> Recording:
    """A recording of the replies to these texts."""
    file = tmp_path / "graph.jsonl"
    rows = [{"task": "extract/graph", "key": key_of(text), "reply": reply} for text, reply in replies.items()]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return Recording([file])


# Names


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Li Hua", "  li   HUA. "),
        ("“Li Hua”", "(Li\u00a0Hua)"),
        ("Straße", "STRASSE"),
        ("Ｆｉｔ　Ｚｏｎｅ", "fit zone"),
        ("李华", "李华。"),
        ("Ärzte", "A\u0308rzte"),
        ("Москва", "МОСКВА!"),
        ("O'Neil", "o'neil"),
    ],
)
def test_the_same_name(first: str, second: str) -> None:
    assert entity_id(first) == entity_id(second)


SIGNS = [
    ("C", "C++", "C#"), ("F", "F#"), ("AA", "AA+", "AA-"), ("A", "A+", "A-", "A*"), ("O", "O+", "O-"),
    ("HIV", "HIV-"), (".NET", "NET"), ("100", "100%"), ("WHO", "Who?"),
]  # fmt: skip


@pytest.mark.parametrize("names", SIGNS)
def test_signs_tell_names_apart(names: tuple[str, ...]) -> None:
    assert len({entity_id(name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Li Hua", "Li\u200b Hua"),
        ("gymnasium", "gym\u00adnasium"),
        ("Li Hua", "\u202aLi Hua\u202c"),
        ("O'Hara", "O\u2019Hara"),
        ("AA-", "AA\u2212"),
    ],
)
def test_what_looks_the_same_is_one_name(first: str, second: str) -> None:
    assert entity_id(first) == entity_id(second)


@pytest.mark.parametrize(
    ("first", "second"), [("Li Hua", "LiHua"), ("李华", "李花"), ("!!!", "???"), ("Möller", "Moller")]
)
def test_another_name(first: str, second: str) -> None:
    assert entity_id(first) != entity_id(second)
    assert normalized(first)


# Against plain Python


PUNCTUATION = "".join(chr(code) for code in range(0x3100) if unicodedata.category(chr(code))[0] == "P")


def folded(name: str) -> str:
    text = " ".join(unicodedata.normalize("NFKC", name).casefold().split())
    return text.strip(PUNCTUATION + " ")


def best(values: Sequence[str]) -> str:
    counted = Counter(value for value in values if value)
    return min(counted, key=lambda value: (-counted[value], value)) if counted else ""


def described(values: Sequence[str]) -> str:
    counted = Counter(value for value in values if value)
    text = ""
    for value in sorted(counted, key=lambda value: (-counted[value], -len(value), value)):
        if not text or len(text) + len(value) < 1000:
            text = f"{text} {value}".strip()
    return text[:1000]


def twin(passages: list[dict[str, Any]]) -> dict[str, Any]:
    """What the graph must hold."""
    stated: dict[str, list[dict[str, Any]]] = defaultdict(list)
    relations: set[tuple[Any, ...]] = set()
    atoms: set[tuple[Any, ...]] = set()
    for passage in passages:
        reply, place = REPLIES[key_of(passage["text"])], (passage["document"], passage["index"])
        names = {folded(entity["name"]) for entity in reply["entities"]}
        for entity in reply["entities"]:
            stated[folded(entity["name"])].append(entity)
        for relation in reply["relations"]:
            ends = (folded(relation["source"]), folded(relation["target"]))
            assert set(ends) <= names
            relations.add((*place, ends[0], relation["predicate"], ends[1], relation["strength"], relation["ttr"]))
        for atom in reply["atoms"]:
            atoms.add((*place, atom["text"], tuple(sorted(map(folded, atom["entities"])))))
    entities = {
        name: (
            best([e["name"] for e in all_]),
            best([e["type"] for e in all_]),
            described([e["description"] for e in all_]),
        )
        for name, all_ in stated.items()
    }
    return {"entities": entities, "relations": relations, "atoms": atoms}


def held(graph: Graph) -> dict[str, Any]:
    entities = query(graph, "MATCH (e:Entity) RETURN e.name AS name, e.type AS type, e.description AS description")
    relations = query(
        graph,
        "MATCH (s:Entity)-[r:RELATED_TO]->(t:Entity) MATCH (chunk:Chunk {id: r.chunkId})-[:FROM_DOCUMENT]->(document) "
        "RETURN document.id AS document, chunk.index AS index, s.name AS s, r.predicate AS p, t.name AS t, "
        "r.strength AS strength, r.ttr AS ttr",
    )
    atoms = query(
        graph,
        "MATCH (a:Atom)-[:FROM_CHUNK]->(chunk)-[:FROM_DOCUMENT]->(document) "
        "RETURN document.id AS document, chunk.index AS index, a.text AS text, "
        "COLLECT { MATCH (a)-[:MENTIONS {chunkId: chunk.id}]->(e:Entity) RETURN e.name } AS names",
    )
    return {
        "entities": {folded(row["name"]): (row["name"], row["type"], row["description"]) for row in entities},
        "relations": {
            (r["document"], r["index"], folded(r["s"]), r["p"], folded(r["t"]), r["strength"], r["ttr"])
            for r in relations
        },
        "atoms": {(a["document"], a["index"], a["text"], tuple(sorted(map(folded, a["names"])))) for a in atoms},
    }


def test_the_graph_is_the_twins(graph: Graph, embedder: SmallEmbedder) -> None:
    loaded(graph, embedder, *documents(40))
    report = extract_graph(graph, embedder, RECORDED, recording())
    expected, found = twin(PASSAGES[:40]), held(graph)
    for kind, wanted in expected.items():
        assert found[kind] == wanted, kind
        assert getattr(report, kind) == len(wanted), kind
    assert (report.chunks, report.written, report.unchanged, report.missing) == (40, 40, 0, ())
    assert any(len(description) > 900 for _, _, description in expected["entities"].values())
    extracted = {text for kind in ("relations", "atoms") for row in expected[kind] for text in (row[-1], row[2])}
    assert max(count for text, count in embedder.texts.items() if text in extracted) == 1


def said_of(passages: list[dict[str, Any]]) -> dict[tuple[str, int, str], float]:
    """How much each passage is about each of its entities."""
    found = {}
    for passage in passages:
        reply, place = REPLIES[key_of(passage["text"])], (passage["document"], passage["index"])
        said = {folded(entity["name"]): 0.0 for entity in reply["entities"]}
        for relation in {json.dumps(one): one for one in reply["relations"]}.values():
            said[folded(relation["source"])] += 1
            said[folded(relation["target"])] += 0.3
        for atom in {one["text"]: one for one in reply["atoms"]}.values():
            for name in {folded(name) for name in atom["entities"]}:
                said[name] += 0.3
        most = max(said.values()) or 1
        found.update({(*place, name): max(0.1, tenths / most) for name, tenths in said.items()})
    return found


ABOUT = """
MATCH (e:Entity)-[s:FROM_CHUNK]->(c)-[:FROM_DOCUMENT]->(d)
RETURN d.id AS document, c.index AS index, e.name AS name, s.about AS about
"""


def test_what_chunks_are_about_is_the_twins(graph: Graph, embedder: SmallEmbedder) -> None:
    loaded(graph, embedder, *documents(40))
    extract_graph(graph, embedder, RECORDED, recording())
    rows = query(graph, ABOUT)
    found = {(row["document"], row["index"], folded(row["name"])): row["about"] for row in rows}
    assert found == pytest.approx(said_of(PASSAGES[:40]))
    assert {1.0, 0.1} < set(found.values())


@pytest.mark.parametrize(
    ("name", "spelling", "short"),
    [
        ("The Circle (film, 2017)", "the circle film 2017", "the circle"),
        ("Zoë O’Neil–Müller", "zoe o neil muller", "zoe o neil muller"),
        ("(unknown)", "unknown", "unknown"),
        ("李华", "李 华", "李 华"),
        ("!!", "", ""),
    ],
)
def test_names_are_spelled_as_questions_are_searched_for_them(
    name: str, spelling: str, short: str, graph: Graph, embedder: SmallEmbedder, tmp_path: Path
) -> None:
    loaded(graph, embedder, SourceDocument("d", passages=("text",)))
    extract_graph(
        graph,
        embedder,
        RECORDED,
        written(tmp_path, {"text": {"entities": [{"name": name}], "relations": [], "atoms": []}}),
    )
    rows = query(graph, "MATCH (e:Entity) RETURN e.spelling AS spelling, e.shortSpelling AS short")
    assert rows == [{"spelling": spelling, "short": short}]


def test_vectors_are_those_of_the_texts_and_found_by_the_indexes(graph: Graph, embedder: SmallEmbedder) -> None:
    loaded(graph, embedder, *documents(5))
    extract_graph(graph, embedder, RECORDED, recording())
    kinds = {
        "qcg_entity_embedding": "MATCH (x:Entity) RETURN x.name AS text, x.embedding AS embedding",
        "qcg_atom_embedding": "MATCH (x:Atom) RETURN x.text AS text, x.embedding AS embedding",
        "qcg_related_to_embedding": "MATCH ()-[x:RELATED_TO]->() RETURN x.ttr AS text, x.embedding AS embedding",
    }
    for index, statement in kinds.items():
        rows = query(graph, statement)
        assert np.allclose([row["embedding"] for row in rows], embedder.embed([row["text"] for row in rows]), atol=1e-6)
        kind = "Relationships" if index == "qcg_related_to_embedding" else "Nodes"
        yielded = "relationship AS x" if kind == "Relationships" else "node AS x"
        text = rows[3]["text"]
        found = query(
            graph,
            f"CALL db.index.vector.query{kind}('{index}', 3, $vector) YIELD {yielded}, score "
            "RETURN coalesce(x.ttr, x.text, x.name) AS text",
            vector=rows[3]["embedding"],
        )
        assert text in [row["text"] for row in found]
    found = query(
        graph, "CALL db.index.fulltext.queryNodes('qcg_entity_name', 'wolfgang') YIELD node RETURN node.name AS n"
    )
    assert found == [{"n": "Wolfgang Schulz"}]


def test_again_does_nothing(graph: Graph, embedder: SmallEmbedder) -> None:
    loaded(graph, embedder, *documents())
    extract_graph(graph, embedder, RECORDED, recording())
    before, counted, at = dump(graph), embedder.texts.total(), revision(graph)
    report = extract_graph(graph, embedder, RECORDED, recording())
    assert (report.unchanged, report.written, report.changes.transactions) == (12, 0, 0)
    assert (embedder.texts.total(), revision(graph)) == (counted, at)
    assert dump(graph) == before
    assert stages.staleness(stages.recorded(graph), "extract") is None


def test_a_deleted_document_takes_what_it_alone_stated(graph: Graph, embedder: SmallEmbedder) -> None:
    first, *others = documents()
    loaded(graph, embedder, *others)
    extract_graph(graph, embedder, RECORDED, recording())
    without = dump(graph)
    loaded(graph, embedder, first)
    extract_graph(graph, embedder, RECORDED, recording())
    assert dump(graph) != without
    before = revision(graph)
    delete_documents(graph, [first.id])
    assert dump(graph) == without
    assert revision(graph) == before + 1
    extract_graph(graph, embedder, RECORDED, recording())
    assert dump(graph) == without


def test_a_changed_document_loses_what_its_old_chunks_stated(graph: Graph, embedder: SmallEmbedder) -> None:
    first, second, *_ = documents()
    changed = SourceDocument(second.id, passages=(*second.passages[1:], PASSAGES[30]["text"]))
    loaded(graph, embedder, first, changed)
    extract_graph(graph, embedder, RECORDED, recording())
    expected = dump(graph)
    graph.driver.execute_query("MATCH (n) WHERE NOT n:Corpus AND NOT n:Stage DETACH DELETE n")
    loaded(graph, embedder, first, second)
    extract_graph(graph, embedder, RECORDED, recording())
    loaded(graph, embedder, changed)
    extract_graph(graph, embedder, RECORDED, recording())
    assert dump(graph) == expected


def test_another_reply_replaces_the_first(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    text = "Li met Adam in the gym."
    first = {
        "entities": [{"name": "Li"}, {"name": "ADAM"}, {"name": "gym"}],
        "relations": [{"source": "Li", "predicate": "met", "target": "ADAM", "ttr": "Li met Adam."}],
        "atoms": [{"text": text, "entities": ["Li", "gym"]}, {"text": "There is a gym.", "entities": ["gym"]}],
    }
    second = {
        "entities": [{"name": "Li"}, {"name": "Adam"}],
        "relations": [{"source": "Adam", "predicate": "met", "target": "Li", "ttr": "Li met Adam."}],
        "atoms": [{"text": text, "entities": ["Li", "Adam"]}],
    }
    loaded(graph, embedder, SourceDocument("d", passages=(text,)))
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {text: second}))
    expected = dump(graph)
    graph.driver.execute_query("MATCH (n) WHERE NOT n:Corpus AND NOT n:Stage DETACH DELETE n")
    loaded(graph, embedder, SourceDocument("d", passages=(text,)))
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {text: first}))
    embedder.texts.clear()
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {text: second}))
    assert dump(graph) == expected
    assert set(embedder.texts) == {"Adam"}  # the name's spelling has changed; the rest was there


# Replies that are not as they should be

HOSTILE: dict[str, Any] = {
    "entities": [
        {"name": " Li  Hua ", "type": "Person", "description": "Plays."},
        {"name": "li hua.", "type": "", "description": "Sings."},
        {"name": "", "type": "person", "description": "Nobody."},
        {"name": "  "},
        {"type": "place"},
        {"name": "李华", "description": "'}) DETACH DELETE n //"},
        {"name": "Ольга"},
        {"name": "!!!"},
    ],
    "relations": [
        {"source": "LI HUA", "predicate": "knows", "target": "Adam", "strength": 1e300, "ttr": "Li Hua knows Adam."},
        {"source": "LI HUA", "predicate": "knows", "target": "Adam", "strength": 3, "ttr": "Li Hua knows Adam."},
        {"source": "李华", "predicate": "是", "target": "Ольга", "strength": -4},
        {"source": "Li Hua", "predicate": "is", "target": "li hua", "ttr": "Li Hua is Li Hua."},
        {"source": "Li Hua", "predicate": "likes", "target": ""},
        {"predicate": "likes"},
        {"source": "Ольга", "target": "!!!", "ttr": "🎉"},
        {},
    ],
    "atoms": [
        {"text": "Li Hua plays $rows.", "entities": ["Li Hua", "LI HUA", "the Moon", " "]},
        {"text": "Li  Hua plays\n$rows.", "entities": []},
        {"text": "", "entities": ["Li Hua"]},
        {"entities": ["Li Hua"]},
        {"text": "It rains."},
    ],
}


def test_hostile_replies_are_mended_and_counted(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    loaded(graph, embedder, SourceDocument("d", passages=("text",)))
    report = extract_graph(graph, embedder, RECORDED, written(tmp_path, {"text": HOSTILE}))
    assert (report.repaired, report.duplicates, report.dropped, report.self_loops) == (2, 3, 8, 1)
    assert (report.without_ttr, report.clamped) == (1, 2)
    found = query(graph, "MATCH (e:Entity) RETURN e.name AS name, e.type AS type, e.description AS description")
    assert {(row["name"], row["type"], row["description"]) for row in found} == {
        ("Li Hua", "person", "Plays. Sings."),
        ("李华", "", "'}) DETACH DELETE n //"),
        ("Ольга", "", ""),
        ("!!!", "", ""),
        ("Adam", "", ""),
        ("the Moon", "", ""),
    }
    found = query(
        graph,
        "MATCH (s)-[r:RELATED_TO]->(t) RETURN s.name AS s, r.predicate AS p, t.name AS t, r.strength AS n, r.ttr AS u",
    )
    assert {tuple(row.values()) for row in found} == {
        ("Li Hua", "knows", "Adam", 10, "Li Hua knows Adam."),
        ("李华", "是", "Ольга", 1, "李华 是 Ольга"),
        ("Ольга", "related to", "!!!", 1, "🎉"),
    }
    mentions = query(graph, "MATCH (a:Atom) RETURN a.text AS text, COUNT { (a)-[:MENTIONS]->() } AS number")
    assert {(row["text"], row["number"]) for row in mentions} == {("Li Hua plays $rows.", 2), ("It rains.", 0)}
    assert not any(value for name, value in status(graph).missing.items() if "entit" in name or "atom" in name)


def test_a_reply_without_anything_leaves_nothing(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    loaded(graph, embedder, SourceDocument("d", passages=("text",)))
    before = len(dump(graph))
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {"text": HOSTILE}))
    empty: dict[str, Any] = {"entities": [], "relations": [], "atoms": []}
    assert extract_graph(graph, embedder, RECORDED, written(tmp_path, {"text": empty})).written == 1
    assert len(dump(graph)) == before


def test_an_atom_that_two_chunks_state_belongs_to_both(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    def stated(*entities: str) -> dict[str, Any]:
        return {"entities": [], "relations": [], "atoms": [{"text": "It rains.", "entities": list(entities)}]}

    loaded(graph, embedder, SourceDocument("a", passages=("one",)), SourceDocument("b", passages=("two",)))
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {"one": stated("Hull", "Ann"), "two": stated("Hull")}))
    atoms = "MATCH (a:Atom) RETURN COUNT { (a)-[:FROM_CHUNK]->() } AS chunks, COLLECT { MATCH (a)-[:MENTIONS]->(e) "
    atoms += "RETURN e.name ORDER BY e.name } AS names"
    assert query(graph, atoms) == [{"chunks": 2, "names": ["Ann", "Hull", "Hull"]}]
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {"one": stated("Ann"), "two": stated("Hull")}))
    assert query(graph, atoms) == [{"chunks": 2, "names": ["Ann", "Hull"]}]
    extract_graph(
        graph, embedder, RECORDED, written(tmp_path, {"one": {**stated(), "atoms": []}, "two": stated("Hull")})
    )
    assert query(graph, atoms) == [{"chunks": 1, "names": ["Hull"]}]
    extract_graph(graph, embedder, RECORDED, written(tmp_path, {"one": stated("Ann"), "two": stated("Hull")}))
    delete_documents(graph, ["b"])
    assert query(graph, atoms) == [{"chunks": 1, "names": ["Ann"]}]
    delete_documents(graph, ["a"])
    assert query(graph, "MATCH (n:Atom|Entity) RETURN n") == []


def test_two_hundred_entities(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    names = [f"Person {number}" for number in range(200)]
    pairs = [{"source": a, "predicate": "knows", "target": b} for a, b in pairwise(names)]
    reply = {"entities": [{"name": name} for name in names], "relations": pairs * 2, "atoms": []}
    texts = {f"text {number}": reply for number in range(5)}
    loaded(graph, embedder, SourceDocument("d", passages=tuple(texts)))
    report = extract_graph(graph, embedder, RECORDED, written(tmp_path, texts))
    assert (report.entities, report.relations, report.duplicates) == (200, 5 * 199, 5 * 199)
    counts = {row["kind"]: row["number"] for row in graph.rows("inspect/counts")}
    assert (counts["Entity"], counts["RELATED_TO"]) == (200, 5 * 199)  # parallel, one per chunk


def test_chunks_without_reply_are_told_and_the_rest_is_written(
    graph: Graph, embedder: SmallEmbedder, tmp_path: Path
) -> None:
    loaded(graph, embedder, *documents(5))
    some = {passage["text"]: REPLIES[key_of(passage["text"])] for passage in PASSAGES[:3]}
    report = extract_graph(graph, embedder, RECORDED, written(tmp_path, some))
    assert (report.written, len(report.missing)) == (3, 2)
    assert all("graph.jsonl holds no reply" in missing.reason for missing in report.missing)
    assert status(graph).missing["chunks_not_extracted"] == 2
    assert extract_graph(graph, embedder, RECORDED, recording()).written == 2


def test_what_cannot_be_extracted(graph: Graph, embedder: SmallEmbedder) -> None:
    with pytest.raises(GraphError, match="empty"):
        extract_graph(graph, embedder, RECORDED, recording())
    loaded(graph, embedder, *documents(1))
    with pytest.raises(InputError, match="replies"):
        extract_graph(graph, embedder, RECORDED)
    other = SmallEmbedder()
    other.name = "other"
    with pytest.raises(ModelMismatchError):
        extract_graph(graph, other, RECORDED, recording())


@pytest.mark.rest
def test_what_a_reply_brings_is_limited_and_told() -> None:
    names = [f"Name {number}" for number in range(100_000)]
    found = clean(
        [
            {
                "entities": [{"name": name} for name in names],
                "relations": [{"source": "A", "target": name, "strength": 10**300} for name in names],
                "atoms": [{"text": f"Fact {name}.", "entities": names[:500]} for name in names],
            },
            {"entities": [{"name": "x" * 501}, {"name": "Late", "description": "y" * 10**6}]},
        ]
    )
    assert (len(found.relations), len(found.atoms)) == (1000, 1000)
    assert len(found.entities) <= 4000
    assert found.counts["left_out"] == 99_500 + 2 + 99_000 + 99_000
    alone = clean([{"entities": [{"name": "x" * 501}, {"name": "Late", "description": "y" * 10**6}]}])
    assert [len(entity.description) for entity in alone.entities] == [20_000]
    assert alone.counts["dropped"] == 1


# With a model


def graph_reply(body: Body) -> str:
    """A good reply: the speakers of the material's lines, who all talk to the first; each line is an atom."""
    said = [line for line in material(body).splitlines() if ": " in line][:8]
    speakers = list(dict.fromkeys(line.partition(":")[0] for line in said))
    relations = [{"source": who, "predicate": "talks to", "target": speakers[0], "strength": 5} for who in speakers[1:]]
    atoms = [{"text": line, "entities": [line.partition(":")[0]]} for line in said]
    return json.dumps({"entities": [{"name": who} for who in speakers], "relations": relations, "atoms": atoms})


def asked(body: Body) -> str:
    """Which task a call is for."""
    system = body["messages"][0]["content"]
    starts = {
        "You read": "graph",
        "You decide": "missed",
        "You check": "glean",
        "You collect": "claims",
        "You merge": "describe",
        "You cut": "granular",
    }
    return next(name for start, name in starts.items() if system.startswith(start))


NOTHING = '{"entities": [], "relations": [], "atoms": []}'


def normal(_: int, body: Body) -> Say:
    if asked(body) == "missed":
        return Say('{"missed": "no"}')
    return Say(graph_reply(body) if asked(body) == "graph" else NOTHING)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[ReplyStore]:
    with ReplyStore(tmp_path / "replies.sqlite") as opened:
        yield opened


def by_model(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore, fake: FakeEndpoint, **settings: Any
) -> ExtractReport:
    model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=2), store)
    try:
        return extract_graph(graph, embedder, ExtractSettings(**settings), model)
    finally:
        model.close()


def test_a_model_is_asked_once_per_text_and_then_what_it_missed(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore
) -> None:
    loaded(graph, embedder, *documents(), SourceDocument("copy", passages=(PASSAGES[0]["text"],)))
    with endpoint(normal) as fake:
        report = by_model(graph, embedder, store, fake)
        assert (report.chunks, report.written, report.usage.calls) == (12, 12, 24)  # the copy is none of its own
        assert Counter(map(asked, fake.calls)) == {"graph": 12, "missed": 12}
        made = query(graph, "MATCH (c:Chunk) WHERE NOT (c)-[:SAME_TEXT_AS]->() RETURN c.extractedBy AS by")
        assert [row["by"] for row in made] == 12 * ["small"]
        again = by_model(graph, embedder, store, fake)
        assert (again.unchanged, again.usage, len(fake.calls)) == (12, Usage(), 24)


def test_gleaning_adds_and_ends_when_nothing_is_left(graph: Graph, embedder: SmallEmbedder, store: ReplyStore) -> None:
    loaded(graph, embedder, *documents(2))
    new = {
        "entities": [{"name": "Moon"}],
        "relations": [{"source": "Moon", "predicate": "watches", "target": "LiHua", "ttr": "The Moon watches LiHua."}],
        "atoms": [{"text": "The Moon watches LiHua.", "entities": ["Moon"]}],
    }

    def script(_: int, body: Body) -> Manner:
        if asked(body) == "graph":
            return Say(graph_reply(body))
        if asked(body) == "missed":
            return Say(json.dumps({"missed": "no" if "Moon" in body["messages"][1]["content"] else "yes"}))
        return Say(json.dumps(new))

    with endpoint(script) as fake:
        report = by_model(graph, embedder, store, fake, gleaning_rounds=5)
        assert Counter(map(asked, fake.calls)) == {"graph": 2, "missed": 4, "glean": 2}
        assert report.repaired == 0
        assert {"t": "The Moon watches LiHua."} in query(graph, "MATCH ()-[r:RELATED_TO]->() RETURN r.ttr AS t")
        by_model(graph, embedder, store, fake, gleaning_rounds=0)
        assert query(graph, "MATCH (e:Entity {name: 'Moon'}) RETURN e") == []
    recorded = store.path.with_suffix(".jsonl")
    lines = ({"task": r.task, "key": r.key, "model": r.model, "reply": r.reply} for r in store.export())
    recorded.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    extract_graph(graph, embedder, ExtractSettings(source="replies"), Recording([recorded]))
    assert len(query(graph, "MATCH (e:Entity {name: 'Moon'}) RETURN e")) == 1  # what was gleaned is in the recording


def test_granular_atoms_take_the_place_of_the_facts(graph: Graph, embedder: SmallEmbedder, store: ReplyStore) -> None:
    loaded(graph, embedder, *documents(1))

    def script(number: int, body: Body) -> Manner:
        if asked(body) != "granular":
            return normal(number, body)
        assert "LiHua" in body["messages"][-1]["content"].partition("Cut this text")[0]  # the names that were found
        said = [{"text": "LiHua wrote.", "entities": ["LiHua"]}, {"text": "Adam read.", "entities": ["Adam"]}]
        return Say(json.dumps({"atoms": said}))

    with endpoint(script) as fake:
        report = by_model(graph, embedder, store, fake, atoms="granular", gleaning_rounds=0, demonstration=True)
    assert report.atoms == 2
    found = query(graph, "MATCH (a:Atom)-[:MENTIONS]->(e:Entity) RETURN a.text AS a, e.name AS e ORDER BY a")
    assert found == [{"a": "Adam read.", "e": "Adam"}, {"a": "LiHua wrote.", "e": "LiHua"}]
    assert [asked(body) for body in fake.calls] == ["graph", "granular"]
    assert all(len(body["messages"]) == 4 for body in fake.calls)  # the demonstration is a turn before the request


def test_claims(graph: Graph, embedder: SmallEmbedder, store: ReplyStore) -> None:
    loaded(graph, embedder, *documents(2))
    claim = {
        "subject": "LiHua",
        "object": "Adam",
        "type": "promise",
        "status": "suspected",
        "description": "A promise.",
    }

    def script(number: int, body: Body) -> Manner:
        said = {"claims": [claim, claim, {"subject": "", "description": "x"}]}
        return Say(json.dumps(said)) if asked(body) == "claims" else normal(number, body)

    with endpoint(script) as fake:
        report = by_model(graph, embedder, store, fake, claims=True, gleaning_rounds=0)
    assert (report.claims, report.duplicates, report.dropped, report.repaired) == (2, 2, 2, 2)
    found = query(
        graph, "MATCH (c:Claim)-[:ABOUT]->(e) WITH c, e ORDER BY e.name RETURN c.status AS s, collect(e.name) AS n"
    )
    assert found == [{"s": "suspected", "n": ["Adam", "Adam", "LiHua", "LiHua"]}]
    delete_documents(graph, [PASSAGES[0]["document"], PASSAGES[1]["document"]], ignore_missing=True)
    assert query(graph, "MATCH (n:Claim|Entity) RETURN n") == []


@pytest.mark.rest
def test_claims_about_an_entity_are_summarized_and_reports_show_the_summary(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore
) -> None:
    loaded(
        graph,
        embedder,
        *(SourceDocument(f"d{number}", passages=(f"Li Hua and Adam: {number}.",)) for number in range(3)),
    )

    def script(_: int, body: Body) -> Manner:
        if asked(body) == "describe":
            return Say(json.dumps({"description": f"Li Hua made {material(body).count('promise, said:')} promises."}))
        if asked(body) == "claims":
            about = {"subject": "Li Hua", "type": "promise", "status": "said"}
            short = {"subject": "Adam", "type": "rumour", "description": f"One of {material(body)}"}
            return Say(json.dumps({"claims": [{**about, "description": f"{material(body)} {'x' * 400}"}, short]}))
        relation = {"source": "Li Hua", "target": "Adam", "predicate": "knows", "ttr": "Li Hua knows Adam."}
        said = {"entities": [{"name": "Li Hua"}, {"name": "Adam"}], "relations": [relation], "atoms": []}
        return Say(json.dumps(said))

    given: dict[str, Any] = {"claims": True, "summarize_claims": True, "gleaning_rounds": 0}
    with endpoint(script) as fake:
        assert by_model(graph, embedder, store, fake, **given).described == 1
        build_communities(graph)
        (found,) = materials(graph, [row["id"] for row in query(graph, "MATCH (c:Community) RETURN c.id AS id")][:1])
        assert Counter(claim.type for claim in found.claims) == {"": 1, "rumour": 3}
        assert "Li Hua made 3 promises." in {claim.description for claim in found.claims}
        calls = len(fake.calls)
        assert by_model(graph, embedder, store, fake, **given).described == 0
        assert len(fake.calls) == calls
        delete_documents(graph, ["d0"])
        (found,) = materials(graph, [found.id])
        assert [claim.type for claim in found.claims].count("promise") == 2  # as long as there is no new summary


def test_an_endpoint_that_goes_away_leaves_what_was_paid_for(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore
) -> None:
    loaded(graph, embedder, *documents())
    with (
        endpoint(lambda number, body: normal(number, body) if number <= 9 else Fail(401, "expired")) as fake,
        pytest.raises(LanguageModelError, match="expired"),
    ):
        by_model(graph, embedder, store, fake)
    assert len(list(store.export())) == 9
    assert stages.staleness(stages.recorded(graph), "extract") == "interrupted"
    with endpoint(normal) as fake:
        by_model(graph, embedder, store, fake)
        assert len(fake.calls) == 24 - 9
    assert status(graph).missing["chunks_not_extracted"] == 0


def test_a_failed_gleaning_is_told_and_the_rest_written(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore
) -> None:
    loaded(graph, embedder, *documents(3))
    with endpoint(lambda _, body: Say(graph_reply(body) if asked(body) == "graph" else "no")) as fake:
        report = by_model(graph, embedder, store, fake)
    assert (report.written, len(report.missing)) == (3, 3)
    assert "could not be used" in report.missing[0].reason


PROCESS = """
import os, sys, pathlib
sys.path.insert(0, "tests/materials")
from sample_texts import PASSAGES, SAMPLE, documents, lines
from small_embedder import SmallEmbedder
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph, stage
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
stage._TEXTS_AT_ONCE = 12  # many transactions, so that some are hit
settings = LanguageModelSettings(endpoint=sys.argv[1], model="small", retries=0, concurrency=2)
with Graph.connect() as graph, ReplyStore(pathlib.Path(sys.argv[2])) as store:
    extract_graph(graph, SmallEmbedder(), ExtractSettings(), LiveModel(settings, store))
"""


def start_process(graph: Graph, url: str, store: Path) -> subprocess.Popen[bytes]:
    address = graph.address
    names = ("NEO4J_URI", "NEO4J_USERNAME", "NEO4J_PASSWORD")
    environment = {**os.environ, **dict(zip(names, (address.uri, address.user, address.password), strict=True))}
    root = Path(__file__).parents[2]
    return subprocess.Popen([sys.executable, "-c", PROCESS, url, str(store)], cwd=root, env=environment)


@pytest.mark.rest
def test_kill_and_resume(graph: Graph, embedder: SmallEmbedder, tmp_path: Path) -> None:
    loaded(graph, embedder, *documents(24))
    file = tmp_path / "replies.sqlite"
    with endpoint(lambda number, body: Say(normal(number, body).text, seconds=0.03)) as fake:
        for calls in (9, 25):
            process = start_process(graph, fake.url, file)
            until = time.monotonic() + 120
            while len(fake.paid) < calls and process.poll() is None and time.monotonic() < until:
                time.sleep(0.005)
            process.send_signal(signal.SIGKILL)
            assert process.wait() == -signal.SIGKILL
        with ReplyStore(file) as store:
            by_model(graph, embedder, store, fake)
        assert 48 <= len(fake.paid) <= 48 + 4  # each kill may cost the two calls that were under way
        resumed, paid = dump(graph), len(fake.paid)
        graph.driver.execute_query("MATCH (n:Entity|Atom) DETACH DELETE n")
        graph.driver.execute_query("MATCH (chunk:Chunk) REMOVE chunk.extracted")
        with ReplyStore(file) as store:
            by_model(graph, embedder, store, fake)
        assert len(fake.paid) == paid
    assert dump(graph) == resumed


# The command


def run(graph: Graph, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Result:
    """The command, with the small embedder in the place of the one that takes seconds to load."""
    address = graph.address
    values = {"NEO4J_URI": address.uri, "NEO4J_USERNAME": address.user, "NEO4J_PASSWORD": address.password}
    for name, value in values.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr("qcg_neo4j.cli.stages.embedder_of", lambda *_: SmallEmbedder())
    return CliRunner().invoke(command, list(arguments))


def test_command_with_a_recording(graph: Graph, embedder: SmallEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    loaded(graph, embedder, *documents(3))
    result = run(graph, monkeypatch, "--replies", str(SAMPLE / "graph.jsonl"), "--json")
    assert result.exit_code == 0, result.output
    told = json.loads(result.stdout)
    assert (told["chunks"], told["written"]) == (3, 3)
    assert told["entities"] == len(query(graph, "MATCH (e:Entity) RETURN e"))
    shown = run(graph, monkeypatch, "--replies", str(SAMPLE / "graph.jsonl"))
    assert "relations" in shown.stdout


def test_command_with_a_model(
    graph: Graph, embedder: SmallEmbedder, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    loaded(graph, embedder, *documents(4))
    with endpoint(lambda n, body: Say("no") if n == 1 or "no\n" in str(body) else normal(n, body)) as fake:
        options = ["--llm", f"small@{fake.url}"]
        options += ["-s", "llm.concurrency=1", "-s", "llm.retries=0", "--claims"]
        options += ["-s", "llm.input_price=1", "-s", "llm.output_price=2"]
        options += ["--store", str(tmp_path / "replies.sqlite")]
        estimated = run(graph, monkeypatch, *options, "--estimate", "--json")
        assert estimated.exit_code == 0, estimated.output
        told = json.loads(estimated.stdout)
        assert (told["requests"], told["usage"]["calls"], told["known"]) == (12, 12, 0)
        assert told["cost"] == pytest.approx(
            (told["usage"]["input_tokens"] + 2 * told["usage"]["output_tokens"]) / 1e6, rel=0.01
        )
        assert fake.calls == []
        result = run(graph, monkeypatch, *options)
    assert isinstance(result.exception, MissingReplyError)
    assert "of 4 chunks have no reply" in str(result.exception)
    assert "Estimate: 12 calls" in " ".join(result.stderr.split())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--gleaning-rounds", "-1"], "gleaning_rounds"),
        (["--replies", "/nowhere.jsonl"], "cannot be read"),
        (["--source", "spacy", "--estimate"], "nothing to estimate"),
        ([], "No language model is configured"),
    ],
)
def test_command_refuses(
    graph: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, arguments: list[str], said: str
) -> None:
    result = run(graph, monkeypatch, "--store", str(tmp_path / "replies.sqlite"), *arguments)
    assert said in str(result.exception)
    assert query(graph, "MATCH (e:Entity) RETURN e") == []


# Domains


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('entity_type = ["person"]', "Did you mean 'entity_types'"),
        ("entity_types = []", "not empty"),
        ("about = 3", "'about' must be a text"),
        ("x = ", "not TOML"),
        pytest.param(f"x = {'1' * 5000}", "a number that is too long", id="too long"),
        ("[[examples]]\ntext = 'x'", "'entities' is a required property"),
        ("[[examples]]\nentities = []", "needs a 'text'"),
        ("examples = 3", r"\[\[examples\]\]"),
    ],
)
def test_domains_that_are_refused(text: str, said: str, tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(SettingsError, match=said):
        read_domain(str(file))
    with pytest.raises(SettingsError, match="cannot be read"):
        read_domain(str(tmp_path / "missing.toml"))


def test_a_domain_is_in_the_prompt(tmp_path: Path) -> None:
    file = tmp_path / "domain.toml"
    file.write_text(
        'about = "Letters of $mark sailors."\nentity_types = ["ship", "harbour"]\n'
        '[[examples]]\ntext = "The Ann left Hull."\nentities = [{name = "Ann", type = "ship"}]\n'
        'relations = []\natoms = [{text = "The Ann left Hull.", entities = ["Ann"]}]\n',
        encoding="utf-8",
    )
    conversation = Conversation(StoredChunk("1", "text", {}), RECORDED, read_domain(str(file)))
    request = conversation.next_request()
    assert request
    said = request.messages()[1]["content"]
    assert "ship, harbour" in said
    assert "Letters of $mark sailors." in said
    assert '"The Ann left Hull."' in said
    general = Conversation(StoredChunk("1", "text", {}), RECORDED, read_domain(None)).next_request()
    assert general
    assert general.key == request.key
    assert general.prompt != request.prompt


# Descriptions that are too many


def test_long_descriptions_are_summarized_and_again_when_they_change(
    graph: Graph, embedder: SmallEmbedder, store: ReplyStore
) -> None:
    parts = [f"Part {number}: Li Hua {'plays the guitar ' * 20}." for number in range(5)]
    loaded(graph, embedder, *(SourceDocument(part[:6], passages=(part,)) for part in parts))

    def script(_: int, body: Body) -> Manner:
        if asked(body) == "describe":
            return Say(json.dumps({"description": f"Plays in {material(body).count('Part')} parts."}))
        said = {"entities": [{"name": "Li Hua", "description": material(body)}, {"name": "guitar"}]}
        return Say(json.dumps({**said, "relations": [], "atoms": []}))

    description = "MATCH (e:Entity {name: 'Li Hua'}) RETURN e.description AS d"
    with endpoint(script) as fake:
        report = by_model(graph, embedder, store, fake, gleaning_rounds=0)
        assert (report.described, report.usage.calls) == (1, 6)
        assert query(graph, description) == [{"d": "Plays in 5 parts."}]
        again = by_model(graph, embedder, store, fake, gleaning_rounds=0)
        assert (again.described, again.changes.transactions, len(fake.calls)) == (0, 0, 6)
        delete_documents(graph, ["Part 0"])
        assert query(graph, description)[0]["d"].count("Part") == 2  # as many whole ones as there is room for
        assert by_model(graph, embedder, store, fake, gleaning_rounds=0).described == 1
        assert query(graph, description) == [{"d": "Plays in 4 parts."}]
    recorded = extract_graph(graph, embedder, ExtractSettings(source="replies", describe=False), StoredReplies(store))
    assert (recorded.unchanged, recorded.missing, recorded.undescribed) == (4, (), ())


def test_a_failed_summary_is_told(graph: Graph, embedder: SmallEmbedder, store: ReplyStore) -> None:
    loaded(graph, embedder, SourceDocument("d", passages=("a" * 700, "b" * 700)))

    def script(_: int, body: Body) -> Manner:
        said = {"entities": [{"name": "Li", "description": material(body)}], "relations": [], "atoms": []}
        return Say("no" if asked(body) == "describe" else json.dumps(said))

    with endpoint(script) as fake:
        report = by_model(graph, embedder, store, fake, gleaning_rounds=0)
    assert [item.id for item in report.undescribed] == ["Li"]
    assert query(graph, "MATCH (e:Entity) RETURN size(e.description) AS n") == [{"n": 700}]


# Without a model


@pytest.mark.rest
def test_spacy(graph: Graph, embedder: SmallEmbedder) -> None:
    text = "Angela Merkel visited Paris.\nThe old bridge in Paris was closed on 3 May 2020.\n🎉\nIt rained."
    loaded(graph, embedder, SourceDocument("d", passages=(text,)))
    report = extract_graph(graph, embedder, ExtractSettings(source="spacy"))
    found = {row["n"]: row["t"] for row in query(graph, "MATCH (e:Entity) RETURN e.name AS n, e.type AS t")}
    assert found == {"Angela Merkel": "person", "Paris": "place"}  # the old bridge is no name
    relations = query(
        graph, "MATCH (s)-[r:RELATED_TO]->(t) RETURN s.name AS s, r.predicate AS p, t.name AS t, r.ttr AS x"
    )
    assert {tuple(row.values()) for row in relations} == {
        ("Angela Merkel", "occurs with", "Paris", "Angela Merkel visited Paris."),
    }
    atoms = query(graph, "MATCH (a:Atom) RETURN a.text AS text, a.source AS source")
    assert {row["text"] for row in atoms} == {text.split("\n")[number] for number in (0, 1, 3)}
    assert {row["source"] for row in atoms} == {"spacy:en_core_web_sm"}
    assert (report.atoms, report.relations, report.repaired) == (3, 1, 0)
    assert extract_graph(graph, embedder, ExtractSettings(source="spacy")).unchanged == 1
    with pytest.raises(MissingPackageError, match="'xx_none' is not installed"):
        extract_graph(graph, embedder, ExtractSettings(source="spacy", spacy_model="xx_none"))
    assert stages.staleness(stages.recorded(graph), "extract") is None


GERMAN = "Der Jahresbeitrag ist fällig. Zuletzt kaufte die Hansa Werft den Kran. Anna sah die Hansa Werft."
MODEL = """
import spacy

def load(**_):
    language = spacy.blank("de")
    language.add_pipe("entity_ruler").add_patterns([{"label": "ORG", "pattern": "Hansa Werft"}])
    return language
"""


@pytest.mark.rest
def test_texts_are_read_by_the_spacy_model_of_their_language_where_one_is_installed(
    graph: Graph, embedder: SmallEmbedder, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else by their capital letters, which is told; in German every noun has one, so that two in a row make a name."""
    load_documents(graph, embedder, [SourceDocument("d", passages=(GERMAN,))], LoadSettings(language="de"))
    report = extract_graph(graph, embedder, ExtractSettings(source="spacy"))
    (note,) = report.notes
    assert "no model for the language of the documents here (de)" in note
    assert "only names are found" in note
    assert "python -m spacy download de_core_news_sm" in note
    names = "MATCH (e:Entity)-[:FROM_CHUNK]->(c) RETURN DISTINCT e.name AS name, e.type AS type, c.extractedBy AS by"
    assert query(graph, names) == [{"name": "Hansa Werft", "type": "", "by": "capitals"}]
    (tmp_path / "de_core_news_sm").mkdir()
    (tmp_path / "de_core_news_sm/__init__.py").write_text(MODEL, encoding="utf-8")
    (tmp_path / "de_core_news_sm-3.8.0.dist-info").mkdir()
    about = "Metadata-Version: 2.1\nName: de-core-news-sm\nVersion: 3.8.0\n"
    (tmp_path / "de_core_news_sm-3.8.0.dist-info/METADATA").write_text(about, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    assert extract_graph(graph, embedder, ExtractSettings(source="spacy")).notes == ()
    by = "spacy:de_core_news_sm"
    assert query(graph, names) == [{"name": "Hansa Werft", "type": "organization", "by": by}]


@pytest.mark.rest
def test_a_script_without_capital_letters_has_no_names_by_them(graph: Graph, embedder: SmallEmbedder) -> None:
    text = "创始人是来自吕贝克的王师傅。核桃面包每天下午四点出炉。"
    load_documents(graph, embedder, [SourceDocument("d", passages=(text,))], LoadSettings(language="zh"))
    report = extract_graph(graph, embedder, ExtractSettings(source="spacy"))
    assert "(zh), so no names are found" in report.notes[0]
    assert (report.entities, report.atoms) == (0, 2)


def found_by_spacy(text: str) -> Findings:
    return next(SpacySource("en_core_web_sm").found([StoredChunk("c", text, {})]))[1]


@pytest.mark.rest
def test_an_entity_is_joined_with_the_few_that_it_occurs_with_most() -> None:
    people = ["Anna Smith", "Robert Jones", "Carl Miller", "Peter Baker", "David Carter", "Emma Cooper"]
    text = "\n".join(
        [f"{', '.join(people[:-1])} and {people[-1]} met in Berlin.", *["Anna Smith saw Emma Cooper."] * 2]
    )
    found = found_by_spacy(text)
    partners = Counter(end for relation in found.relations for end in (relation.source, relation.target))
    assert set(partners) == {entity.id for entity in found.entities}
    assert len(found.relations) <= 2 * len(found.entities)  # of 21 pairs
    strongest = max(found.relations, key=lambda relation: relation.strength)
    assert {strongest.source, strongest.target} == {entity_id("Anna Smith"), entity_id("Emma Cooper")}
    assert strongest.strength == 2  # sentences that name both; the same sentence counts once


@pytest.mark.rest
def test_common_nouns_and_headings_are_no_names_and_no_facts() -> None:
    found = found_by_spacy(
        "## The Old Bridge\nThe old bridge is closed.\nhey i saw euros in the evening.\nAngela Merkel laughs."
    )
    assert [entity.name for entity in found.entities] == ["Angela Merkel"]
    assert [atom.text for atom in found.atoms] == [
        "The old bridge is closed.",
        "hey i saw euros in the evening.",
        "Angela Merkel laughs.",
    ]
