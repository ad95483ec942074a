"""Other models in the database: chosen at the start of a server, with the vectors that they have in Python."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import SAMPLE

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import EmbeddingError, MissingPackageError, ModelMismatchError, ServerError, SettingsError
from qcg_neo4j.database.embedder import DatabaseEmbedder, open_embedder_of, open_question_embedder
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.models.embedding import model_files, open_embedder
from qcg_neo4j.models.embedding.embedder import EmbeddingSettings
from qcg_neo4j.models.embedding.known_models import IN_DATABASE
from qcg_neo4j.server import ServerSettings, default_cache, put_embedding, start, status, stop
from qcg_neo4j.server.artefacts import fetch
from qcg_neo4j.server.embedding import database_model, embedding_artefacts
from qcg_neo4j.server.lines import LINES, read_lock

# Numbers of each vector that BertModel of the package transformers makes with these weights, and its pooling.
GOLDEN = json.loads((Path(__file__).parents[1] / "golden/embedding_models.json").read_text("utf-8"))
TEXTS: list[str] = [text.replace("x × 700", "x " * 700) for text in GOLDEN["texts"]]
BGE, E5, INT8 = "bge-small-en-v1.5", "e5-small-v2", "all-MiniLM-L6-v2-int8"
# What another package publishes as its test of this model: "hello world", from weights of eight bits.
PUBLISHED = [0.01522374, -0.02271799, 0.00860278, -0.07424029, 0.00386434]
SMALL = {"heap": "512m", "page_cache": "64m"}


@contextmanager
def serving(home: Path, model: str) -> Iterator[Graph]:
    address = start(home, ServerSettings(**SMALL, database_model=model))  # type: ignore[arg-type] # two texts
    try:
        with Graph.connect(address.uri, address.user, address.password) as graph:
            yield graph
    finally:
        stop(home)


def check_vectors(embedder: DatabaseEmbedder, model: str) -> None:
    """The texts' vectors as they are without any prefix."""
    found = embedder._vectors(TEXTS, "")
    expected = np.asarray(GOLDEN["vectors"][model])
    np.testing.assert_allclose(found[:, : expected.shape[1]], expected, atol=1e-4)


def jar_of(model: str) -> Path:
    wanted = [jar for jar in read_lock("embedding") if jar.coordinates == IN_DATABASE[model].artefact]
    return fetch(wanted, default_cache())[wanted[0]]


def test_a_known_model(new_home: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home, name = new_home("bge"), f"BAAI/{BGE}"
    with serving(home, BGE) as graph:
        embedder = open_embedder_of(graph, EmbeddingSettings())  # a new graph, and nothing is said
        assert isinstance(embedder, DatabaseEmbedder)
        assert (embedder.name, embedder.dimension, embedder.reads) == (name, 384, 510)
        check_vectors(embedder, BGE)
        np.testing.assert_allclose(embedder._vectors(TEXTS[:1], "")[0, :5], PUBLISHED, atol=1e-3)
        assert open_embedder_of(graph, EmbeddingSettings(model=BGE)).name == name
        with pytest.raises(ModelMismatchError, match=rf"embeds with '{name}', but 'x' is wanted\.\n.*--database-model"):
            open_embedder_of(graph, EmbeddingSettings(embedder="database", model="x"))
        check_a_graph(graph, home, name)
        check_another_start(home, name)
        monkeypatch.setattr("qcg_neo4j.database.embedder.local_is_installed", lambda: False)
        with pytest.raises(MissingPackageError, match=r"embeds by 'BAAI/.*' only.*\n.*\n.*--database-model"):
            open_embedder_of(graph, EmbeddingSettings(model="all-mpnet-base-v2"))
    with pytest.raises(SettingsError, match=r"cannot embed by 'bge'.*\n.*bge-small-en-v1\.5"):
        start(home, ServerSettings(database_model="bge"))
    assert status(home).embedding_model == name  # the home remembers
    assert "in the database, by BAAI" in CliRunner().invoke(qcg, ["server", "status", "--home", str(home)]).stdout


def check_a_graph(graph: Graph, home: Path, name: str) -> None:
    """Commands load and ask without being told the model; what is asked has its prefix, also in a procedure."""
    file = home / "gyms.txt"
    file.write_text("Wolfgang recommended the gym at the harbour to Li Hua.")
    for arguments in (["load", str(file)], ["retrieve", TEXTS[1], "--method", "vector"]):
        done = CliRunner().invoke(qcg, [*arguments, "--home", str(home)])
        assert done.exit_code == 0, done.output
        assert f"Embedding in the database: {name}" in done.stderr
    question = open_question_embedder(graph).embed_questions([TEXTS[1]])[0]
    prefixed = graph.driver.execute_query(
        "MATCH (it:QcgCorpus) RETURN qcg.embed($text, it.questionPrefix) AS vector, it.questionPrefix AS it",
        text=TEXTS[1],
    ).records[0]
    assert prefixed["it"].startswith("Represent this sentence")
    np.testing.assert_allclose(prefixed["vector"], question, atol=1e-5)
    shown = CliRunner().invoke(qcg, ["status", "--home", str(home)]).stdout
    assert f"Embedding model: {name}, 384 dimensions, prefixes: question 'Represent" in " ".join(shown.split())


def check_another_start(home: Path, name: str) -> None:
    start(home, ServerSettings(database_model=BGE))  # it runs already
    with pytest.raises(ServerError, match=rf"embeds with '{name}', not 'all-MiniLM-L6-v2'\.\n.*qcg server stop"):
        start(home, ServerSettings(database_model="all-MiniLM-L6-v2"))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model of e5 in a folder as the model hub has it."""
    folder = tmp_path_factory.mktemp("models") / "mine"
    (folder / "onnx").mkdir(parents=True)
    (folder / "1_Pooling").mkdir()
    with zipfile.ZipFile(jar_of(E5)) as jar:
        (folder / "onnx/model.onnx").write_bytes(jar.read(f"{E5}.onnx"))
        (folder / "tokenizer.json").write_bytes(jar.read(f"{E5}-tokenizer.json"))
    (folder / "config.json").write_text('{"hidden_size": 384, "max_position_embeddings": 512}')
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": false, "pooling_mode_mean_tokens": true}')
    return folder


def test_any_model_of_a_folder(new_home: Callable[[str], Path], folder: Path) -> None:
    home = new_home("folder")
    with serving(home, str(folder)) as graph:
        embedder = open_embedder_of(graph, EmbeddingSettings(question_prefix="query: ", passage_prefix="passage: "))
        assert isinstance(embedder, DatabaseEmbedder)
        assert (embedder.name, embedder.dimension, embedder.reads) == ("mine", 384, 510)
        assert embedder.tokenizer.encode(TEXTS[0]).ids == model_files.read_tokenizer(str(folder)).encode(TEXTS[0]).ids
        check_vectors(embedder, E5)
        about = "how much protein should a female eat"
        np.testing.assert_allclose(embedder.embed_questions([about])[0, :24], GOLDEN["vectors"][E5][2], atol=1e-4)
        np.testing.assert_allclose(embedder.embed_whole(about), embedder.embed_questions([about])[0], atol=1e-5)


def test_a_model_of_eight_bits(new_home: Callable[[str], Path], graph: Graph) -> None:
    """It finds nearly the same sentences near each other as the model that it was made of."""
    lines = (SAMPLE / "passages.jsonl").read_text(encoding="utf-8").splitlines()[:15]
    sentences = [part for line in lines for part in json.loads(line)["text"].splitlines()][:200]
    whole = open_embedder_of(graph, EmbeddingSettings(embedder="database")).embed(sentences)
    with serving(new_home("int8"), INT8) as other:
        embedder = open_embedder_of(other, EmbeddingSettings())
        assert (embedder.name, embedder.dimension) == (INT8, 384)
        made = embedder.embed(sentences)
        with pytest.raises(ModelMismatchError, match=INT8):
            open_embedder_of(other, EmbeddingSettings(model=E5, embedder="database"))
    assert 0.9 < (made * whole).sum(axis=1).mean() < 0.9999  # near, and yet another model
    found, exact = (np.argsort(-(of @ of.T), axis=1)[:, 1:11] for of in (made, whole))
    assert np.mean([len({*one} & {*best}) / 10 for one, best in zip(found, exact, strict=True)]) > 0.85
    with pytest.raises(EmbeddingError, match=rf"in the database only\.\n.*--database-model {INT8}"):
        open_embedder(EmbeddingSettings(model=INT8)).embed(["x"])


@pytest.mark.parametrize(
    ("file", "text", "message"),
    [
        ("onnx/model.onnx", None, r"it has neither onnx/model\.onnx nor model\.onnx\.\n.*optimum-cli"),
        ("tokenizer.json", None, r"has no tokenizer\.json"),
        ("tokenizer.json", "{", "is not a tokenizer"),
        ("config.json", "{}", "do not say how"),
        ("1_Pooling/config.json", '{"pooling_mode_max_tokens": true}', "another way than by mean or first state"),
    ],
)
def test_a_folder_that_lacks_something(file: str, text: str | None, message: str, folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    for path in (path for path in folder.rglob("*") if path.is_file()):
        (copy / path.relative_to(folder)).parent.mkdir(parents=True, exist_ok=True)
        (copy / path.relative_to(folder)).symlink_to(path)
    (copy / file).unlink()
    if text is not None:
        (copy / file).write_text(text)
    with pytest.raises(SettingsError, match=message):
        database_model(str(copy))


@pytest.mark.parametrize(
    ("facts", "pooling"),
    [
        ('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": false, "include_prompt": true}', "first"),
        ('{"pooling_mode": "mean"}', "mean"),
        ('{"embedding_dimension": 3, "pooling_mode": "cls"}', "first"),
        ('{"pooling_mode_cls_token": true, "pooling_mode_mean_tokens": true}', None),
        ('{"pooling_mode": "lasttoken"}', None),
    ],
)
def test_how_vectors_are_pooled(facts: str, pooling: str | None, tmp_path: Path) -> None:
    (tmp_path / "1_Pooling").mkdir()
    (tmp_path / "1_Pooling/config.json").write_text(facts)
    if pooling is None:
        with pytest.raises(EmbeddingError, match="made in another way"):
            model_files.read_pooling(str(tmp_path))
    else:
        assert model_files.read_pooling(str(tmp_path)) == pooling


@pytest.mark.parametrize("name", IN_DATABASE)
def test_a_jar_has_its_model(name: str) -> None:
    model = IN_DATABASE[name]
    with zipfile.ZipFile(jar_of(name)) as jar:
        assert {f"{model.file}.onnx", f"{model.file}-tokenizer.json"} <= set(jar.namelist())


def test_names_with_and_without_their_organisation() -> None:
    assert model_files.short_name(BGE) == model_files.short_name(f"BAAI/{BGE}") == f"BAAI/{BGE}"
    assert model_files.location(E5) == f"intfloat/{E5}"
    assert database_model(f"BAAI/{BGE}") == database_model(BGE)
    packaged = open_embedder(EmbeddingSettings())
    assert IN_DATABASE["all-MiniLM-L6-v2"].window_tokens == packaged.window_tokens


@pytest.mark.parametrize("line", LINES)
def test_a_server_gets_one_model(line: str) -> None:
    found = {jar.coordinates for jar in embedding_artefacts(line, database_model(E5))}
    assert {IN_DATABASE[name].artefact for name in IN_DATABASE} & found == {IN_DATABASE[E5].artefact}


def test_another_server_gets_one_model_as_well(tmp_path: Path, folder: Path) -> None:
    first = {file.name for file in put_embedding(tmp_path, "5.26", default_cache())}
    second = {file.name for file in put_embedding(tmp_path, "5.26", default_cache(), model=BGE)}
    assert first ^ second == {jar_of("all-MiniLM-L6-v2").name, jar_of(BGE).name}
    assert {file.name for file in tmp_path.iterdir()} == second
    with pytest.raises(SettingsError, match="takes a known model only"):
        put_embedding(tmp_path, "5.26", default_cache(), model=str(folder))
