"""Several corpora in one database: names, texts, the command line, both lines, an interrupted deletion."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any

import neo4j
import pytest
from click.testing import CliRunner, Result
from conftest import SAMPLE, TestServer
from graph_dump import query
from small_embedder import SmallEmbedder

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.core.records import SourceDocument
from qcg_neo4j.database.corpora import KINDS, LONGEST, MARK, checked_name, corpus_of, mark, translated
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.schema import await_indexes, corpora_of
from qcg_neo4j.database.statements import paths, statement
from qcg_neo4j.indexing.load import delete_corpus, load_documents, read_documents
from qcg_neo4j.retrieval import method

SHOWN = "SHOW INDEXES YIELD name WHERE name ENDS WITH $ending RETURN name"


def connected(server: TestServer, corpus: str, *, create: bool = False) -> Graph:
    return Graph.connect(server.uri, server.user, server.password, corpus=corpus, create=create)


@pytest.mark.parametrize("name", ["law", "a", "law_2025", "x1_y2", "default", "a" * LONGEST])
def test_a_name_is_lower_case(name: str) -> None:
    assert checked_name(name) == name
    assert corpus_of(f"qcg_chunk_id__{name}") == name


@pytest.mark.parametrize("name", ["", "Law", "1a", "_a", "a_", "a__b", "a b", "läw", "a`b", "a-b", "a\n", "a" * 31])
def test_what_is_no_name_never_reaches_cypher(name: str, graph: Graph) -> None:
    with pytest.raises(InputError, match=r"is not a valid name of a corpus\.\nA name starts with"):
        checked_name(name)
    with pytest.raises(InputError, match="is not a valid name of a corpus"):
        translated("MATCH (:QcgChunk)", name)
    with pytest.raises(
        neo4j.exceptions.ClientError, match=r"(?s)qcg\.retrieve\.qcg: '.*' is not a valid name of a corpus"
    ):
        graph.driver.execute_query("CALL qcg.retrieve.qcg('why', {corpus: $name})", name=name or " ")


@pytest.mark.parametrize("path", paths())
def test_a_text_for_another_corpus_knows_nothing_of_the_default_one(path: str) -> None:
    text = translated(statement(path).text, "law")
    assert re.findall(rf"\b{MARK}(?:{'|'.join(KINDS)})\b(?!__)|\bqcg_[a-z0-9_]*[a-z0-9](?<!__law)\b", text) == []
    assert re.findall(r"\[\w*:[A-Z_|]*\bRELATED_TO\b", text) == []
    assert "corpus: 'default'" not in text
    assert text.replace("__law", "").replace("corpus: 'law'", "corpus: 'default'") == statement(path).text
    called = re.findall(r"CALL qcg\.(?:retrieve|evidence|score|paths|links|pageRank)\.", text)
    assert len(called) == text.count("corpus: 'law'")  # each is told which corpus it asks
    assert translated(statement(path).text, "default") == statement(path).text


def command(server: TestServer, *arguments: str) -> Result:
    environment = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    return CliRunner().invoke(qcg, list(arguments), env=environment)


@pytest.mark.rest
def test_the_command_line_names_the_corpus(graph: Graph, server: TestServer, tmp_path: Any) -> None:
    with connected(server, "law", create=True) as law:
        load_documents(law, SmallEmbedder(), [SourceDocument("gym", "The gym closes at ten.")])
        unknown = command(server, "retrieve", "when", "--corpus", "lwa")
        assert "Did you mean 'law'?" in str(unknown.exception)
        missing = command(server, "load", str(tmp_path / "none.txt"), "--corpus", "lwa")
        assert "There is no file" in str(missing.exception)
        shown = command(server, "status", "--corpus", "law").output
        assert "Corpus law" in shown
        assert "The database also holds the corpus default (0 documents)." in shown
        assert "Next: `qcg generate --corpus law`" in shown
        text = command(server, "cypher", "retrieve/qcg", "--corpus", "law").output
        assert text.rstrip() == translated(statement("retrieve/qcg").text, "law").rstrip()
        asked = command(server, "delete", "--all", "--corpus", "law")
        assert "this terminal cannot ask" in str(asked.exception)
        gone = command(server, "delete", "--all", "--yes", "--corpus", "law", "--json")
        assert gone.exit_code == 0, gone.exception
        assert corpora_of(law) == ["default"]
        assert query(law, f"MATCH (n:{mark('Document', 'law')}) RETURN n") == []


@pytest.mark.rest
def test_both_lines_keep_corpora_apart(each_graph: Graph, each_server: TestServer) -> None:
    for corpus, text in (("default", "The gym closes at ten."), ("law", "A lease ends after a year.")):
        with connected(each_server, corpus, create=True) as graph:
            load_documents(graph, SmallEmbedder(), [SourceDocument("same", text)])
    for corpus, text in (("default", "The gym closes at ten."), ("law", "A lease ends after a year.")):
        with connected(each_server, corpus) as graph:
            await_indexes(graph)
            graph.embedder = SmallEmbedder()
            for name in ("vector", "fulltext", "hybrid"):
                assert [item.text for item in method(name).retrieve(graph, "gym lease").passages] in ([text], [])
            assert [item.text for item in method("vector").retrieve(graph, "gym lease").passages] == [text]
            assert [row["text"] for row in graph.rows("answer/chunks")] == [text]
    with connected(each_server, "law") as law:
        delete_corpus(law)
    assert [row["text"] for row in each_graph.rows("answer/chunks")] == ["The gym closes at ten."]


@pytest.mark.rest
def test_an_interrupted_deletion_goes_on(graph: Graph, server: TestServer, monkeypatch: pytest.MonkeyPatch) -> None:
    with connected(server, "law", create=True) as law:
        load_documents(law, SmallEmbedder(), islice(read_documents([str(SAMPLE / "passages.jsonl")]), 2))
        query(law, "CALL gds.graph.project('qcg_atoms__law:true_0', '*', '*') YIELD graphName FINISH")
        run = Graph.run

        def interrupted(self: Graph, path: str, **parameters: object) -> object:
            if path == "schema/drop_index":
                raise KeyboardInterrupt
            return run(self, path, **parameters)

        monkeypatch.setattr(Graph, "run", interrupted)
        with pytest.raises(KeyboardInterrupt):
            delete_corpus(law)
        monkeypatch.undo()
    with connected(server, "law") as law:
        assert delete_corpus(law).documents == 0
        assert corpora_of(law) == ["default"]
        assert query(law, SHOWN, ending="__law") == []
        assert (
            query(law, "CALL gds.graph.list() YIELD graphName WHERE graphName STARTS WITH 'qcg_atoms__law:' RETURN 1")
            == []
        )
