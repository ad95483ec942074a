"""Embedding: the packaged model, endpoints, windows of long texts."""

from __future__ import annotations

import json
import pickle
import shutil
import socket
import subprocess
import sys
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from pytest_httpserver import HTTPServer
from remembering_embedder import RememberingEmbedder
from small_embedder import SmallEmbedder
from werkzeug import Request, Response

from qcg_neo4j.core.errors import EmbeddingError, MissingPackageError, SettingsError
from qcg_neo4j.models.embedding import endpoint as endpoint_module
from qcg_neo4j.models.embedding import local as local_module
from qcg_neo4j.models.embedding import model_files, open_embedder
from qcg_neo4j.models.embedding.embedder import Embedder, EmbeddingSettings, Vectors, unit_rows
from qcg_neo4j.models.embedding.windows import counting_of, mean_of_windows, windows

MODEL = "all-MiniLM-L6-v2"
LONG = " ".join(f"Sentence {number} tells of café № {number * 7} 🎉 and its naïve guests." for number in range(60))


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    return open_embedder(EmbeddingSettings())


@pytest.mark.slow
def test_vectors_are_of_unit_length_and_in_order(minilm: Embedder) -> None:
    texts = ["a cat", LONG[:700], "the stock market fell", "", "kitten"]
    together = minilm.embed(texts)
    assert together.shape == (5, minilm.dimension) == (5, 384)
    assert together.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(together, axis=1), 1, atol=1e-6)
    for text, vector in zip(texts, together, strict=True):
        np.testing.assert_allclose(minilm.embed([text])[0], vector, atol=1e-5)
    assert together[0] @ together[4] > together[0] @ together[2] + 0.3
    np.testing.assert_array_equal(together, minilm.embed(texts))


def test_a_remembered_text_is_not_embedded_again(tmp_path: Path) -> None:
    asked: list[str] = []

    class Asked(SmallEmbedder):
        def embed(self, texts: Sequence[str]) -> Vectors:
            asked.extend(texts)
            return super().embed(texts)

    first = RememberingEmbedder(Asked(), tmp_path).embed(["a", "b", "a"])
    again = RememberingEmbedder(Asked(), tmp_path).embed(["c", "b", "a"])
    assert asked == ["a", "b", "c"]
    np.testing.assert_array_equal(first, again[[2, 1, 2]])
    RememberingEmbedder(Asked(20), tmp_path).embed(["a"])  # another window, so another model
    assert asked == ["a", "b", "c", "a"]


def test_no_text_gives_no_rows(minilm: Embedder) -> None:
    assert minilm.embed([]).shape == (0, 384)


def test_only_the_window_is_read(minilm: Embedder) -> None:
    offsets = minilm.tokenizer.encode(LONG, add_special_tokens=False).offsets
    assert len(offsets) > minilm.window_tokens == 254
    whole, window, less = minilm.embed([LONG, LONG[: offsets[253][1]], LONG[: offsets[252][1]]])
    np.testing.assert_allclose(whole, window, atol=1e-5)
    assert np.abs(whole - less).max() > 1e-4


def test_model_loads_without_network(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("the network was asked")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    assert open_embedder(EmbeddingSettings()).embed(["x"]).shape == (1, 384)


def test_sizes_and_tokens_need_no_torch() -> None:
    code = (
        "import sys; from qcg_neo4j.models.embedding import open_embedder;"
        "from qcg_neo4j.models.embedding.embedder import EmbeddingSettings; e = open_embedder(EmbeddingSettings());"
        "print(e.name, e.dimension, e.window_tokens, len(e.tokenizer.encode('hi ' * 999).ids), 'torch' in sys.modules)"
    )
    shown = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert shown.split() == [MODEL, "384", "254", "1001", "False"]
    assert counting_of("anything", MODEL).name == MODEL


def test_another_process_keeps_the_model_that_it_was_given_last(minilm: Embedder) -> None:
    assert pickle.loads(pickle.dumps(minilm)) is pickle.loads(pickle.dumps(minilm))  # noqa: S301 - our own


def test_a_folder_is_a_model_too(tmp_path: Path, minilm: Embedder) -> None:
    folder = tmp_path / MODEL
    folder.symlink_to(model_files.location(MODEL))
    assert open_embedder(EmbeddingSettings(model=f"sentence-transformers/{MODEL}")).name == MODEL
    found = open_embedder(EmbeddingSettings(model=str(folder)))
    np.testing.assert_allclose(found.embed(["x"]), minilm.embed(["x"]), atol=1e-6)


def test_a_damaged_folder_is_one_clear_error(tmp_path: Path) -> None:
    folder = tmp_path / "broken"
    shutil.copytree(model_files.location(MODEL), folder, ignore=lambda _, names: [n for n in names if "safet" in n])
    with pytest.raises(EmbeddingError, match="cannot be loaded"):
        open_embedder(EmbeddingSettings(model=str(folder))).embed(["x"])
    (folder / "tokenizer.json").write_text("{")
    with pytest.raises(EmbeddingError, match="is not a tokenizer"):
        _ = open_embedder(EmbeddingSettings(model=str(folder))).tokenizer
    (folder / "tokenizer.json").unlink()
    with pytest.raises(EmbeddingError, match=r"has no tokenizer\.json"):
        _ = open_embedder(EmbeddingSettings(model=str(folder))).tokenizer


def test_a_model_that_is_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)
    with pytest.raises(EmbeddingError, match=r"'nobody/nothing' is not on this machine"):
        _ = open_embedder(EmbeddingSettings(model="nobody/nothing")).dimension


def test_missing_packages_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(model_files, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match=r"pip install 'qcg-neo4j\[sentence-transformers\]'"):
        open_embedder(EmbeddingSettings())
    monkeypatch.setattr(local_module, "find_spec", lambda _: None)
    with pytest.raises(MissingPackageError, match="needs sentence-transformers"):
        open_embedder(EmbeddingSettings())


@pytest.mark.parametrize(
    ("vectors", "message"),
    [
        ([[1.0, 2.0]], "1 vectors for 2 texts"),
        ([[1.0, float("nan")], [1.0, 1.0]], "zero or not finite"),
        ([[0.0, 0.0], [1.0, 1.0]], "zero or not finite"),
        ([[1.0], [1.0, 2.0]], "did not return vectors"),
        ([["x", "y"], ["x", "y"]], "did not return vectors"),
        ([1.0, 2.0], "no list of vectors"),
        ([[1.0, 2.0, 3.0], [1.0, 2.0, 3.0]], "3 numbers a text instead of 2"),
    ],
)
def test_unusable_vectors_are_refused(vectors: list[Any], message: str) -> None:
    with pytest.raises(EmbeddingError, match=message):
        unit_rows(vectors, 2, "m", 2)


# Windows


@pytest.mark.parametrize("size", [8, 50, 254])
@pytest.mark.parametrize("overlap", [0, 3, 7])
@pytest.mark.parametrize("text", [LONG, LONG.replace(" ", ""), "東京は日本の首都です。" * 40, "🎉👩‍👩‍👧 " * 300])
def test_windows_cover_the_text_and_fit(text: str, overlap: int, size: int) -> None:
    embedder = SmallEmbedder(size)
    spans = windows(text, embedder, overlap)
    assert not text[: spans[0][0]].strip()
    assert not text[spans[-1][1] :].strip()
    for before, after in pairwise(spans):
        assert before[0] < after[0]
        assert before[1] < after[1]
        assert not text[before[1] : after[0]].strip()
    lengths = [len(embedder.tokenizer.encode(text[a:b], add_special_tokens=False).ids) for a, b in spans]
    assert max(lengths) <= size


def test_windows_do_not_cut_words_and_overlap() -> None:
    spans = windows(LONG, SmallEmbedder(50), 10)
    for start, end in spans:
        assert start == 0 or not (LONG[start - 1].isalnum() and LONG[start].isalnum())
        assert end == len(LONG) or not (LONG[end - 1].isalnum() and LONG[end].isalnum())
    assert all(after[0] < before[1] for before, after in pairwise(spans))


def test_a_text_that_fits_is_one_window() -> None:
    assert windows(" two words ", SmallEmbedder(), 64) == [(0, 11)]
    assert windows("", SmallEmbedder(), 64) == [(0, 0)]


def test_overlap_must_be_smaller_than_the_window() -> None:
    with pytest.raises(SettingsError, match="overlap of windows is 50 tokens, but the model reads 50"):
        windows(LONG, SmallEmbedder(50), 50)


def test_mean_of_windows() -> None:
    rows = np.array([[1, 0], [0, 1]], np.float32)
    np.testing.assert_allclose(mean_of_windows(rows), [0.5**0.5, 0.5**0.5], atol=1e-6)
    np.testing.assert_array_equal(mean_of_windows(np.array([[1, 0], [-1, 0]], np.float32)), [1, 0])


# Endpoints


@pytest.fixture
def endpoint(httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch) -> Embedder:
    monkeypatch.setattr(endpoint_module, "RETRIES", 1)
    settings = EmbeddingSettings(
        model="remote", endpoint=httpserver.url_for("/v1"), tokenizer=MODEL, batch_size=2, window_tokens=20
    )
    return open_embedder(settings, "secret-key")


def answer(*vectors: list[float]) -> dict[str, Any]:
    data = [{"object": "embedding", "index": index, "embedding": vector} for index, vector in enumerate(vectors)]
    return {"object": "list", "model": "remote", "data": data[::-1], "usage": {"prompt_tokens": 1, "total_tokens": 1}}


def test_endpoint_embeds_in_order_and_in_batches(httpserver: HTTPServer, endpoint: Embedder) -> None:
    asked: list[list[str]] = []

    def reply(request: Request) -> Response:
        assert request.headers["Authorization"] == "Bearer secret-key"
        texts = request.get_json()["input"]
        asked.append(texts)
        return Response(json.dumps(answer(*([float(len(text)), 4.0] for text in texts))), mimetype="application/json")

    httpserver.expect_request("/v1/embeddings").respond_with_handler(reply)
    found = endpoint.embed(["abc", "a" * 3 + "d", "x " * 30])
    np.testing.assert_allclose(found, [[0.6, 0.8], [0.5**0.5, 0.5**0.5], [39 / 1537**0.5, 4 / 1537**0.5]], atol=1e-6)
    assert endpoint.dimension == 2
    assert asked == [["abc", "aaad"], [("x " * 20).rstrip()]]  # what the model does not read is not sent
    assert endpoint.embed([]).shape == (0, 2)


def test_endpoint_is_asked_again_when_it_is_busy(httpserver: HTTPServer, endpoint: Embedder) -> None:
    httpserver.expect_ordered_request("/v1/embeddings").respond_with_data("", 429, {"Retry-After": "0.01"})
    httpserver.expect_ordered_request("/v1/embeddings").respond_with_json(answer([3.0, 4.0]))
    np.testing.assert_allclose(endpoint.embed(["x"]), [[0.6, 0.8]], atol=1e-6)


@pytest.mark.parametrize(
    ("status", "reply", "message"),
    [
        (200, answer([1.0, 0.0]), "1 vectors for 2 texts"),
        (200, answer([1.0, 0.0], [1.0]), "did not return vectors"),
        (200, answer([1.0, 0.0], [0.0, 0.0]), "zero or not finite"),
        (200, {"data": None}, "without vectors|no list of vectors|No embedding data"),
        (401, {"error": {"message": "the key secret-key is wrong"}}, "answered 401"),
        (404, {"error": {"message": "no model"}}, "answered 404"),
    ],
)
def test_bad_replies_are_one_clear_error(
    httpserver: HTTPServer, endpoint: Embedder, status: int, reply: dict[str, Any], message: str
) -> None:
    httpserver.expect_request("/v1/embeddings").respond_with_json(reply, status)
    with pytest.raises(EmbeddingError, match=message) as caught:
        endpoint.embed(["x", "y"])
    assert "secret-key" not in str(caught.value)


def test_a_dead_endpoint_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(endpoint_module, "RETRIES", 0)
    settings = EmbeddingSettings(endpoint="http://127.0.0.1:9/v1", tokenizer=MODEL)
    with pytest.raises(EmbeddingError, match=r"http://127\.0\.0\.1:9/v1 does not answer"):
        open_embedder(settings).embed(["x"])


def test_a_reply_without_end_is_given_up(httpserver: HTTPServer, endpoint: Embedder) -> None:
    httpserver.expect_request("/v1/embeddings").respond_with_data(b" " * 5_000_000)
    with pytest.raises(EmbeddingError, match="sent more than 750,000 bytes"):
        endpoint.embed(["x"])


@pytest.mark.parametrize("numbers", ["1e999, 0", "NaN, 1", f"{'7' * 1000}, 1", "[" * 20_000], ids=str.__len__)
def test_numbers_that_are_none(httpserver: HTTPServer, endpoint: Embedder, numbers: str) -> None:
    body = f'{{"data": [{{"index": 0, "embedding": [{numbers}]}}]}}'
    httpserver.expect_request("/v1/embeddings").respond_with_data(body, content_type="application/json")
    with pytest.raises(EmbeddingError) as caught:
        endpoint.embed(["x"])
    assert len(str(caught.value)) < 600
