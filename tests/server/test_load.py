"""The stage load on a real server: what enters, what stays, what goes, and what an interruption leaves."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import TestServer, emptied
from graph_dump import dump, query
from load_process import SETTINGS
from own_documents import write_all
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import GraphError, InputError, ModelMismatchError, SettingsError
from qcg_neo4j.core.records import Rejected, SourceDocument
from qcg_neo4j.database import stages
from qcg_neo4j.database.embedder import open_embedder_of
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.indexing.load import (
    Chunker,
    LoadReport,
    LoadSettings,
    delete_documents,
    load_documents,
    read_documents,
    stage,
    transactions,
)
from qcg_neo4j.indexing.load.dates import dated
from qcg_neo4j.indexing.load.languages import Languages
from qcg_neo4j.indexing.load.transactions import Part
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings, UnembeddableError, Vectors
from qcg_neo4j.retrieval import method

SMALL = SmallEmbedder(20)
TRUNCATING = LoadSettings(long_text="truncate", chunks_per_transaction=20, window_overlap_tokens=3)
HOSTILE = "x'}) DETACH DELETE n // \" ` $id {\\u0000} \\ \n MATCH (n) REMOVE n.id; 🎉 ñ \u202e"


def prose(seed: int, sentences: int) -> str:
    chance = random.Random(seed)  # noqa: S311 - no secret
    words = ("tea", "café", "lunch", "Wolfgang", "visits", "東京", "🎉", "house", "rent", "plan", "gym", "music")
    return " ".join(" ".join(chance.choices(words, k=9)).capitalize() + "." for _ in range(sentences))


def documents(number: int, sentences: int = 12) -> list[SourceDocument]:
    return [SourceDocument(f"d{seed}", prose(seed, sentences), title=f"T{seed}") for seed in range(number)]


def count(graph: Graph, pattern: str) -> int:
    return int(query(graph, f"MATCH {pattern} RETURN count(*) AS n")[0]["n"])


def revisions(graph: Graph) -> dict[str, int]:
    return {name: stage.revision for name, stage in stages.recorded(graph).items()}


def test_what_is_written(graph: Graph) -> None:
    text = prose(1, 12)
    document = SourceDocument("d", text, (), "T", "S", "2026-01-05", {"n": 1, "tags": ["a", "b"]})
    report = load_documents(graph, SMALL, [document], SETTINGS)
    (node,) = query(graph, "MATCH (d:Document) RETURN properties(d) AS d")
    assert len(node["d"].pop("contentHash")) == 32
    assert node["d"].pop("displayName") == node["d"]["title"]
    assert node["d"] == {
        "id": "d",
        "title": "T",
        "source": "S",
        "publishedAt": "2026-01-05",
        "n": 1,
        "tags": ["a", "b"],
    }
    chunks = query(graph, "MATCH (c:Chunk)-[:FROM_DOCUMENT]->(:Document {id: 'd'}) RETURN c ORDER BY c.index")
    assert [row["c"]["index"] for row in chunks] == list(range(report.chunks))
    assert all(row["c"]["text"] in text and row["c"]["tokenCount"] <= 60 for row in chunks)
    order = query(graph, "MATCH p = (:Chunk {index: 0})-[:NEXT_CHUNK*]->(c) RETURN c.index AS i ORDER BY length(p)")
    assert [row["i"] for row in order] == list(range(1, report.chunks))
    assert count(graph, "()-[:NEXT_CHUNK]->()") == report.chunks - 1
    assert (report.added, report.windows) == (1, count(graph, "(:Window)"))
    assert stages.recorded(graph)["load"].finished_at is not None


def test_windows_and_their_mean(graph: Graph) -> None:
    load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12))], SETTINGS)
    rows = query(
        graph,
        "MATCH (w:Window)-[:FROM_CHUNK]->(c:Chunk) WITH c, w ORDER BY w.index "
        "RETURN c.text AS text, c.embedding AS mean, collect(w.embedding) AS vectors, "
        "collect(substring(c.text, w.start, w.end - w.start)) AS parts",
    )
    assert any("🎉" in row["parts"][0] for row in rows)  # characters outside the basic plane count as one
    for row in rows:
        np.testing.assert_allclose(SMALL.embed(row["parts"]), row["vectors"], atol=1e-6)
        mean = np.mean(row["vectors"], axis=0)
        np.testing.assert_allclose(mean / np.linalg.norm(mean), row["mean"], atol=1e-6)
        assert len(row["parts"]) > 1


@pytest.mark.parametrize("long_text", ["mean", "truncate"])
def test_a_changed_setting_is_applied_to_what_is_there(graph: Graph, long_text: str) -> None:
    load_documents(graph, SMALL, documents(3), SETTINGS)
    before = count(graph, "(:Chunk)")
    other = LoadSettings(chunk_tokens=60, overlap_tokens=5, window_overlap_tokens=3, long_text=long_text)
    report = load_documents(graph, SMALL, documents(3), other)
    assert (report.changed, count(graph, "(:Window)"), count(graph, "(:Chunk)")) == (3, 0, before)
    rows = query(graph, "MATCH (c:Chunk) RETURN c.text AS text, c.embedding AS vector")
    if long_text == "truncate":
        np.testing.assert_allclose(
            SMALL.embed([row["text"] for row in rows]), [row["vector"] for row in rows], atol=1e-6
        )
    again = load_documents(graph, SMALL, documents(3), SETTINGS)
    assert (again.changed, again.windows > 0) == (3, True)
    smaller = load_documents(
        graph, SMALL, documents(3), LoadSettings(chunk_tokens=30, overlap_tokens=0, window_overlap_tokens=3)
    )
    assert smaller.removed_chunks > 0
    assert count(graph, "(c:Chunk WHERE c.tokenCount > 30)") == 0


def test_loading_again_changes_nothing(graph: Graph) -> None:
    load_documents(graph, SMALL, documents(20), SETTINGS)
    before, revision = dump(graph), revisions(graph)
    report = load_documents(graph, SMALL, documents(20), SETTINGS)
    assert (report.unchanged, report.added, report.chunks) == (20, 0, 0)
    assert (dump(graph), revisions(graph)) == (before, revision)


def loaded(graph: Graph, folder: Path, prefix: str | None = None, *, replace: bool = False) -> LoadReport:
    settings = LoadSettings(id_prefix=prefix, replace=replace, window_overlap_tokens=3)
    return load_documents(graph, SMALL, read_documents([folder], id_prefix=prefix), settings)


def test_the_same_path_below_two_folders_is_two_documents(graph: Graph, tmp_path: Path) -> None:
    for name in ("pa", "pb"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "readme.md").write_text(f"All about {name}.")
        assert loaded(graph, tmp_path / name).added == 1
    held = query(graph, "MATCH (c:Chunk)-->(d:Document) RETURN d.source AS source, c.text AS text ORDER BY source")
    assert [row["text"] for row in held] == ["All about pa.", "All about pb."]
    assert all(Path(row["source"]).is_file() for row in held)
    assert loaded(graph, tmp_path / "pa").unchanged == 1


def test_a_document_from_another_source_is_replaced_on_request_alone(graph: Graph, tmp_path: Path) -> None:
    first, moved = tmp_path / "first", tmp_path / "moved"
    first.mkdir()
    (first / "readme.md").write_text("All about it.")
    assert loaded(graph, first, "it/").added == 1
    first.rename(moved)
    before = dump(graph)
    (rejected,) = (refused := loaded(graph, moved, "it/")).rejections
    assert (refused.rejected, refused.changed, dump(graph)) == (1, 0, before)
    for said in ("'it/readme.md'", str(first / "readme.md"), str(moved / "readme.md"), "--replace", "--id-prefix"):
        assert said in str(rejected)
    report = loaded(graph, moved, "it/", replace=True)
    assert (report.changed, report.chunks) == (1, 0)  # nothing is embedded again
    assert loaded(graph, moved, "it/").unchanged == 1


def test_documents_without_a_source_are_replaced_by_their_id(graph: Graph) -> None:
    for source in (None, "S", None):
        report = load_documents(graph, SMALL, [SourceDocument("d", f"From {source}.", source=source)], SETTINGS)
        assert (report.added + report.changed, report.rejected) == (1, 0)


def test_lines_of_another_file_are_replaced_on_request_alone(graph: Graph, tmp_path: Path) -> None:
    first, other = tmp_path / "first.jsonl", tmp_path / "other.jsonl"
    for file in (first, other):
        file.write_text(json.dumps({"id": "1", "text": f"From {file.stem}."}))
    assert loaded(graph, first).added == 1
    (rejected,) = loaded(graph, other).rejections
    assert str(rejected).startswith(f"{other}: its id '1' is that of a document from {first}; `--replace`")
    first.write_text(json.dumps({"id": "1", "text": "Another now."}))
    assert loaded(graph, first).changed == 1
    assert loaded(graph, other, replace=True).changed == 1


def test_new_metadata_replaces_the_old_and_makes_nothing_stale(graph: Graph) -> None:
    load_documents(graph, SMALL, [SourceDocument("d", "Some text.", metadata={"old": 1, "n": 1})], SETTINGS)
    revision = revisions(graph)
    report = load_documents(graph, SMALL, [SourceDocument("d", "Some text.", metadata={"n": 2})], SETTINGS)
    (node,) = query(graph, "MATCH (d:Document) RETURN properties(d) AS d")
    assert (report.changed, report.chunks, node["d"]["n"], "old" in node["d"]) == (1, 0, 2, False)
    assert revisions(graph) == revision


@pytest.mark.parametrize("at_once", [100, 1])
def test_a_title_alone_makes_later_stages_stale(graph: Graph, at_once: int) -> None:
    settings = replace(SETTINGS, chunks_per_transaction=at_once)
    load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12), title="Old")], settings)
    stages.finish(graph, "extract", settings, stages.basis(stages.recorded(graph), "extract"), {})
    assert stages.staleness(stages.recorded(graph), "extract") is None
    for expected_changes in (1, 0):
        revision = revisions(graph)
        report = load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12), title="New")], settings)
        assert (report.changed, report.chunks) == (expected_changes, 0)
        assert revisions(graph)["load"] - revision["load"] == expected_changes
    assert stages.staleness(stages.recorded(graph), "extract") == "stale: load changed since"


def test_a_title_that_an_interrupted_load_wrote_makes_them_stale_too(
    graph: Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = replace(SETTINGS, chunks_per_transaction=1)
    load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12), title="Old")], settings)
    before = revisions(graph)["load"]
    write = Part.write

    def only_titles(self: Part, graph: Graph) -> None:
        if not self.documents:
            raise GraphError("The disk is full.")
        write(self, graph)

    monkeypatch.setattr(Part, "write", only_titles)
    with pytest.raises(GraphError, match="The disk is full"):
        load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12), title="New")], settings)
    monkeypatch.undo()
    load_documents(graph, SMALL, [SourceDocument("d", prose(1, 12), title="New")], settings)
    assert revisions(graph)["load"] > before


def test_a_vector_alone_makes_later_stages_stale(graph: Graph) -> None:
    document, short = SourceDocument("d", "word " * 30), replace(SETTINGS, window_overlap_tokens=4)
    windows = load_documents(graph, SMALL, [document], SETTINGS).windows
    revision = revisions(graph)
    assert load_documents(graph, SMALL, [document], short).windows == windows == count(graph, "(:Window)")
    assert revisions(graph)["load"] == revision["load"] + 1


def derive(graph: Graph) -> None:
    """What later stages would make: some from one chunk alone, some from chunks of two documents."""
    query(
        graph,
        """
        MATCH (c:Chunk) CREATE (:QcgQuery:Query {id: 'q' + c.id})-[:FROM_CHUNK]->(c)
        CREATE (a:QcgAtom:Atom {id: 'a' + c.id})-[:FROM_CHUNK]->(c)
        CREATE (:QcgSyntheticQuery:SyntheticQuery {id: 's' + c.id})-[:ANSWERED_BY]->(a)
        CREATE (e:QcgEntity:Entity {id: 'e' + c.id})-[:FROM_CHUNK]->(c)
        CREATE (k:QcgClaim:Claim {id: 'k' + c.id})-[:FROM_CHUNK]->(c)
        CREATE (k)-[:ABOUT]->(e)
        MERGE (all:QcgEntity:Entity {id: 'shared'}) MERGE (all)-[:FROM_CHUNK]->(c)
        MERGE (both:QcgEntity:Entity {id: 'shared 2'}) MERGE (both)-[:FROM_CHUNK]->(c)
        CREATE (all)-[:RELATED_TO {id: 'r' + c.id, chunkId: c.id}]->(both)
        CREATE (e)-[:RELATED_TO {id: 'x' + c.id, chunkId: c.id}]->(all)
        """,
    )
    query(graph, "MATCH (q:Query), (p:Query) WHERE q.id < p.id CREATE (q)-[:SIMILAR_TO]->(p)")
    query(
        graph,
        "CREATE (s:QcgSyntheticQuery:SyntheticQuery {id: 'shared'}) WITH s MATCH (a:Atom) "
        "CREATE (s)-[:ANSWERED_BY]->(a)",
    )


LABELS = ("Chunk", "Query", "Atom", "SyntheticQuery", "Claim", "Entity")


def numbers(graph: Graph) -> dict[str, int]:
    found = {label: count(graph, f"(:{label})") for label in LABELS}
    return {**found, "RELATED_TO": count(graph, "()-[:RELATED_TO]->()")}


def expected(chunks: int) -> dict[str, int]:
    shared = {"SyntheticQuery": 1, "Entity": 2}
    return {**{label: chunks + shared.get(label, 0) for label in LABELS}, "RELATED_TO": 2 * chunks}


def test_a_changed_document_takes_along_what_came_from_it_alone(graph: Graph) -> None:
    first, second = documents(2)
    load_documents(graph, SMALL, [first, second], SETTINGS)
    derive(graph)
    before, revision = numbers(graph), revisions(graph)
    assert before == expected(before["Chunk"])
    appended = SourceDocument("d0", first.text + " " + prose(99, 8), title="T0")
    kept = {row["id"] for row in query(graph, "MATCH (c:Chunk) RETURN c.id AS id")}
    report = load_documents(graph, SMALL, [appended, second], SETTINGS)
    assert (report.changed, report.unchanged) == (1, 1)
    assert 0 < report.removed_chunks < 3
    staying = len(kept) - report.removed_chunks
    after = numbers(graph)
    assert {**after, "Chunk": staying} == expected(staying)
    assert after["Chunk"] == staying + report.chunks
    assert {name: revisions(graph)[name] - revision[name] for name in ("load", "generate")} == {
        "load": 1,
        "generate": 1,
    }
    fresh_order = query(graph, "MATCH (c:Chunk)-[:NEXT_CHUNK]->(d) RETURN d.index - c.index AS step")
    assert {row["step"] for row in fresh_order} == {1}
    delete_documents(graph, ["d0", "d1"])
    assert set(numbers(graph).values()) == {0}


def test_a_changed_document_equals_a_new_one(graph: Graph) -> None:
    first, second, other = documents(3, 40)
    changed = SourceDocument("d0", other.text[:700] + first.text[300:], title="new")
    load_documents(graph, SMALL, [changed, second], SETTINGS)
    fresh = dump(graph)
    query(graph, "MATCH (n) DETACH DELETE n")
    load_documents(graph, SMALL, [first, second], SETTINGS)
    load_documents(graph, SMALL, [changed, second], SETTINGS)
    assert dump(graph) == fresh


def test_deleting(graph: Graph) -> None:
    load_documents(graph, SMALL, documents(1), SETTINGS)
    alone = dump(graph)
    load_documents(
        graph, SMALL, documents(4, 80), LoadSettings(chunk_tokens=16, overlap_tokens=0, window_overlap_tokens=3)
    )
    load_documents(graph, SMALL, documents(1), SETTINGS)
    with pytest.raises(InputError, match=r"no document 'D1x'; nothing was deleted\.\nDid you mean 'd1'"):
        delete_documents(graph, ["d2", "D1x"])
    assert count(graph, "(:Document)") == 4
    report = delete_documents(graph, ["d1", "d2", "d3", "gone", "d1"], ignore_missing=True)
    assert (report.documents, report.missing) == (3, ("gone",))
    assert dump(graph) == alone


@pytest.mark.rest
def test_hostile_texts_are_only_texts(graph: Graph) -> None:
    document = SourceDocument(HOSTILE, HOSTILE, (), HOSTILE, HOSTILE, HOSTILE, {HOSTILE: HOSTILE, "`]->(n)": [HOSTILE]})
    passages = SourceDocument(HOSTILE + "2", passages=(HOSTILE, HOSTILE))
    for expected_changes in (2, 0):
        report = load_documents(graph, SMALL, [document, passages], SETTINGS)
        assert report.added == expected_changes
    (node,) = query(graph, "MATCH (d:Document) WHERE d.title IS NOT NULL RETURN properties(d) AS d")
    assert [node["d"][name] for name in ("id", "title", "source", "publishedAt", HOSTILE)] == [HOSTILE] * 5
    assert node["d"]["`]->(n)"] == [HOSTILE]
    texts = query(graph, "MATCH (c:Chunk) RETURN c.text AS text")
    assert [row["text"] for row in texts] == [HOSTILE] * 3  # a short document of one chunk, and two passages
    with pytest.raises(InputError):
        delete_documents(graph, ["') RETURN 1 //"])
    assert delete_documents(graph, [HOSTILE, HOSTILE + "2"]).documents == 2
    assert count(graph, "(:Chunk)") == 0


def test_rejected_input_is_counted_or_stops(graph: Graph) -> None:
    bad = Rejected("f.jsonl", 2, "'text' is empty")
    items: list[SourceDocument | Rejected] = [*documents(1), bad, SourceDocument("later", "Text.")]
    with pytest.raises(InputError, match=r"f\.jsonl:2: 'text' is empty"):
        load_documents(graph, SMALL, items, LoadSettings(strict=True, window_overlap_tokens=3))
    assert count(graph, "(:Document {id: 'later'})") == 0
    assert stages.recorded(graph)["load"].finished_at is None
    report = load_documents(graph, SMALL, items, SETTINGS)
    assert (report.added, report.rejected, report.rejections) == (2, 1, (bad,))


def test_another_model_is_refused(graph: Graph) -> None:
    load_documents(graph, SMALL, documents(1), SETTINGS)
    other = SmallEmbedder(20)
    other.name = "other"
    with pytest.raises(ModelMismatchError, match=r"'small'.*'other'"):
        load_documents(graph, other, documents(2), SETTINGS)
    assert count(graph, "(:Document)") == 1


def test_the_windows_must_be_longer_than_their_overlap(graph: Graph) -> None:
    with pytest.raises(SettingsError, match="reads only 20 tokens"):
        load_documents(graph, SMALL, documents(1), LoadSettings(window_overlap_tokens=20))
    assert count(graph, "(:Document)") == 0


# Interruptions and size


@pytest.fixture
def long_file(tmp_path: Path) -> Path:
    file = tmp_path / "many.jsonl"
    records = [{"id": d.id, "text": d.text} for d in [*documents(25), SourceDocument("huge", prose(77, 150))]]
    file.write_text("".join(json.dumps(record) + "\n" for record in [*records[::-1], {"id": "z", "text": "End."}]))
    return file


def run_and_kill(home: Path, file: Path, steps: int, delay: float) -> int | None:
    """Start a load, kill it some time after ``steps`` steps; its exit code if it came to its end before."""
    command = [sys.executable, str(Path(__file__).parents[1] / "materials/load_process.py"), str(home), str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for _ in range(steps + 1):
            process.stdout.readline()
        time.sleep(delay)
        process.kill()
        process.stdout.read()
    return process.returncode


def test_transactions_side_by_side_write_what_single_ones_write(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the same texts in several documents, and the same document twice."""
    given = [SourceDocument(f"d{number % 37}", prose(number % 11, 3)) for number in range(40)]
    settings = replace(TRUNCATING, chunks_per_transaction=2)
    at_once: list[int] = []
    write = transactions.SideBySide.write

    def counting(self: transactions.SideBySide, part: Part) -> None:
        write(self, part)
        at_once.append(len(self._under_way))

    monkeypatch.setattr(transactions.SideBySide, "write", counting)
    report = load_documents(graph, SMALL, given, settings)
    together = dump(graph)
    assert max(at_once) == transactions.AT_ONCE
    monkeypatch.setattr(transactions, "AT_ONCE", 1)
    alone = load_documents(emptied(graph), SMALL, given, settings)
    assert (dump(graph), alone.added, alone.chunks) == (together, report.added, report.chunks)
    assert count(graph, "(:Chunk)-[:SAME_TEXT_AS]->(:Chunk)") > 20


def test_a_transaction_that_fails_ends_the_load(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Part.write

    def failing(self: Part, graph: Graph) -> None:
        if self.documents[0]["id"] == "d3":
            raise GraphError("The disk is full.")
        write(self, graph)

    monkeypatch.setattr(Part, "write", failing)
    settings = replace(TRUNCATING, chunks_per_transaction=1)
    with pytest.raises(GraphError, match="The disk is full"):
        load_documents(graph, SMALL, documents(30, 2), settings)
    assert 3 <= count(graph, "(:Document)") < 29
    monkeypatch.undo()
    load_documents(graph, SMALL, documents(30, 2), settings)
    assert count(graph, "(d:Document WHERE d.contentHash IS NOT NULL)") == 30


@pytest.mark.rest
def test_killed_loads_end_in_the_same_graph(graph: Graph, server: TestServer, long_file: Path) -> None:
    chance = random.Random(3)  # noqa: S311 - no secret
    killed, sizes = 0, []
    for _ in range(4):
        killed += run_and_kill(server.home, long_file, chance.randrange(12), chance.random() * 0.3) == -9
        sizes.append(count(graph, "(:Chunk)"))
        whole = query(graph, "MATCH (d:Document) WHERE d.contentHash IS NOT NULL RETURN d.id AS id")
        for row in whole:  # what counts as complete is complete
            pieces = "MATCH (c:Chunk)-[:FROM_DOCUMENT]->({id: $id}) RETURN max(c.index) + 1 - count(c) AS gap"
            assert query(graph, pieces, id=row["id"])[0]["gap"] == 0
    assert killed >= 3
    assert sizes[0] < sizes[-1]
    load_documents(graph, SmallEmbedder(20), read_documents([long_file]), SETTINGS)
    resumed = dump(graph)
    query(graph, "MATCH (n) DETACH DELETE n")
    load_documents(graph, SmallEmbedder(20), read_documents([long_file]), SETTINGS)
    assert dump(graph) == resumed


@pytest.mark.rest
def test_a_killed_load_of_one_long_file_embeds_nothing_twice(graph: Graph, server: TestServer, tmp_path: Path) -> None:
    file = tmp_path / "long.txt"
    file.write_text(prose(5, 400), encoding="utf-8")
    command = [
        sys.executable,
        str(Path(__file__).parents[1] / "materials/load_process.py"),
        str(server.home),
        str(file),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        steps = [process.stdout.readline().strip() for _ in range(8)]
        process.kill()
        process.stdout.read()
    assert process.returncode == -9
    whole = int(steps[-1].split(" of ")[1])
    assert [int(step.split(" of ")[0]) for step in steps if " of " in step][:3] == [0, 4, 8]  # chunks, as they come
    held = {row["text"] for row in query(graph, "MATCH (c:QcgChunk) RETURN c.text AS text")}
    assert 8 <= len(held) < whole
    embedder, seen = SmallEmbedder(20), []
    documents = read_documents([file])
    report = load_documents(graph, embedder, documents, SETTINGS, within=lambda done, total: seen.append((done, total)))
    assert report.chunks == whole - len(held)
    assert seen[0] == (len(held), whole)
    assert seen[-1] == (whole, whole)
    assert not [text for text in embedder.texts if any(text in chunk for chunk in held)]
    assert load_documents(graph, embedder, read_documents([file]), SETTINGS).unchanged == 1


@pytest.mark.slow
@pytest.mark.rest
def test_cutting_a_long_text_takes_little_memory() -> None:
    text = prose(9, 10_000)
    chunker = Chunker(SMALL.tokenizer, 60, 5)
    assert peak_megabytes(lambda: chunker.chunks(SourceDocument("d", text))) < 20 * len(text) / 1e6


# Where in its document a chunk stands


def test_chunks_know_their_headings_and_pages(graph: Graph, tmp_path: Path) -> None:
    write_all(tmp_path)
    files = [tmp_path / name for name in ("handbook.docx", "report.pdf", "deck.pptx")]
    settings = LoadSettings(chunk_tokens=60, overlap_tokens=5, section_tokens=20, window_overlap_tokens=3)
    load_documents(graph, SMALL, read_documents(files, id_prefix=""), settings)
    rows = query(graph, "MATCH (c:QcgChunk)-[:FROM_DOCUMENT]->(d) RETURN d.id AS d, c ORDER BY d.id, c.index")
    places = [(row["d"], row["c"].get("headings"), row["c"].get("page"), row["c"].get("lastPage")) for row in rows]
    assert ("handbook.docx", ["Leave", "Annual leave"], None, None) in places
    assert ("report.pdf", None, 1, 3) in places
    assert ("deck.pptx", ["Delivery by bicycle"], 2, 2) in places
    assert ("deck.pptx", ["Speaker's notes"], None, None) in places
    words = (
        "CALL db.index.fulltext.queryNodes('qcg_chunk_words', 'words:(annual)') YIELD node RETURN node.headings AS h"
    )
    assert ["Leave", "Annual leave"] in [row["h"] for row in query(graph, words)]
    vector = SMALL.embed(["inspector kitchen"])[0]
    for name in ("fulltext", "vector", "layers", "hybrid"):
        passages = method(name, {"passages": 20}).retrieve(graph, "Which inspector saw the kitchen?", vector).passages
        found = {passage.document: passage.place for passage in passages if passage.document == "report.pdf"}
        assert found == {"report.pdf": "pages 1–3"}, name


def test_a_changed_heading_is_written_and_nothing_embedded(graph: Graph) -> None:
    long = "".join(f"Sentence number {number} of the section is here.\n\n" for number in range(30))
    before, after = (SourceDocument("d", f"# {name}\n\n{long}", markdown=True) for name in ("Cats", "Dogs"))
    load_documents(graph, SMALL, [before], SETTINGS)
    embedder = SmallEmbedder(20)
    load_documents(graph, embedder, [after], SETTINGS)
    assert not [text for text in embedder.texts if "number 29" in text]
    (row,) = query(graph, "MATCH (c:QcgChunk) RETURN collect(DISTINCT c.headings) AS h, "
                          "count(CASE WHEN c.words CONTAINS 'cats' THEN 1 END) AS old")  # fmt: skip
    assert row == {"h": [["Dogs"]], "old": 0}


def test_a_language_that_the_model_was_not_made_for_is_said(graph: Graph) -> None:
    german = (
        "Jeder hat Anspruch auf achtundzwanzig Tage Jahresurlaub, die bis Ende März genommen werden sollen. "
        "Wer krank ist, ruft vor sechs Uhr morgens den Schichtleiter an."
    )
    english = "Everybody has 28 days of annual leave, to be taken by the end of March. Whoever is ill calls at six."
    assert not load_documents(graph, SMALL, [SourceDocument("e", english)], SETTINGS).notes
    report = load_documents(graph, SMALL, [SourceDocument("g", german), SourceDocument("f", english)], SETTINGS)
    assert "1 of 2 documents looked at are not in English (most: 'de')" in report.notes[0]
    assert "--embedding" in report.notes[0]


def peak_megabytes(work: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()


@pytest.mark.rest
def test_reading_takes_no_more_memory_for_a_longer_file(tmp_path: Path) -> None:
    file = tmp_path / "long.jsonl"
    with file.open("w", encoding="utf-8") as stream:
        for number in range(300):
            stream.write(json.dumps({"id": number, "text": "word" * 25_000}) + "\n")
    assert file.stat().st_size > 30e6
    assert peak_megabytes(lambda: sum(1 for _ in read_documents([file]))) < 5


@pytest.mark.rest
def test_loading_takes_no_more_memory_for_more_documents(graph: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stage, "CHARACTERS_AT_ONCE", 1_000_000)

    def stream(name: str, number: int) -> Iterator[SourceDocument]:
        for seed in range(number):
            yield SourceDocument(f"{name}{seed}", f"Number {seed}." + " " * 100_000)  # long, and quickly cut

    load_documents(graph, SMALL, stream("warm", 5), TRUNCATING)  # what is kept for good is there now
    few, many = (
        peak_megabytes(partial(load_documents, graph, SMALL, stream(name, number), TRUNCATING))
        for name, number in [("few", 20), ("many", 160)]
    )
    assert many < 1.5 * few


# The command


def test_the_command_loads_and_deletes(graph: Graph, server: TestServer, tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"id": "a", "text": "Li Hua met Wolfgang for lunch."}\n{"id": 1}\n')

    def run(*arguments: str) -> Any:
        return CliRunner(env={"QCG_HOME": str(server.home)}).invoke(qcg, arguments)

    done = run("load", str(tmp_path / "in.jsonl"), "--json")
    assert done.exit_code == 0, done.output
    report = json.loads(done.stdout)
    assert (report["added"], report["rejected"], report["rejections"][0]["line"]) == (1, 1, 2)
    (row,) = query(graph, "MATCH (c:Chunk) RETURN c.text AS text, c.embedding AS vector")
    minilm = open_embedder_of(graph, EmbeddingSettings())
    np.testing.assert_allclose(minilm.embed([row["text"]])[0], row["vector"], atol=1e-5)
    (tmp_path / "bad.jsonl").write_text("{}\n")
    nothing = run("load", str(tmp_path / "bad.jsonl"))
    assert isinstance(nothing.exception, InputError)
    assert "Nothing was loaded: all that was given was left out." in str(nothing.exception)
    shown = run("load", str(tmp_path / "in.jsonl"))
    assert "in.jsonl:2: the field 'text' is missing" in shown.stderr
    strict = run("load", str(tmp_path / "in.jsonl"), "--strict")
    assert isinstance(strict.exception, InputError)
    assert strict.exception.exit_code == 2
    assert json.loads(run("delete", "a", "--json").stdout)["documents"] == 1
    assert isinstance(run("delete", "a").exception, InputError)


DATES = [
    ("2025-03-01", "2025-03-01", None),
    ("2025", "2025", None),
    ("01.03.2025", "2025-03-01", None),
    ("1. März 2025", "2025-03-01", None),
    ("1 марта 2025 г.", "2025-03-01", None),
    ("2025年3月1日", "2025-03-01", None),
    ("March 1, 2025", "2025-03-01", None),
    ("2025/03/01", "2025-03-01", None),
    ("20250301_10:00", "2025-03-01T10:00", None),
    ("Sat, 01 Mar 2025 10:00:00 +0000", "2025-03-01T10:00+00:00", None),
    ("03/04/2025", "2025-03-04", "is read as 2025-03-04"),
    ("in spring", "in spring", "is not a valid date"),
    ("20251301", "20251301", "is not a valid date"),
]


@pytest.mark.parametrize(("given", "held", "note"), DATES)
def test_dates_are_read_or_noted(given: str, held: str, note: str | None) -> None:
    found = dated(SourceDocument("a", "Text.", published_at=given))
    assert found.published_at == held
    assert [str(note) in told for told in found.notes] == ([True] if note else [])


@pytest.mark.parametrize("text", ["市立图书馆每周二上午九点开门。", "城东游泳池从六月开放到九月，儿童票价三元。"])
def test_short_texts_tell_their_language_together(text: str) -> None:
    languages = Languages(SmallEmbedder())
    for _ in range(8):
        languages.see(text)
    assert "are not in English (most: 'zh')" in languages.warnings()[0]


class Refusing(SmallEmbedder):
    """An endpoint's model that has no vector for a text about a mill."""

    def embed(self, texts: Sequence[str]) -> Vectors:
        vectors = super().embed(texts)
        reasons = {place: "unsupported value: NaN" for place, text in enumerate(texts) if "mill" in text}
        if reasons:
            raise UnembeddableError("The endpoint", texts, vectors, reasons)
        return vectors


def test_a_text_that_cannot_be_embedded_is_left_out_and_named(graph: Graph) -> None:
    texts = [f"Sentence {number} is about the {'mill' if number == 7 else 'bakery'}." for number in range(10)]
    documents = [SourceDocument(f"e{number}", text) for number, text in enumerate(texts)]
    report = load_documents(graph, Refusing(), documents)
    assert (report.added, report.rejected, report.chunks) == (9, 1, 9)
    assert [str(rejected) for rejected in report.rejections] == ["e7: it cannot be embedded: unsupported value: NaN"]
    again = load_documents(graph, Refusing(), documents)
    assert (again.added, again.unchanged, again.rejected) == (0, 9, 1)


def test_a_long_document_with_such_a_text_is_completed_later(graph: Graph) -> None:
    passages = [f"Sentence {number} is about the {'mill' if number in (1, 4) else 'bakery'}." for number in range(6)]
    settings, documents = LoadSettings(chunks_per_transaction=2), [SourceDocument("long", passages=tuple(passages))]
    report = load_documents(graph, Refusing(), documents, settings)
    assert (report.added, report.rejected, report.chunks) == (0, 1, 4)
    assert graph.rows("inspect/coverage")[0]["unfinished_documents"] == 1
    again = load_documents(graph, SmallEmbedder(), documents, settings)
    assert (again.changed, again.rejected, again.chunks) == (1, 0, 2)
