"""The walk of the layers from the pages of names, on a small encyclopedia, against its twin in plain Python."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import reference
import reference_chains
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.core.records import Passage, SourceDocument
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.permission import permission
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, load_documents
from qcg_neo4j.indexing.resolve import Merge, merge, merged, part
from qcg_neo4j.models.replies import Recording, key_of
from qcg_neo4j.retrieval import GraphragLocal, Hybrid, HybridSettings, Layers, LayersSettings, filtered
from qcg_neo4j.retrieval.chain import together

EMBEDDER = SmallEmbedder()
# A page per subject: what it states (source, predicate, target), and what else it names.
PAGES = {
    "The Circle (film)": (
        [("The Circle (film)", "was directed by", "Ann Müller"), ("The Circle (film)", "is set in", "Oslo")],
        [],
    ),
    "Ann Müller": ([("Ann Müller", "is the daughter of", "Eva Holm"), ("Ann Müller", "lives in", "Oslo")], ["Bergen"]),
    "Eva Holm": ([("Eva Holm", "painted", "Winter"), ("Eva Holm", "was born in", "Bergen")], []),
    "Oslo": ([("Oslo", "is the capital of", "Norway"), ("Oslo", "lies on", "the fjord")], []),
    "Bergen": ([("Bergen", "is a city in", "Norway")], ["Oslo"]),
    "Winter": ([("Winter", "hangs in", "Oslo")], ["Eva Holm"]),
    "Talk 1": ([("Jon", "spoke to", "Kai")], ["Oslo"]),
    "Talk 2": ([("Jon", "wrote to", "Kai")], []),
    "Talk 3": ([("Jon", "called", "Kai")], []),
}
ASKED = {
    "Who is the mother of the director of The Circle?": ["the circle"],
    "Who is the mother of the director of the circle?": [],  # no capital letter, no name
    "Where does Ann Muller, the director of The Circle, live?": ["ann muller", "the circle"],
    "Winter hangs in which town?": [],  # the first word of a question always has one
    "To whom did Jon write?": [],  # none of three pages is his own
    "Did Eva Holm paint Winter, and did Eva Holm see it?": ["eva holm", "winter"],
}
EVERYTHING: dict[str, Any] = {
    "name_share": 0.8,
    "passages": 9,
    "candidate_factor": 100,
    "context_tokens": 1_000_000,
}
BM25 = """
CALL db.index.fulltext.queryNodes($index, $property + ':(' + $words + ')') YIELD node, score
RETURN node.id AS id, score
"""
EXACT = 1e-4


def _reply(stated: Sequence[tuple[str, str, str]], named: Sequence[str]) -> dict[str, Any]:
    names = dict.fromkeys([*(end for source, _, target in stated for end in (source, target)), *named])
    return {
        "entities": [{"name": name, "type": "", "description": ""} for name in names],
        "relations": [
            {
                "source": source,
                "predicate": predicate,
                "target": target,
                "strength": 5,
                "ttr": f"{source} {predicate} {target}.",
            }
            for source, predicate, target in stated
        ],
        "atoms": [{"text": f"{' '.join(triple)}.", "entities": [triple[0], triple[2]]} for triple in stated[:1]],
    }


@pytest.fixture
def pages(graph: Graph, tmp_path: Path) -> Graph:
    """The encyclopedia, extracted."""
    texts = {
        title: f"{title}. " + " ".join(f"{' '.join(one)}." for one in stated) + f" {named}"
        for title, (stated, named) in PAGES.items()
    }
    replies = [
        {"task": "extract/graph", "key": key_of(texts[title]), "reply": _reply(stated, named)}
        for title, (stated, named) in PAGES.items()
    ]
    file = tmp_path / "graph.jsonl"
    file.write_text("".join(json.dumps(reply) + "\n" for reply in replies), encoding="utf-8")
    load_documents(
        graph, EMBEDDER, [SourceDocument(title, passages=(text,)) for title, text in texts.items()], LoadSettings()
    )
    extract_graph(graph, EMBEDDER, ExtractSettings(source="replies"), Recording([file]))
    graph.embedder = EMBEDDER
    return graph


@pytest.fixture
def unread(graph: Graph) -> Graph:
    """The encyclopedia with titles, read by no language model."""
    texts = {title: " ".join(f"{' '.join(one)}." for one in stated) for title, (stated, _) in PAGES.items()}
    documents = [SourceDocument(title, title=title, passages=(text,)) for title, text in texts.items()]
    load_documents(graph, EMBEDDER, documents, LoadSettings(language="en"))
    generate_queries(graph, EMBEDDER, GenerateSettings(source="sentences"))
    extract_graph(graph, EMBEDDER, ExtractSettings(source="spacy"))
    graph.embedder = EMBEDDER
    return graph


def _bm25(
    graph: Graph, question: str, property_name: str, index: str, left_out: Sequence[str] = ()
) -> dict[str, float]:
    found = re.findall(r"[^\W_]+", question.lower())
    words = " ".join(word for word in found if " ".join(reference_chains.spelled(word)) not in left_out)
    return {row["id"]: row["score"] for row in query(graph, BM25, index=index, property=property_name, words=words)}


def _expected(graph: Graph, question: str, settings: LayersSettings) -> reference.Ranking:
    whole = reference.read_whole(graph)
    vector = EMBEDDER.embed([question])[0].astype(np.float64)
    indexes = {row["name"].removeprefix("qcg_"): row["name"] for row in query(graph, "SHOW INDEXES YIELD name")}
    names = reference_chains.named(whole, question, settings.page_share)
    rest = reference_chains.without(whole, vector, names)
    named = [word for one, _ in names for word in _words_of(question, whole, one)]
    entries, left = (
        reference.layer_entries(
            whole,
            asked,
            *(
                _bm25(graph, question, name, indexes[index], left_out)
                for name, index in (("words", "chunk_words"), ("expandedWords", "chunk_expanded_words"))
            ),
        )
        for asked, left_out in ((vector, ()), (rest, named))
    )
    return reference.layers(whole, entries, settings, question, vector, left)[0]


def _words_of(question: str, whole: reference.Whole, entities: Sequence[str]) -> list[str]:
    """The words by which a question names them."""
    asked = f" {' '.join(reference_chains.spelled(question)).lower()} "
    forms = [form for entity in entities for form in (whole.names[entity], whole.names[entity].split("(")[0])]
    spelled = [" ".join(reference_chains.spelled(form)).lower() for form in forms]
    return max((form for form in spelled if f" {form} " in asked), key=len).split()


def _found(graph: Graph, question: str, **chosen: Any) -> tuple[Passage, ...]:
    return Layers(LayersSettings(**EVERYTHING | chosen)).retrieve(graph, question).passages


@pytest.mark.parametrize(
    "chosen",
    [
        {},
        {"name_share": 0.5, "walk_seeds": 1},
        {"about_power": 0.0},
        {"relation_sharpness": 0.0},
        {"further_chunks": 0, "rest_alone": False},
        {"further_chunks": 1},
        {"name_share": 1.0, "chain_weight": 2.0, "page_share": 0.0},
        {"max_entity_degree": 3},
        {"name_share": 0.0},
        {"walk_weight": 0.0},
    ],
)
def test_the_statements_find_what_their_twin_finds(pages: Graph, chosen: dict[str, Any]) -> None:
    for question in ASKED:
        expected = dict(_expected(pages, question, LayersSettings(**EVERYTHING | chosen)))
        found = _found(pages, question, **chosen)
        assert {item.id: item.score for item in found} == pytest.approx(expected, abs=EXACT), question


@pytest.mark.parametrize(
    "chosen", [{}, {"relation_sharpness": 0.0}, {"rest_alone": False}, {"name_share": 0.0}, {"walk_weight": 0.0}]
)
def test_the_statements_find_what_their_twin_finds_without_a_model(unread: Graph, chosen: dict[str, Any]) -> None:
    for question in ASKED:
        expected = dict(_expected(unread, question, LayersSettings(**EVERYTHING | chosen)))
        found = _found(unread, question, **chosen)
        assert {item.id: item.score for item in found} == pytest.approx(expected, abs=EXACT), question


def test_without_a_model_titles_are_names_and_sentences_lead_on(unread: Graph) -> None:
    found = _found(unread, "Who is the mother of the director of The Circle?")
    ways = {item.document: [path for path in item.paths if path[-1].label == "Entity"] for item in found}
    name, page, sentence, bridge = ways["Ann Müller"][0]
    assert (name.text, page.label, bridge.text) == ("The Circle (film)", "Chunk", "Ann Müller")
    assert (sentence.label, sentence.text) == ("Atom", "The Circle (film) was directed by Ann Müller.")
    assert not ways["Talk 3"]


def test_without_a_model_nothing_is_walked_without_a_name_and_a_sentence_counts_once(unread: Graph) -> None:
    question = "To whom did Jon write?"
    found = _found(unread, question)
    assert {path[-1].layer for item in found for path in item.paths} == {"Query", "Window", "words"}
    two = Hybrid(HybridSettings(passages=9, context_tokens=1_000_000)).retrieve(unread, question).passages
    assert {item.id for item in found} == {item.id for item in two}


@pytest.mark.rest
def test_the_procedure_finds_the_same_without_a_model_also_with_a_filter(unread: Graph) -> None:
    question = "Who is the mother of the director of The Circle?"
    vector = EMBEDDER.embed([question])[0].tolist()
    filtered: dict[str, Any] = {"where": {"title": {"$ne": "Eva Holm"}}}
    for chosen in ({}, filtered):
        told = Layers(LayersSettings(**chosen)).retrieve(unread, question).passages
        rows = query(
            unread,
            "CALL qcg.retrieve.layers($asked, $chosen) YIELD chunk, score RETURN chunk.id AS id, score",
            asked={"text": question, "vector": vector},
            chosen=chosen,
        )
        assert {row["id"]: row["score"] for row in rows} == pytest.approx({one.id: one.score for one in told})
        assert ("Eva Holm" in {one.document for one in told}) == (not chosen)


def test_names_are_proper_names_with_a_page(pages: Graph) -> None:
    whole = reference.read_whole(pages)
    for question, names in ASKED.items():
        rows = pages.rows("retrieve/layers/names", question=question, page_share=0.7, walk_seeds=3, permitted=None)
        assert [row["name"] for row in rows] == names
        assert [sorted(row["entities"]) for row in rows] == [
            entities for entities, _ in reference_chains.named(whole, question, 0.7)
        ]


NAMED = {
    "zh": ("王小明", "王小明在哪里工作？", "王小明是一位面包师。他在吕贝克工作。", "person", True),
    "th": ("สมชาย", "สมชายทำงานที่ไหน", "สมชายเป็นคนทำขนมปัง", "person", True),
    "ar": ("سمير", "أين يعمل سمير؟", "سمير يعمل في المخبز.", "person", True),
    "ko": ("김민수", "김민수는 어디에서 일하나요?", "김민수는 제빵사이고 빵집에서 일합니다.", "person", True),
    "de": ("Jahresbeitrag", "Wie hoch ist der Jahresbeitrag?", "Der Jahresbeitrag ist vierzig Euro.", "concept", False),
    "en": ("Anna", "Where does Anna work?", "Anna works in the bakery.", "", True),
}


@pytest.mark.parametrize("language", NAMED)
@pytest.mark.rest("zh", "th", "ar", "ko", "de")
def test_names_in_scripts_without_capital_letters_and_in_german(graph: Graph, tmp_path: Path, language: str) -> None:
    """Without capital letters a type makes a name; in German, where every noun has one, one that says something."""
    name, question, text, kind, is_name = NAMED[language]
    reply = _reply([(name, "has", "x1"), (name, "has", "x2")], [])
    reply["entities"] = [{**entity, "type": kind} for entity in reply["entities"]]
    file = tmp_path / "graph.jsonl"
    file.write_text(json.dumps({"task": "extract/graph", "key": key_of(text), "reply": reply}), encoding="utf-8")
    load_documents(graph, EMBEDDER, [SourceDocument("d", passages=(text,))], LoadSettings(language=language))
    extract_graph(graph, EMBEDDER, ExtractSettings(source="replies"), Recording([file]))
    graph.embedder = EMBEDDER
    paths = Layers().retrieve(graph, question).passages[0].paths
    assert ([name] in [[step.text for step in path] for path in paths if path[0].label == "Entity"]) == is_name


def test_a_merged_entity_is_found_by_its_alias_too(pages: Graph) -> None:
    ids = {row["name"]: row["id"] for row in query(pages, "MATCH (e:Entity) RETURN e.id AS id, e.name AS name")}
    merge(pages, EMBEDDER, [Merge(ids["Norway"], "Norway", ids["Bergen"], "Bergen", 1.0)])
    asked = {"question": "Which rivers of Norway?", "page_share": 0.0, "walk_seeds": 3, "permitted": None}
    rows = pages.rows("retrieve/layers/names", **asked)
    assert [(row["name"], row["called"]) for row in rows] == [("norway", "Bergen")]
    part(pages, EMBEDDER, merged(pages))
    assert not pages.rows("retrieve/layers/names", **asked)  # Norway has no page of its own


def test_a_chunk_that_spells_both_names_of_a_merged_entity_counts_once(pages: Graph) -> None:
    ids = {row["name"]: row["id"] for row in query(pages, "MATCH (e:Entity) RETURN e.id AS id, e.name AS name")}
    merge(pages, EMBEDDER, [Merge(ids["Norway"], "Norway", ids["Oslo"], "Oslo", 1.0)])
    twice = "MATCH (e:Entity)-[said:FROM_CHUNK]->(c:Chunk) WITH e, c, count(said) AS n WHERE n > 1 RETURN n"
    assert query(pages, twice)
    for chosen in ({}, {"name_share": 0.0}):
        test_the_statements_find_what_their_twin_finds(pages, chosen)
    for question in ASKED:
        for item in GraphragLocal().retrieve(pages, question).passages:
            assert len(set(item.paths)) == len(item.paths)


def test_the_way_from_a_name_is_told(pages: Graph) -> None:
    """Question, name, its page, what that states, the next page."""
    found = _found(pages, "Who is the mother of the director of The Circle?")
    ways = {item.document: next(path for path in item.paths if path[-1].label == "Entity") for item in found[:3]}
    assert [(step.label, step.text) for step in ways["The Circle (film)"]] == [("Entity", "The Circle (film)")]
    name, page, stated, bridge = ways["Ann Müller"]
    assert (name.label, name.text, name.relationship) == ("Entity", "The Circle (film)", "HIT")
    assert (page.label, page.text.partition(".")[0]) == ("Chunk", "The Circle (film)")
    assert stated.text == "The Circle (film) was directed by Ann Müller."
    assert (bridge.text, bridge.layer, bridge.weight is not None) == ("Ann Müller", "Entity", True)


def test_a_walk_over_a_common_noun_counts_and_is_not_shown(pages: Graph) -> None:
    query(pages, "MATCH (e:Entity {name: 'Oslo'}) SET e.name = 'town'")
    question, settings = "Where does Jon live?", LayersSettings(**EVERYTHING | {"name_share": 0.0})
    vector = EMBEDDER.embed([question])[0]
    rows = Layers(settings).rows(pages, question, vector, permission(pages, None))
    assert {one["id"]: one["score"] for one in together([rows])} == pytest.approx({r["id"]: r["score"] for r in rows})
    drawn = query(pages, "CALL qcg.retrieve.layers($asked, {passages: 9, nameShare: 0.0}) YIELD chunk, paths "
                  "RETURN chunk.id AS id, size(paths) AS number",
                  asked={"text": question, "vector": vector.tolist()})  # fmt: skip
    found = {item.id: item.paths for item in _found(pages, question, name_share=0.0)}
    assert {row["id"]: row["number"] for row in drawn} == {name: len(paths) for name, paths in found.items()}
    assert sum(map(len, found.values())) < sum(len(row["paths"]) for row in rows)
    assert "town" not in {step.text for paths in found.values() for path in paths for step in path}


@pytest.mark.rest
def test_browser_draws_the_way_from_a_name(pages: Graph) -> None:
    _assert_drawn(pages)


@pytest.mark.rest
def test_browser_draws_the_way_from_a_title_where_no_model_has_read(unread: Graph) -> None:
    _assert_drawn(unread)


def _assert_drawn(graph: Graph) -> None:
    question = "Who is the mother of the director of The Circle?"
    asked = {"text": question, "vector": EMBEDDER.embed([question])[0].tolist()}
    rows = query(
        graph,
        "CALL qcg.retrieve.layers($asked, {nameShare: 0.8}) YIELD document, paths "
        "RETURN document.id AS id, [path IN paths | [node IN nodes(path) | coalesce(node.name, node.id)]] AS ways",
        asked=asked,
    )
    ways = next(row["ways"] for row in rows if row["id"] == "Ann Müller")
    assert any(way[0] == "The Circle (film)" and way[2] == "Ann Müller" and len(way) == 5 for way in ways)


@pytest.mark.parametrize("made", [Layers, Hybrid])
def test_short_documents_among_long_ones_are_found_by_their_vector(graph: Graph, made: type[Layers | Hybrid]) -> None:
    """The index of chunks brings those with windows alone, which lie nearer to the question and do not count."""
    texts = {**{f"long {n}": "gym " * 300 + str(n) for n in range(110)}, "short 1": "Rain.", "short 2": "A boat."}
    documents = [SourceDocument(name, passages=(text,), metadata={"kind": name[:4]}) for name, text in texts.items()]
    load_documents(graph, EMBEDDER, documents, LoadSettings())
    graph.embedder = EMBEDDER
    found = filtered(made(), 'kind = "shor"').retrieve(graph, "gym").passages
    assert {item.document for item in found} == {"short 1", "short 2"}
    assert {path[-1].layer for item in found for path in item.paths} == {"Window"}


FAULTS = {
    "E1201": "the pump leaks. Call the service if it comes back. Clean it with a dry cloth. Wait ten minutes.",
    "E8693": "the heater is worn. Tighten the screws by hand. Replace it and start again. Clean it with a dry cloth.",
    "E2841": "the pump has lost contact. Call the service if it comes back. Read the chapter on maintenance.",
    "E7436": "the sensor runs too hot. Wait ten minutes. Replace it and start again. Read the chapter on maintenance.",
    "E3307": "the belt is blocked. Clean it with a dry cloth. Tighten the screws by hand. Wait ten minutes.",
    "E1708": "the bearing is worn. Replace it and start again. Wait ten minutes. Call the service if it comes back.",
}


def test_the_only_passage_with_the_word_of_a_question_is_the_first(graph: Graph) -> None:
    """Nothing was extracted, so that the walk stays where it begins, and a layer of words has a single hit."""
    texts = [SourceDocument(code, passages=(f"Fault {code}: {text}",)) for code, text in FAULTS.items()]
    load_documents(graph, EMBEDDER, texts, LoadSettings())
    graph.embedder = EMBEDDER
    for code in FAULTS:
        found = Layers().retrieve(graph, f"error {code}").passages
        assert found[0].document == code
        assert {path[-1].layer for path in found[0].paths} >= {"words", "Window"}
