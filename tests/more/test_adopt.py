"""Graphs that are there already: adopted, worked with, and let go as they were."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import graphs_of_others as others
import pytest
from click.testing import CliRunner, Result
from conftest import TestServer, emptied
from endpoint import Body, Say, endpoint, material
from graph_dump import dump, query

from qcg_neo4j.cli.adopt import adopt as command
from qcg_neo4j.core.errors import GraphError, InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.connection import Call
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import create_schema, language_of
from qcg_neo4j.database.statements import statement
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.adopt import AdoptReport, AdoptSettings, adopt_chunks, find, undo_adoption
from qcg_neo4j.indexing.adopt.found import OWN
from qcg_neo4j.indexing.build import build_atoms, build_communities, build_queries, build_synonyms
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.generate import GenerateSettings, generate_queries
from qcg_neo4j.indexing.load import LoadSettings, delete_corpus, delete_documents, load_documents
from qcg_neo4j.indexing.report import ReportSettings, write_reports
from qcg_neo4j.interfaces.show.selections import sample_picture
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import ReplyStore
from qcg_neo4j.retrieval import METHODS, method


def by_packages() -> ModuleType:
    """The makers that take seconds to import, as only the worker with these tests needs them."""
    import graphs_by_packages

    return graphs_by_packages


Make = Callable[[Graph], Any]
HAND = ("A passage that somebody has written by hand.", "Another one, by hand as well, about the gym of Bob.")
MAKERS: dict[str, tuple[Make, bool]] = {  # with whether their vectors are by the small embedder
    "neo4j-graphrag": (lambda graph: by_packages().by_graphrag(graph), True),
    "LangChain": (lambda graph: by_packages().by_langchain(graph, graph.address.password), True),
    "llm-graph-builder": (others.by_builder, True),
    "unknown": (lambda graph: others.by_hand(graph, [*HAND, HAND[0]]), False),
}
WORKED = ("neo4j-graphrag", "unknown")  # by all stages: one on theirs, one beside
NEEDING_MORE = ("lp", "d2q", "d2q--")  # training, or queries by a model
QUESTION = "Who has the key of the gym?"


@pytest.fixture
def bare(graph: Graph) -> Iterator[Graph]:
    """A database that nobody has used, and that is so again afterwards."""
    yield bared(graph)
    bared(graph)


def bared(graph: Graph) -> Graph:
    emptied(graph)
    for kind, kinds in {"CONSTRAINT": "CONSTRAINTS", "INDEX": "INDEXES"}.items():
        for row in query(graph, f"SHOW {kinds} YIELD name, type WHERE type <> 'LOOKUP' RETURN name"):
            query(graph, f"DROP {kind} `{row['name']}`")
    return graph


def adopted(graph: Graph, load: LoadSettings | None = None, **settings: Any) -> AdoptReport:
    """Adopt the first of what is found."""
    create_schema(graph)
    graph.embedder = others.SMALL
    chosen = AdoptSettings(**settings)
    return adopt_chunks(graph, others.SMALL, find(graph, chosen)[0], chosen, load)


@pytest.fixture
def used(graph: Graph) -> Graph:
    """A database with something of our own: its schema stays from test to test, and no statement is planned again."""
    create_schema(graph)
    load_documents(graph, others.SMALL, [SourceDocument("mine", "Nobody sings.")])
    return graph


def reply(_: int, body: Body) -> Say:
    """A model that reads the same two people from each chunk, and all of its text as a fact."""
    knows = {"source": "Ann", "predicate": "knows", "target": "Bob", "strength": 5}
    atom = {"text": " ".join(material(body).split()), "entities": ["Ann"]}
    return Say(json.dumps({"entities": [{"name": "Ann"}, {"name": "Bob"}], "relations": [knows], "atoms": [atom]}))


def worked(graph: Graph, folder: Path) -> None:
    """All stages, with a scripted model where one is needed."""
    generate_queries(graph, others.SMALL, GenerateSettings(source="sentences"))
    with endpoint(reply) as fake, ReplyStore(folder / "replies.sqlite") as store:
        model = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0), store)
        extract_graph(graph, others.SMALL, ExtractSettings(gleaning_rounds=0), model)
        model.close()
    build_queries(graph)
    build_synonyms(graph)
    build_atoms(graph)
    build_communities(graph)
    write_reports(graph, others.SMALL, ReportSettings(source="extractive"))


def kept(before: list[str], after: list[str]) -> bool:
    """Whether all that was there still is, though more labels and properties may be on it."""
    now = {(row.get("id"), row.get("name")): row for row in map(json.loads, after)}
    for row in map(json.loads, before):
        found = now[row.get("id"), row.get("name")]
        assert set(row.get("labels") or ()) <= set(found.get("labels") or ())
        properties = row["properties"]
        if isinstance(properties, dict):
            assert properties == {name: found["properties"].get(name) for name in properties}
    return True


@pytest.mark.parametrize("maker", MAKERS)
def test_what_others_made_is_adopted_worked_with_and_left_as_it_was(bare: Graph, maker: str, tmp_path: Path) -> None:
    make, are_ours = MAKERS[maker]
    make(bare)
    before = others.whole(bare.driver)
    report = adopted(bare, their_vectors=are_ours)
    assert find(bare)[0].maker == maker
    assert report.chunks == report.in_place + report.beside > 0
    assert report.embedded == (0 if are_ours else report.chunks)
    names: tuple[str, ...] = ("vector", "fulltext")
    if maker in WORKED:
        worked(bare, tmp_path)
        names = tuple(name for name in METHODS if name not in NEEDING_MORE)
        assert not any(status(bare).missing.values())
        assert sample_picture(bare).dots
    for name in names:
        assert method(name).retrieve(bare, QUESTION).passages, name
    assert kept(before, others.whole(bare.driver))
    again = adopted(bare, their_vectors=are_ours)
    assert (again.chunks, again.unchanged) == (0, report.chunks)
    assert undo_adoption(bare).is_empty
    assert others.whole(bare.driver) == before


def test_names_that_are_free_are_used_on_theirs_and_taken_ones_are_not(bare: Graph) -> None:
    by_packages().by_graphrag(bare)
    assert adopted(bare, their_vectors=True).in_place == 6
    undo_adoption(bare)
    assert adopted(bare).beside == 6  # `embedding` is theirs, and new vectors are wanted
    undo_adoption(bare)
    assert adopted(bare, their_vectors=True, beside=True).beside == 6
    (row,) = query(
        bare, "MATCH (n:Chunk|Document) RETURN count(n.qcgAdded) AS added, count(n.id) AS ids, count(*) AS all"
    )
    assert row == {"added": 0, "ids": 0, "all": 8}
    (row,) = query(
        bare, "MATCH (n:QcgChunk)-[:ADOPTED_FROM]->(c:Chunk) WHERE n.text = c.text RETURN count(*) AS number"
    )
    assert row == {"number": 6}
    assert status(bare).foreign == {"Document": 2, "Chunk": 6}


def test_on_both_lines(each_graph: Graph) -> None:
    others.by_builder(each_graph)
    text = "MATCH (n) WHERE NOT n:Lock RETURN labels(n) AS labels, properties(n) AS properties ORDER BY elementId(n)"
    before = query(each_graph, text)
    assert adopted(each_graph, their_vectors=True).in_place == 4
    assert method("vector").retrieve(each_graph, QUESTION).passages[0].document == "gym.txt"
    assert undo_adoption(each_graph).chunks == 4
    assert query(each_graph, text) == before


@pytest.mark.parametrize("are_ours", [True, False])
def test_into_a_corpus_of_another_name(server: TestServer, bare: Graph, are_ours: bool) -> None:
    """The default corpus has something of its own, which stays as it is and is not found."""
    create_schema(bare)
    bare.embedder = others.SMALL
    load_documents(bare, others.SMALL, [SourceDocument("mine", "Nobody has the key of the gym.")])
    others.by_builder(bare)
    before = others.whole(bare.driver)
    with Graph.connect(server.uri, server.user, server.password, corpus="law", create=True) as law:
        report = adopted(law, their_vectors=are_ours)
        assert report.chunks == report.in_place + report.beside == 4
        generate_queries(law, others.SMALL, GenerateSettings(source="sentences"))
        for name in ("vector", "fulltext", "qcg"):
            found = method(name).retrieve(law, QUESTION).passages
            assert {passage.document for passage in found} <= {"gym.txt", "kitchen.txt"}, name
            assert found[0].document == "gym.txt"
        for name in ("vector", "fulltext"):
            (mine,) = method(name).retrieve(bare, QUESTION).passages
            assert mine.document == "mine"
        assert kept(before, others.whole(bare.driver))
        again = adopted(law, their_vectors=are_ours)
        assert (again.chunks, again.unchanged) == (0, 4)
        assert undo_adoption(law).chunks == 4
    assert others.whole(bare.driver) == before


def test_a_chunk_of_two_documents_is_one_passage_of_both(graph: Graph) -> None:
    others.by_builder(graph, {"a.txt": "The gym closes at ten. It rains.", "b.txt": "The gym closes at ten. It snows."})
    report = adopted(graph, their_vectors=True)
    assert (report.documents, report.chunks, report.in_place) == (2, 4, 3)
    (passage, *_) = method("vector").retrieve(graph, "When does the gym close?").passages
    assert {document.id for document in passage.documents} == {"a.txt", "b.txt"}
    delete_documents(graph, ["a.txt"])
    passages = method("vector").retrieve(graph, "When does the gym close?").passages
    assert {document.id for passage in passages for document in passage.documents} == {"b.txt"}
    assert query(graph, "MATCH (c:Chunk) RETURN count(c) AS number, count(c.embedding) AS vectors") == [
        {"number": 3, "vectors": 3}
    ]
    assert adopted(graph, their_vectors=True).chunks == 3  # until others delete it, too


def test_days_are_told_by_the_date_of_their_document(graph: Graph) -> None:
    others.by_builder(graph, {"a.txt": "The gym closed yesterday, so they told us. It rains on 3 May, and it snows."})
    query(graph, "MATCH (d:Document) SET d.publishedAt = '2026-04-10'")
    adopted(graph, their_vectors=True)
    kept = "MATCH (c:QcgChunk) RETURN c.dates AS dates ORDER BY c.index"
    assert [row["dates"] for row in query(graph, kept)] == [["2026-04-09", "2026-04-10"], ["2026-05-03", "2026-04-10"]]


def test_their_pipeline_has_run_again(used: Graph, tmp_path: Path) -> None:
    others.by_builder(used)
    adopted(used, their_vectors=True)
    worked(used, tmp_path)
    vector = others.SMALL.embed(["Bob has lost the key."])[0].tolist()
    changed = "MATCH (c:Chunk) WHERE c.text STARTS WITH 'Bob' SET c.text = $said, c.embedding = $vector"
    query(used, changed, said="Bob has lost the key.", vector=vector)
    query(used, "MATCH (c:Chunk) WHERE c.text STARTS WITH 'Carl' DETACH DELETE c")
    others.by_builder(used, {"new.txt": "Fred opens the window. It is cold."})
    report = adopted(used, their_vectors=True)
    assert (report.chunks, report.changed, report.unchanged) == (3, 1, 2)
    worked(used, tmp_path)
    after = dump(used)
    undo_adoption(used)
    adopted(used, their_vectors=True)
    worked(used, tmp_path)
    assert dump(used) == after


def test_a_text_whose_chunk_others_have_changed_or_removed_is_still_found(graph: Graph) -> None:
    texts = {"a.txt": "The gym closes at ten. It rains.", "b.txt": "The gym closes at ten. It snows."}
    sings, closes = others.SMALL.embed(["Fred sings.", "The gym closes at ten"]).tolist()
    changes = ("DETACH DELETE c", "SET c.text = 'Fred sings.', c.embedding = $vector", "REMOVE c.embedding, c.text")
    for n, change in enumerate(changes):
        emptied(graph)
        others.by_builder(graph, texts)
        again = "MATCH (c:Chunk {id: 'sha-It rains.'}) SET c.text = 'The gym closes at ten', c.embedding = $vector"
        query(graph, again, vector=closes)
        adopted(graph, their_vectors=True)
        query(graph, f"MATCH (c:Chunk {{id: 'sha-The gym closes at ten'}}) {change}", vector=sings)
        adopted(graph, their_vectors=True)
        (best, *_) = method("vector").retrieve(graph, "The gym closes at ten").passages
        assert (best.text, round(best.score, 3)) == ("The gym closes at ten", 1.0), n
        assert not status(graph).missing["chunks_without_embedding"]


class DeadError(Exception):
    """The process is gone."""


def test_interrupted_anywhere_it_goes_on(used: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    others.by_builder(used, {"a.txt": "One is here. Two is there.", "b.txt": "Three is here. One is here"})
    small = LoadSettings(chunks_per_transaction=1)
    write, left = Graph.write, [0]

    def mortal(graph: Graph, *calls: Call, **more: Any) -> Any:
        if not calls[0].path.startswith("lock/"):
            if left[0] == 0:
                raise DeadError
            left[0] -= 1
        return write(graph, *calls, **more)

    adopted(used, small, their_vectors=True)
    whole = dump(used)
    undo_adoption(used)
    monkeypatch.setattr(Graph, "write", mortal)
    for steps in range(4, 60, 3):
        left[0] = steps
        try:
            adopted(used, small, their_vectors=True)
        except DeadError:
            left[0] = -1
            adopted(used, small, their_vectors=True)
            assert dump(used) == whole, steps
            undo_adoption(used)
        else:
            break
    else:
        pytest.fail("It never came to its end.")


def test_vectors_that_are_not_the_models_are_refused_and_nothing_is_changed(used: Graph) -> None:
    others.by_builder(used)
    query(used, "MATCH (c:Chunk) SET c.other = [x IN c.embedding | -x], c.short = [1.0, 2.0]")
    before = dump(used)
    with pytest.raises(InputError, match=r"not by 'small': made again, those of 4 chunks have a cosine of -1\.00"):
        adopted(used, their_vectors=True, embedding_property="other")
    with pytest.raises(InputError, match="have 2 dimensions, but those of 'small' have 384"):
        adopted(used, their_vectors=True, embedding_property="short")
    assert dump(used) == before


def test_what_was_loaded_stays_and_what_is_adopted_is_not_loaded_over(graph: Graph) -> None:
    create_schema(graph)
    mine = SourceDocument("mine", passages=("The gym closes at ten", "Nobody sings."))
    load_documents(graph, others.SMALL, [mine])
    before = dump(graph)
    others.by_builder(graph, {"a.txt": "The gym closes at ten. It rains."})
    assert adopted(graph, their_vectors=True).in_place == 1  # the other text is there already
    report = load_documents(
        graph, others.SMALL, [SourceDocument("a.txt", "Something else.")], LoadSettings(replace=True)
    )
    assert (report.rejected, "adopted" in report.rejections[0].reason) == (1, True)
    assert not undo_adoption(graph).is_empty
    query(graph, "MATCH (n:Chunk|Document|__Entity__) WHERE NOT n:QcgChunk AND NOT n:QcgDocument DETACH DELETE n")
    assert dump(graph) == before


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_label": "Chunks"}, "no nodes with the label 'Chunks'.\nDid you mean 'Chunk'?"),
        ({"text_property": "texts", "chunk_label": "Chunk"}, "hold no text in 'texts'.\nDid you mean 'text'?"),
        ({"embedding_property": "vektor"}, "have no vectors in 'vektor'."),
        ({"document_relationship": "PARTOF"}, "have no relationships of type 'PARTOF'.\nDid you mean 'PART_OF'?"),
        ({"order_property": "positon"}, "have no property 'positon'.\nDid you mean 'position'?"),
        ({"chunk_label": "Document"}, "None of the properties of 'Document' looks like the text of a chunk."),
    ],
)
def test_what_is_not_there_is_said(graph: Graph, settings: dict[str, Any], message: str) -> None:
    others.by_builder(graph)
    with pytest.raises(InputError) as error:
        find(graph, AdoptSettings(**settings))
    assert message in str(error.value)


def run(server: TestServer, *words: str) -> Result:
    environment = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password or ""}
    return CliRunner().invoke(command, words, env=environment)


def test_the_command_shows_asks_adopts_and_lets_go(server: TestServer, graph: Graph) -> None:
    others.by_hand(graph, HAND)
    found = json.loads(run(server, "--json").stdout)["found"][0]
    assert (found["label"], found["text"], found["dimension"], found["document"]) == ("Passage", "content", 3, "Book")
    asked = run(server)
    assert isinstance(asked.exception, InputError)
    assert "--yes" in asked.exception.remedy
    assert "HAS_PASSAGE" in asked.stdout
    assert query(graph, "MATCH (n:QcgChunk) RETURN n") == []
    wrong = run(server, "--embedding", "all-MiniLM-L6-v2", "--yes")
    assert isinstance(wrong.exception, InputError)
    assert "3 dimensions" in wrong.exception.problem
    assert json.loads(run(server, "--yes", "--json").stdout)["beside"] == 2
    assert json.loads(run(server, "--undo", "--json").stdout) == {"documents": 1, "chunks": 2, "is_empty": True}
    others.by_builder(graph)
    assert status(graph).next_step.command == "qcg adopt"
    query(graph, "MATCH (n) DETACH DELETE n")
    assert isinstance(run(server).exception, InputError)


def test_another_model_is_refused(graph: Graph) -> None:
    load_documents(graph, others.SMALL, [SourceDocument("mine", "A text of mine.")])
    others.by_builder(graph)
    other = others.SMALL.__class__()
    other.name = "another"
    with pytest.raises(GraphError, match="another"):
        adopt_chunks(graph, other, find(graph)[0])


def test_deleting_a_corpus_leaves_theirs_alone_and_no_stage(bare: Graph) -> None:
    others.by_builder(bare)
    before = others.whole(bare.driver)
    adopted(bare, their_vectors=True)
    delete_corpus(bare)
    assert query(bare, "MATCH (stage:QcgStage) RETURN stage.name AS name") == []
    assert others.whole(bare.driver) == before


def test_the_language_of_theirs_is_the_corpus_s_or_the_one_given(bare: Graph) -> None:
    german = "Jeder hat Anspruch auf Urlaub. Wer krank ist, ruft vor sechs Uhr morgens den Schichtleiter an."
    others.by_builder(bare, {"urlaub.txt": german})
    adopted(bare)
    assert language_of(bare) == "de"
    adopted(bare, LoadSettings(language="nl"))
    assert language_of(bare) == "nl"


def test_letting_go_removes_what_the_stages_write_and_nothing_else() -> None:
    removed = set(re.findall(r"chunk\.(\w+)(?:,|\n)", statement("adopt/release_chunks").text.partition("REMOVE")[2]))
    assert removed == set(OWN) - {"headings", "page", "lastPage"} | {"qcgAdded"}  # those three only a load writes
