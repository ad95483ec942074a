"""Reports: windows against their twin, citations, what a scripted model writes, resuming, and without any model."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import reference_graphrag as twin
from conftest import SAMPLE
from endpoint import Body, Fail, FakeEndpoint, Manner, Say, Script, endpoint, material
from small_embedder import SmallEmbedder

from qcg_neo4j.core.errors import GraphError, InputError, LanguageModelError
from qcg_neo4j.database import stages
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.status import status
from qcg_neo4j.indexing.build import CommunitySettings, build_communities
from qcg_neo4j.indexing.extract import ExtractSettings, extract_graph
from qcg_neo4j.indexing.load import LoadSettings, load_documents, read_documents
from qcg_neo4j.indexing.report import ReportSettings, estimate_reports, write_reports
from qcg_neo4j.indexing.report.stage import levels, materials
from qcg_neo4j.indexing.report.text import MOST_FINDINGS, read_report
from qcg_neo4j.indexing.report.window import (
    Child,
    EntityRecord,
    Material,
    Record,
    RelationRecord,
    Window,
    checked,
    pack,
    without_citations,
)
from qcg_neo4j.indexing.stage import Payer
from qcg_neo4j.models.embedding.windows import token_counter
from qcg_neo4j.models.llm import LanguageModelSettings, LiveModel
from qcg_neo4j.models.replies import Recording, ReplyStore

REPORTS = """
MATCH (c:Community) WHERE c.reportMark IS NOT NULL
RETURN c.id AS id, c.level AS level, c.title AS title, c.report AS report, c.records AS records,
       c.reportSource AS source, c.reportMark AS mark ORDER BY id
"""
LARGER = "MATCH (c:Community) WHERE c.size > 1 RETURN count(c) AS n"


def words(text: str) -> int:
    return len(text.split())


def community(relations: list[tuple[str, str, float]], children: dict[str, str], reports: dict[str, str]) -> Material:
    """A community of entities named by letters; ``children`` says which community below each is in."""
    names = sorted({name for one, other, _ in relations for name in (one, other)} | set(children))
    degree = {name: sum(name in relation[:2] for relation in relations) for name in names}
    entities = [EntityRecord(name, name, "thing", f"{name} is one", degree[name], children.get(name)) for name in names]
    entities.sort(key=lambda entity: (-entity.degree, entity.id))
    rows = [RelationRecord(f"{a}{b}", a, b, f"{a} knows {b} well", strength) for a, b, strength in relations]
    below = sorted(set(children.values()))
    return Material(
        "c", 0, tuple(entities), tuple(rows), (), tuple(Child(name, name, reports.get(name)) for name in below)
    )


def test_a_leaf_takes_relations_by_the_degree_of_both_ends_with_their_ends() -> None:
    star = [("a", "b", 1.0), ("a", "c", 1.0), ("d", "e", 9.0), ("a", "d", 1.0)]
    window = pack(community(star, {}, {}), 1000, words)
    assert [record.id for number, record in window.records.items() if number.startswith("R")] == [
        "ad",
        "ab",
        "ac",
        "de",
    ]
    assert [record.id for number, record in window.records.items() if number.startswith("E")] == [
        "a",
        "d",
        "b",
        "c",
        "e",
    ]
    assert window.text.startswith("# Entities\nE1: a (thing): a is one\n")
    assert "R1: a – d: a knows d well (strength 1)" in window.text
    cut = pack(community(star, {}, {}), window.tokens - 1, words)
    assert cut.left_out > 0
    assert cut.tokens < window.tokens


def test_above_the_largest_communities_are_replaced_by_their_reports_until_it_fits() -> None:
    relations = [("a", "b", 1.0), ("b", "c", 1.0), ("a", "c", 1.0), ("x", "y", 1.0), ("c", "x", 1.0)]
    children = {"a": "big", "b": "big", "c": "big", "x": "small", "y": "small"}
    reports = {"big": "All about a and b [E1, R2].", "small": "All about x."}
    whole = pack(community(relations, children, reports), 1000, words)
    assert whole.replaced == ()
    fits = pack(community(relations, children, reports), whole.tokens - 1, words)
    assert fits.replaced == ("big",)
    assert "S1: All about a and b." in fits.text
    shown = {record.id for record in fits.records.values()}
    assert shown == {"big", "x", "y", "xy", "cx"}
    both = pack(community(relations, children, reports), 22, words)
    assert both.replaced == ("big", "small")


def test_a_record_longer_than_the_window_is_cut() -> None:
    alone = Material("c", 0, (EntityRecord("a", "a", "", "word " * 500, 0),), ())
    window = pack(alone, 100, words)
    assert 0 < words(window.text) <= 110
    assert window.left_out == 0


@pytest.mark.parametrize("tokens", [150, 600, 2000, 8000])
def test_windows_are_the_twins(sample_reports: Graph, tokens: int) -> None:
    graph = sample_reports
    count = token_counter(graph.question_embedder())
    replaced = 0
    for ids in levels(graph, ReportSettings()):
        for one in materials(graph, ids):
            plain = Material(**{**vars(one), "children": tuple(_uncited(child) for child in one.children)})
            window = pack(plain, tokens, count)
            kept, gone = twin.window(plain, tokens, count)
            if kept:
                assert {(record.kind, record.id) for record in window.records.values()} == set(kept)
                assert window.tokens <= tokens
            assert list(window.replaced) == gone
            replaced += len(gone)
    assert replaced or tokens == 8000


def _uncited(child: Child) -> Child:
    return Child(child.id, child.title, without_citations(child.report or "").strip() or None)


def test_citations_that_the_window_does_not_hold_are_taken_out_and_counted() -> None:
    text = "One [E1, R7]. Two [R9]. Three [E1; E2, R1, C1, S1, R2]. An [aside] and [see E1] and [1]. Four [R1, +more]."
    found = checked(text, {"E1", "E2", "R1", "R2", "C1", "S1"})
    assert found.text == (
        "One [E1]. Two. Three [E1, E2, R1, C1, S1, +more]. An [aside] and [see E1] and [1]. Four [R1, +more]."
    )
    assert found.wrong == 2
    assert found.numbers == ("E1", "E2", "R1", "C1", "S1")
    assert without_citations(found.text) == "One. Two. Three. An [aside] and [see E1] and [1]. Four."


def test_a_report_without_end_is_cut_and_that_is_counted() -> None:
    window = Window("E1: Rye", {"E1": Record("E", "rye", "Rye", 1)}, 3)
    finding = {"summary": "Rye keeps. [Data: Entities (E1)]", "explanation": ""}
    told = {"title": "Rye", "summary": "x" * 10**6, "rating": 5, "rating_explanation": "", "findings": [finding] * 5000}
    found = read_report(told, window)
    assert (len(found.findings), len(found.summary), found.cut) == (MOST_FINDINGS, 20_000, 4901)
    assert len(found.text) < 30_000


def reply(body: Body) -> str:
    numbers = re.findall(r"^([ERCS]\d+): (.*)", material(body), re.MULTILINE)
    finding = {"summary": f"{numbers[0][1][:40]} [{numbers[0][0]}].", "explanation": "It is so [R999]."}
    return json.dumps(
        {
            "title": f"About {numbers[0][1][:30]}",
            "summary": f"All of it [{numbers[-1][0]}].",
            "rating": 3,
            "rating_explanation": "middling",
            "findings": [finding],
        }
    )


def normal(_: int, body: Body) -> Manner:
    return Say(reply(body))


@pytest.fixture
def built(graph: Graph) -> Graph:
    """Some documents with their communities, by the small embedder."""
    graph.embedder = embedder = SmallEmbedder()
    documents = list(read_documents((str(SAMPLE / "passages.jsonl"),), LoadSettings().largest_document))[:12]
    load_documents(graph, embedder, documents)
    extract_graph(
        graph, embedder, ExtractSettings(source="replies"), Recording([SAMPLE / "graph.jsonl"], "extract/graph")
    )
    build_communities(graph, CommunitySettings(maximum_size=5))
    return graph


@contextmanager
def model(fake: FakeEndpoint, folder: Path) -> Iterator[LiveModel]:
    with ReplyStore(folder / "replies.sqlite") as store:
        live = LiveModel(LanguageModelSettings(endpoint=fake.url, model="small", retries=0, concurrency=2), store)
        yield live
        live.close()


def write(graph: Graph, fake: FakeEndpoint, folder: Path, **settings: Any) -> Any:
    assert graph.embedder is not None
    with model(fake, folder) as live:
        return write_reports(graph, graph.embedder, ReportSettings(**settings), live)


def stored(graph: Graph) -> list[dict[str, Any]]:
    return [row.data() for row in graph.driver.execute_query(REPORTS).records]


def test_a_model_reports_on_every_community_and_a_second_run_pays_nothing(built: Graph, tmp_path: Path) -> None:
    with endpoint(normal) as fake:
        done = write(built, fake, tmp_path)
        assert done.communities == done.written == len(stored(built)) == len(fake.paid)
        assert done.wrong_citations == done.communities  # every scripted report cites R999
        before = stored(built)
        again = write(built, fake, tmp_path)
        assert (again.written, again.unchanged, len(fake.paid)) == (0, done.communities, done.communities)
    assert stored(built) == before
    assert {row["source"] for row in before} == {"small"}
    assert all("R999" not in row["report"] for row in before)
    for row in before:
        numbers = {line.split()[0] for line in row["records"]}
        assert numbers == set(re.findall(r"[ERCS]\d+", " ".join(re.findall(r"\[([^\]]*)\]", row["report"]))))
    larger = built.driver.execute_query("MATCH (c:Community) WHERE c.size > 1 RETURN c.id AS id ORDER BY id").records
    embedded = built.driver.execute_query(
        "MATCH (c:Community) WHERE c.embedding IS NOT NULL RETURN c.id AS id ORDER BY id"
    )
    assert [row["id"] for row in before] == [row["id"] for row in larger] == [row["id"] for row in embedded.records]
    assert stages.staleness(stages.recorded(built), "report") is None


def test_a_community_waits_for_the_reports_below_and_nothing_is_paid_twice(built: Graph, tmp_path: Path) -> None:
    parents = (
        "MATCH (child:Community)-[:PARENT]->() WHERE child.size > 1 RETURN child.id AS id ORDER BY child.level DESC, id"
    )
    first = built.driver.execute_query(parents).records[0]["id"]
    names = built.driver.execute_query(
        "MATCH (:Community {id: $id})<-[:IN_COMMUNITY]-(e) RETURN e.name AS name", id=first
    ).records
    wanted = {row["name"] for row in names}

    def one_fails(_: int, body: Body) -> Manner:
        shown = set(re.findall(r"^E\d+: (.*?)(?: \(|:|$)", material(body), re.MULTILINE))
        return Fail(400, "too much") if shown == wanted else Say(reply(body))

    with endpoint(one_fails) as fake:
        done = write(built, fake, tmp_path)
        reasons = {item.id: item.reason for item in done.missing}
        assert first in reasons
        above = [reason for name, reason in reasons.items() if name != first]
        assert above
        assert set(above) == {"a community below has no report yet"}
        paid = len(fake.paid)
        fake.script = normal
        again = write(built, fake, tmp_path)
        assert again.missing == ()
        assert len(fake.paid) == paid + len(done.missing)
    assert len(stored(built)) == done.communities


@pytest.mark.rest
def test_an_endpoint_that_goes_away_leaves_what_was_paid_for(built: Graph, tmp_path: Path) -> None:
    script: Script = lambda number, body: normal(number, body) if number <= 5 else Fail(401, "expired")  # noqa: E731
    with endpoint(script) as fake:
        with pytest.raises(LanguageModelError, match="expired"):
            write(built, fake, tmp_path)
        assert 0 < len(stored(built)) <= 5
        assert stages.staleness(stages.recorded(built), "report") == "interrupted"
        fake.script = normal
        done = write(built, fake, tmp_path)
        assert len(fake.paid) == done.communities


def test_a_changed_record_changes_its_communities_reports_alone(built: Graph, tmp_path: Path) -> None:
    with endpoint(normal) as fake:
        total = write(built, fake, tmp_path).communities
        changed = built.driver.execute_query(
            "MATCH (e:Entity)-[:IN_COMMUNITY]->(c:Community) WHERE c.size > 1"
            " WITH e, collect(c.id) AS ids ORDER BY size(ids), e.id LIMIT 1"
            " SET e.description = 'quite another thing' RETURN ids"
        ).records[0]["ids"]
        done = write(built, fake, tmp_path)
    # Reports above may be written from the report below or from the records themselves: both have changed.
    assert 1 <= done.written <= len(changed)
    assert done.unchanged == total - done.written


def test_an_estimate_counts_the_calls_and_asks_nobody(built: Graph, tmp_path: Path) -> None:
    assert built.embedder is not None
    with endpoint(normal) as fake, ReplyStore(tmp_path / "replies.sqlite") as store:
        settings = LanguageModelSettings(endpoint=fake.url, model="small", input_price=1.0, output_price=2.0)
        live = LiveModel(settings, store)
        payer = Payer(live, store, settings, token_counter(built.embedder))
        expected = estimate_reports(built, ReportSettings(), payer)
        assert fake.calls == []
        number = built.driver.execute_query(LARGER).records[0]["n"]
        assert (expected.requests, expected.known) == (number, 0)
        assert expected.cost == pytest.approx((expected.usage.input_tokens + 2 * expected.usage.output_tokens) / 1e6)
        write_reports(built, built.embedder, ReportSettings(), live)
        again = estimate_reports(built, ReportSettings(), payer)
        assert (again.known, again.usage.calls) == (number, 0)
        live.close()


def test_without_a_model_reports_quote_and_say_so(sample_reports: Graph) -> None:
    rows = stored(sample_reports)
    assert {row["source"] for row in rows} == {"extractive"}
    texts = {
        row["ttr"]
        for row in sample_reports.driver.execute_query("MATCH ()-[r:RELATED_TO]->() RETURN r.ttr AS ttr").records
    }
    quoted = [without_citations(line) for row in rows for line in row["report"].splitlines()[2:] if row["records"]]
    assert sum(line in texts for line in quoted if line) > 50
    largest = max(rows, key=lambda row: len(row["report"]))
    assert largest["records"]
    assert sample_reports.embedder is not None
    again = write_reports(sample_reports, sample_reports.embedder, ReportSettings(source="extractive"))
    assert (again.written, again.unchanged) == (0, len(rows))


@pytest.mark.rest
def test_stale_communities_must_be_built_first(built: Graph) -> None:
    assert built.embedder is not None
    built.driver.execute_query("MATCH (s:Stage {name: 'extract'}) SET s.revision = s.revision + 1")
    with pytest.raises(GraphError, match=r"not up to date \(stale: extract changed since\)"):
        write_reports(built, built.embedder, ReportSettings(source="extractive"))
    with pytest.raises(InputError, match="requires a language model"):
        write_reports(built, built.embedder, ReportSettings())


@pytest.mark.rest
def test_small_communities_lose_their_reports_when_they_shall_have_none(built: Graph) -> None:
    assert built.embedder is not None
    every = write_reports(built, built.embedder, ReportSettings(source="extractive", minimum_size=1))
    assert every.communities == len(stored(built)) == status(built).counts["Community"]
    larger = write_reports(built, built.embedder, ReportSettings(source="extractive"))
    assert larger.communities == len(stored(built)) == built.driver.execute_query(LARGER).records[0]["n"]
    done = write_reports(built, built.embedder, ReportSettings(source="extractive", minimum_size=3))
    assert 0 < done.communities == len(stored(built)) < larger.communities < every.communities
    none = write_reports(built, built.embedder, ReportSettings(source="extractive", minimum_size=10_000))
    assert (none.communities, stored(built)) == (0, [])


def test_people_look_at_communities_and_at_what_a_report_rests_on(sample_reports: Graph) -> None:
    graph = sample_reports
    largest = graph.rows("inspect/largest_communities", level=0)[0]
    assert largest["entities"] > 50
    assert largest["written_by"] == "extractive"
    tree = graph.rows("inspect/report_tree", id=largest["id"])
    assert len({path.end_node["id"] for path in (row["path"] for row in tree)}) == len(tree) > 5
    evidence = graph.rows("inspect/report_evidence", id=largest["id"])
    assert {row["record"][0] for row in evidence} == {"R"}
    assert all("Document" in row["stated"].end_node.labels for row in evidence)
    found = graph.rows("inspect/communities_of_entity", name="li hua")
    assert [row["community"]["level"] for row in found] == sorted(row["community"]["level"] for row in found)
    assert found[0]["community"]["id"] == largest["id"]
    levels = graph.rows("inspect/levels")
    assert [row["level"] for row in levels] == list(range(len(levels)))
    assert all(0 < row["percent_of_source"] < 200 for row in levels)
