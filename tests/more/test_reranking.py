"""Another order: a reranker over HTTP in each of its shapes, a tiny CrossEncoder, maximal marginal relevance."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from conftest import TestServer
from endpoint import Body, Fail, Manner, Raw, Script, endpoint

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import RerankError, SettingsError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.retrieval import (
    Atomic,
    CrossEncoderScorer,
    Diverse,
    EndpointScorer,
    Fulltext,
    Method,
    Reranked,
    RetrieveSettings,
    VectorBaseline,
    VectorSettings,
)
from qcg_neo4j.retrieval.around import scorers
from qcg_neo4j.retrieval.around.reordered import marginal
from qcg_neo4j.retrieval.catalogue import AroundSettings, asks_a_model, compose

QUESTION = "Which gym did Wolfgang recommend to Li Hua?"


def by_length(_: int, body: Body) -> Manner:
    """Cohere's shape; a long passage is a good one; the best comes first, as everywhere."""
    results = [{"index": n, "relevance_score": len(text) / 1e4} for n, text in enumerate(body["documents"])]
    return Raw(json.dumps({"results": sorted(results, key=lambda item: -item["relevance_score"])}).encode())


def of_inference(_: int, body: Body) -> Manner:
    """The shape of Text Embeddings Inference, which refuses the other one."""
    if "texts" not in body:
        return Fail(422, "missing field `texts`")
    return Raw(json.dumps([{"index": n, "score": len(text)} for n, text in enumerate(body["texts"])]).encode())


# Scorers


def test_an_endpoint_is_asked_in_the_shape_of_cohere() -> None:
    with endpoint(by_length) as fake:
        scorer = EndpointScorer(fake.url, "best-reranker", "secret")
        assert scorer.scores("Who?", ["abc", "a", "ab"]) == [0.0003, 0.0001, 0.0002]
        assert scorer.scores("Who?", []) == []
        asked = {"model": "best-reranker", "query": "Who?", "documents": ["abc", "a", "ab"], "top_n": 3}
        assert fake.calls == [asked]
        assert fake.keys == ["Bearer secret"]


def test_an_endpoint_of_the_other_shape_is_understood_and_remembered() -> None:
    with endpoint(of_inference) as fake:
        scorer = EndpointScorer(fake.url, "m")
        assert scorer.scores("Who?", ["abc", "a"]) == [3, 1]
        assert scorer.scores("Who?", ["a"]) == [1]
        assert [("texts" in body) for body in fake.calls] == [False, True, True]


@pytest.mark.parametrize(
    ("script", "message"),
    [
        (lambda *_: Fail(401, "no: secret-key"), r"answered 401.*\*\*\*.*QCG_RERANK_API_KEY"),
        (lambda *_: Fail(404), "answered 404"),
        (lambda *_: Raw(b'{"results": [{"index": 0, "relevance_score": 1}]}'), "gave 1 scores for 2 passages"),
        (lambda *_: Raw(b'{"data": []}'), "gave 0 scores for 2 passages"),
        (lambda *_: Raw(b'[{"index": 0}]'), "gave 0 scores for 2 passages"),
        (lambda *_: Raw(b'"no"'), "gave 0 scores"),
        (lambda *_: Raw(b"<html>"), "gave 0 scores|does not answer"),
        (lambda *_: Raw(b"[" * 100_000), "does not answer"),
    ],
)
def test_what_an_endpoint_does_wrong_is_told(script: Script, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorers, "RETRIES", 0)
    with endpoint(script) as fake, pytest.raises(RerankError) as told:
        EndpointScorer(fake.url, "m", "secret-key").scores("Who?", ["a", "b"])
    assert told.match(rf"(?s){message}")
    assert "secret-key" not in str(told.value)


def test_what_is_no_endpoint_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scorers, "RETRIES", 0)
    with pytest.raises(RerankError, match="'localhost' is not the address"):
        EndpointScorer("localhost", "m")
    with pytest.raises(RerankError, match="does not answer"):
        EndpointScorer("http://127.0.0.1:9/v1", "m").scores("Who?", ["a"])


WORDS = ["who", "where", "is", "the", "fox", "in", "forest", "bread"]


def tiny_model(folder: Path, labels: int = 1) -> str:
    """A real model with seeded weights."""
    import torch
    import transformers

    made: Any = transformers  # the package makes its names when they are asked for
    folder.mkdir()
    (folder / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS]))
    torch.manual_seed(3)
    shape = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = made.BertConfig(vocab_size=5 + len(WORDS), max_position_embeddings=64, num_labels=labels, **shape)
    made.BertForSequenceClassification(config).save_pretrained(folder)
    made.BertTokenizerFast(str(folder / "vocab.txt"), model_max_length=64).save_pretrained(folder)
    return str(folder)


def test_a_cross_encoder_scores_pairs(tmp_path: Path) -> None:
    from sentence_transformers import CrossEncoder

    location = tiny_model(tmp_path / "tiny")
    scorer = CrossEncoderScorer(location)
    texts = ["the fox is in the forest", "bread", "the forest " * 100]
    expected = CrossEncoder(location).predict([("where is the fox", text) for text in texts])
    found = scorer.scores("where is the fox", texts)
    assert found == pytest.approx([float(value) for value in expected])
    assert len(set(found)) == 3
    assert scorer.scores("who", []) == []


def test_models_that_do_not_fit_are_told(tmp_path: Path) -> None:
    with pytest.raises(RerankError, match="gives 2 scores for a passage, and one is needed"):
        CrossEncoderScorer(tiny_model(tmp_path / "two", 2)).scores("who", ["fox", "bread"])
    (tmp_path / "empty").mkdir()
    with pytest.raises(RerankError, match="cannot be loaded"):
        CrossEncoderScorer(str(tmp_path / "empty")).scores("who", ["fox"])


# Maximal marginal relevance


def test_marginal_relevance_by_hand() -> None:
    """The second is nearly the first, so the third comes before it: (0.4 − 0.1)/2 against (0.9 − 0.9)/2."""
    likeness = np.array([[1, 0.9, 0.1], [0.9, 1, 0.2], [0.1, 0.2, 1]], np.float32)
    taken = marginal([2.0, 1.9, 1.4, 1.0], np.pad(likeness, (0, 1)), 0.5)
    assert [place for place, _ in taken] == [0, 2, 1, 3]
    assert [value for _, value in taken] == pytest.approx([0.5, 0.15, 0.0, 0.0], abs=1e-6)
    assert [place for place, _ in marginal([2.0, 1.9, 1.4], likeness, 1.0)] == [0, 1, 2]


def test_equal_scores_are_all_relevant() -> None:
    assert [place for place, _ in marginal([3.0, 3.0], np.eye(2, dtype=np.float32), 0.7)] == [0, 1]


# On a graph


def plain(method: Method, graph: Graph, passages: int) -> list[str]:
    settings = replace(method.settings, passages=passages, context_tokens=10**9)
    return [passage.id for passage in method.with_settings(settings).retrieve(graph, QUESTION).passages]


def test_a_reranker_orders_what_the_inner_method_found(sample: Graph) -> None:
    inner = VectorBaseline(VectorSettings(passages=3, context_tokens=10**6))
    with endpoint(by_length) as fake:
        found = Reranked(inner, EndpointScorer(fake.url, "m"), candidates=12).retrieve(sample, QUESTION)
        again = Reranked(inner, EndpointScorer(fake.url, "m"), candidates=12).retrieve(sample, QUESTION)
    candidates = plain(inner, sample, 12)
    lengths = [len(passage.text) for passage in found.passages]
    texts = fake.calls[0]["documents"]
    assert len(texts) == 12
    assert lengths == sorted(map(len, texts), reverse=True)[:3]
    assert {passage.id for passage in found.passages} <= set(candidates)
    assert [passage.score for passage in found.passages] == [length / 1e4 for length in lengths]
    assert (found.method, found.question, found.settings["passages"]) == ("vector + m over 12", QUESTION, 3)
    assert found.notes[-1] == "the best of 12 passages of vector"
    assert again.passages == found.passages


def test_mmr_of_relevance_alone_changes_nothing_and_of_novelty_does(sample: Graph) -> None:
    inner = Fulltext(RetrieveSettings(passages=5, context_tokens=10**6))
    same = Diverse(inner, share=1.0, candidates=20).retrieve(sample, QUESTION)
    assert [passage.id for passage in same.passages] == plain(inner, sample, 20)[:5]
    other = Diverse(inner, share=0.3, candidates=20).retrieve(sample, QUESTION)
    assert other.passages[0].id == same.passages[0].id
    assert [passage.id for passage in other.passages] != [passage.id for passage in same.passages]
    assert {passage.id for passage in other.passages} <= set(plain(inner, sample, 20))


def test_tokens_are_limited_after_the_reordering(sample: Graph) -> None:
    inner = Fulltext(RetrieveSettings(passages=5, context_tokens=300))
    found = Diverse(inner, share=0.5, candidates=20).retrieve(sample, QUESTION)
    assert sum(passage.token_count for passage in found.passages[1:]) <= 300
    assert found.settings["context_tokens"] == 300


def test_an_answer_is_written_in_the_new_order(sample: Graph) -> None:
    """Also where the method finds atoms, which are in the order of before."""
    found = Diverse(Atomic(), share=0.5).retrieve(sample, QUESTION)
    assert Atomic().retrieve(sample, QUESTION).atoms
    assert list(found.citable) == list(found.passages)


def test_nothing_found_stays_nothing(sample: Graph) -> None:
    assert Diverse(Fulltext()).retrieve(sample, "zzzzqqq").passages == ()


def test_settings_put_them_around_a_method(tmp_path: Path) -> None:
    around = AroundSettings(rerank="m", rerank_endpoint="http://127.0.0.1:9", mmr=0.5, mmr_candidates=9)
    made = compose("fulltext", {}, around, None)
    assert made.name == "fulltext + m over 50 + MMR 0.5 over 9"
    assert not asks_a_model(Fulltext(), around)
    with pytest.raises(SettingsError, match="no model is named"):
        compose("fulltext", {}, AroundSettings(rerank_endpoint="http://127.0.0.1:9"), None)


def test_the_command_line_takes_both(sample: Graph, sample_server: TestServer, tmp_path: Path) -> None:
    environment = {"NEO4J_URI": sample_server.uri, "NEO4J_USERNAME": sample_server.user}
    environment |= {"NEO4J_PASSWORD": sample_server.password, "QCG_RERANK_API_KEY": "own"}
    with endpoint(by_length) as fake:
        given = ["--then", f"rerank=m@{fake.url}", "-s", "rerank_candidates=7", "--then", "mmr=0.9", "--json"]
        found = CliRunner().invoke(qcg, ["retrieve", "-m", "fulltext", *given, QUESTION], env=environment)
        assert found.exit_code == 0, found.output
        assert json.loads(found.stdout)["method"] == "fulltext + m over 7 + MMR 0.9 over 50"
        questions = tmp_path / "questions.jsonl"
        document = json.loads(found.stdout)["passages"][0]["document"]
        questions.write_text(json.dumps({"question": QUESTION, "evidence": [document]}))
        systems = tmp_path / "systems.toml"
        systems.write_text(f'[[system]]\nmethod = "fulltext"\nrerank = "m"\nrerank_endpoint = "{fake.url}"\n')
        run = ["evaluate", "retrieval", str(questions), "--systems", str(systems), "--output", str(tmp_path), "--json"]
        table = CliRunner().invoke(qcg, run, env=environment)
        assert table.exit_code == 0, table.output
        assert json.loads(table.stdout)["rows"][0]["method"] == "fulltext + m over 50"
        assert set(fake.keys) == {"Bearer own"}
