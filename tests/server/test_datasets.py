"""Public benchmarks in their published forms: tiny samples made here, real ones where they are, and clear errors."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from conftest import TestServer

from qcg_neo4j.cli import qcg
from qcg_neo4j.core.errors import InputError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.evaluation.datasets import FORMATS, Dataset, read_dataset
from qcg_neo4j.evaluation.questions import questions_of

SHARED = Path(os.environ.get("QCG_DATA") or Path(__file__).parents[3] / "shared/data")


def put(folder: Path, name: str, content: Any) -> Path:
    """Write a file: text as it is, anything else as JSON with a member on each line."""
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content, indent=1), encoding="utf-8")
    return path


def ids(found: Dataset) -> list[str]:
    return [document.id for document in found.documents]


def lihua_world(folder: Path) -> None:
    put(folder, "data/LiHua-World/week1/20260105_1100.txt", "Time: 20260105_11:00\nLiHua: Hello")
    put(folder, "data/LiHua-World/bakery/20260412.txt", "Time: 20260412_08:11\nBread")
    asked = {
        "question": "Who says hello?",
        "answer": "LiHua",
        "evidence": "20260105_11:00<and>20260412_08:11",
        "type": "Multi",
    }
    null = {"question": "Why?", "answer": "Insufficient information", "evidence": "N/A", "type": "Null"}
    odd = {
        "question": "When?",
        "answer": "Never",
        "evidence": "Time: 20260105_11:00<and>20260101_0900",
        "type": "Single",
    }
    put(folder, "qa/query_set.json", {"0": asked, "1": null, "2": odd})


def multihop_rag(folder: Path) -> None:
    article = {"title": "T", "author": "A", "source": "S", "published_at": "2023-10-01T14:00:29+00:00", "category": "c"}
    corpus = [article | {"url": f"https://n/{name}", "body": f"Body of {name}"} for name in "ab"]
    put(folder, "corpus.json", corpus)
    evidence = [article | {"url": f"https://n/{name}", "fact": "So."} for name in "bab"]
    asked = {"query": "Both?", "answer": "Yes", "question_type": "comparison_query", "evidence_list": evidence}
    null = {"query": "None?", "answer": "Insufficient information.", "question_type": "null_query", "evidence_list": []}
    put(folder, "MultiHopRAG.json", [asked, null])


def facts(folder: Path, name: str) -> None:
    corpus = [{"title": "Ann", "text": "Ann is here.She is tall.", "idx": 0}, {"title": "Bob", "text": "Bob", "idx": 1}]
    corpus += [{"title": "Ann", "text": "Another Ann", "idx": 2}, {"title": "Bob", "text": "Bob", "idx": 3}]
    put(folder, f"{name}_corpus.json", corpus)
    context = [["Ann", ["Ann is here.", " She is tall."]], ["Bob", ["Bob"]]]
    asked = {"_id": "5a", "question": "Who is tall? ", "answer": "Ann", "type": "bridge", "context": context}
    put(folder, f"{name}.json", [asked | {"supporting_facts": [["Ann", 0], ["Ann", 1]]}])


def musique(folder: Path) -> None:
    put(folder, "reproduce/dataset/musique_corpus.json", [{"title": name, "text": f"{name}'s"} for name in "ABC"])
    paragraphs = [
        {"idx": n, "title": t, "paragraph_text": f"{t}'s", "is_supporting": t != "B"} for n, t in enumerate("ABC")
    ]
    asked = {"id": "2hop__1_2", "question": "Whose?", "answer": "A's", "answer_aliases": ["of A", "A's"]}
    put(folder, "reproduce/dataset/musique.json", [asked | {"paragraphs": paragraphs}])


def graphrag_bench(folder: Path, name: str, texts: Any) -> None:
    put(folder, f"Datas/Corpus/{name}.json", texts)
    asked = {
        "id": "N-1",
        "source": "N-44",
        "question": "Which plant?",
        "answer": "Heath",
        "question_type": "Fact Retrieval",
    }
    put(folder, f"Datas/Questions/{name}_questions.json", [asked])


def ultradomain(folder: Path) -> None:
    line: dict[str, Any] = {
        "input": "What is hive?",
        "answers": ["A box", "a house"],
        "label": "agriculture",
        "_id": "q1",
    }
    line |= {"context": "All about bees", "context_id": "c1", "meta": {"title": "Bees", "authors": "X"}}
    other = line | {"_id": "q2", "input": "And honey?"}
    put(folder, "agriculture.jsonl", "".join(json.dumps(item) + "\n" for item in (line, other)))


def ragbench(folder: Path) -> None:
    line = {
        "id": "r1",
        "question": "What is hive?",
        "documents": ["All about bees", "Of wasps", " "],
        "response": "A box.",
        "dataset_name": "covidqa",
        "all_relevant_sentence_keys": ["0a", "0b"],
    }
    both = (line, line | {"response": "Another."})  # once per model that responded
    put(folder, "covidqa.jsonl", "".join(json.dumps(item) + "\n" for item in both))


def lfrqa(folder: Path) -> None:
    put(folder, "science_test_collection.tsv", "0\tAll about bees\n1\tOf wasps\n")
    line = {"qid": "s-1", "question": "What is hive?", "answer": "A box [1].", "gold_doc_ids": [0]}
    put(folder, "annotations_science_with_citation.jsonl", json.dumps(line) + "\n")


def test_lihua_world(tmp_path: Path) -> None:
    lihua_world(tmp_path)
    found = read_dataset("lihua-world", tmp_path)
    assert ids(found) == ["20260412_08:11", "20260105_11:00"]
    assert [question["evidence"] for question in found.questions] == [
        ["20260105_11:00", "20260412_08:11"],
        [],
        ["20260105_11:00"],
    ]
    questions = questions_of(found.questions, "x")
    assert [(question.type, question.is_null) for question in questions] == [
        ("multi", False),
        ("null", True),
        ("single", False),
    ]
    assert found.notes == (
        f"1 times that no record has are left out: '20260101_09:00' ({tmp_path}/qa/query_set.json:14)",
    )


def test_multihop_rag(tmp_path: Path) -> None:
    multihop_rag(tmp_path)
    found = read_dataset("multihop-rag", tmp_path)
    first = found.documents[0]
    assert (first.id, first.title, first.source, first.text) == ("https://n/a", "T", "S", "Body of a")
    assert (first.published_at, first.metadata) == ("2023-10-01T14:00:29+00:00", {"author": "A", "category": "c"})
    asked, null = questions_of(found.questions, "x")
    assert asked.evidence == ("https://n/b", "https://n/a")
    assert null.is_null


@pytest.mark.parametrize("name", ["hotpotqa", "2wikimultihopqa"])
def test_supporting_facts_are_passages(tmp_path: Path, name: str) -> None:
    facts(tmp_path, name)
    found = read_dataset(name, tmp_path)
    assert ids(found) == ["Ann", "Bob", "Ann (2)"]
    assert found.documents[0].passages == ("Ann\nAnn is here.She is tall.",)
    (asked,) = found.questions
    assert (asked["id"], asked["question"], asked["type"], asked["evidence"]) == (
        "5a",
        "Who is tall?",
        "bridge",
        ["Ann"],
    )
    assert found.notes == (f"1 duplicate passages are loaded once: 'Bob' ({tmp_path}/{name}_corpus.json:17)",)


def test_musique(tmp_path: Path) -> None:
    musique(tmp_path)
    (asked,) = questions_of(read_dataset("musique", tmp_path).questions, "x")
    assert (asked.evidence, asked.type, asked.answer, asked.aliases) == (("A", "C"), "2 hops", "A's", ("of A",))


def test_graphrag_bench(tmp_path: Path) -> None:
    texts = [{"corpus_name": name, "context": f"Text of {name}"} for name in ("N-44", "N-45")]
    graphrag_bench(tmp_path, "novel", texts)
    novel = read_dataset("graphrag-bench-novel", tmp_path)
    assert ids(novel) == ["N-44", "N-45"]
    assert novel.questions[0]["evidence"] == ["N-44"]
    graphrag_bench(tmp_path, "medical", texts[0])
    medical = read_dataset("graphrag-bench-medical", tmp_path)
    assert ids(medical) == ["N-44"]
    assert medical.questions[0]["evidence"] == []
    assert not questions_of(medical.questions, "x")[0].is_null


def test_ultradomain(tmp_path: Path) -> None:
    ultradomain(tmp_path)
    found = read_dataset("ultradomain", tmp_path)
    assert found == read_dataset("ultradomain", tmp_path / "agriculture.jsonl")
    assert [(document.id, document.title, document.text) for document in found.documents] == [
        ("c1", "Bees", "All about bees")
    ]
    asked = questions_of(found.questions, "x")
    assert [(question.id, question.evidence, question.aliases) for question in asked] == [
        ("q1", ("c1",), ("a house",)),
        ("q2", ("c1",), ("a house",)),
    ]


def test_ragbench(tmp_path: Path) -> None:
    ragbench(tmp_path)
    found = read_dataset("ragbench", tmp_path)
    assert [document.text for document in found.documents] == ["All about bees", "Of wasps"]
    asked = questions_of(found.questions, "x")
    assert [(question.id, question.answer, question.type) for question in asked] == [("r1", "A box.", "covidqa")]
    assert asked[0].evidence == (found.documents[0].id,)
    wrong = (tmp_path / "covidqa.jsonl").read_text().replace("0b", "7b")
    put(tmp_path, "covidqa.jsonl", wrong)
    with pytest.raises(InputError, match="names '7b', which is in none of the documents"):
        read_dataset("ragbench", tmp_path)


def test_lfrqa(tmp_path: Path) -> None:
    lfrqa(tmp_path)
    found = read_dataset("lfrqa", tmp_path)
    assert [(document.id, document.text) for document in found.documents] == [
        ("0", "All about bees"),
        ("1", "Of wasps"),
    ]
    asked = questions_of(found.questions, "x")
    assert [(question.id, question.evidence, question.answer) for question in asked] == [("s-1", ("0",), "A box [1].")]
    put(tmp_path, "science_test_collection.tsv", "1\tOf wasps\n")
    with pytest.raises(InputError, match="holds no passage 0, which 'gold_doc_ids' names"):
        read_dataset("lfrqa", tmp_path)
    put(tmp_path, "science_test_collection.tsv", "0 All about bees\n")
    with pytest.raises(InputError, match=r"collection\.tsv:1: not a number and a text"):
        read_dataset("lfrqa", tmp_path)


# What is wrong

MAKE: dict[str, Callable[[Path], None]] = {
    "lihua-world": lihua_world,
    "multihop-rag": multihop_rag,
    "hotpotqa": lambda folder: facts(folder, "hotpotqa"),
    "2wikimultihopqa": lambda folder: facts(folder, "2wikimultihopqa"),
    "musique": musique,
    "graphrag-bench-novel": lambda folder: graphrag_bench(folder, "novel", [{"corpus_name": "N-44", "context": "x"}]),
    "graphrag-bench-medical": lambda folder: graphrag_bench(folder, "medical", {"corpus_name": "N-44", "context": "x"}),
    "ultradomain": ultradomain,
    "ragbench": ragbench,
    "lfrqa": lfrqa,
}


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_folder_without_the_files_is_told_what_is_looked_for(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"does not hold the .*\n"):
        read_dataset(name, tmp_path)


@pytest.mark.parametrize("name", list(FORMATS))
def test_a_missing_file_a_missing_field_and_broken_json_are_named(name: str, tmp_path: Path) -> None:
    MAKE[name](tmp_path)
    files = [path for path in tmp_path.rglob("*.json*") if path.is_file()]
    assert files
    for path in files:
        text = path.read_text()
        path.write_text(text.replace('"question"', '"q"').replace('"query"', '"q"').replace('"input"', '"q"'))
        if path.read_text() != text:
            with pytest.raises(InputError, match=rf"{path.name}:\d+: the field '(question|query|input)' is missing"):
                read_dataset(name, tmp_path)
        path.write_text(text.rstrip()[:-1])
        with pytest.raises(InputError, match=rf"{path.name}:\d+: not JSON"):
            read_dataset(name, tmp_path)
        path.write_text(text)
        path.rename(path.with_name("elsewhere"))
        with pytest.raises(InputError, match="does not hold the"):
            read_dataset(name, tmp_path)
        path.with_name("elsewhere").rename(path)


def test_evidence_that_the_corpus_lacks_is_named(tmp_path: Path) -> None:
    musique(tmp_path)
    put(tmp_path, "reproduce/dataset/musique_corpus.json", [{"title": "A", "text": "A's"}])
    with pytest.raises(InputError, match=r"musique\.json:2: the corpus does not hold the supporting passage 'C'"):
        read_dataset("musique", tmp_path)
    multihop_rag(tmp_path)
    put(tmp_path, "corpus.json", [{"title": "T", "url": "https://n/a", "body": "x"}])
    with pytest.raises(InputError, match="holds no article https://n/b"):
        read_dataset("multihop-rag", tmp_path)
    graphrag_bench(tmp_path, "novel", [{"corpus_name": "N-1", "context": "x"}])
    with pytest.raises(InputError, match="holds no text 'N-44'"):
        read_dataset("graphrag-bench-novel", tmp_path)


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("7", "1: neither a list nor an object"),
        ("[\n7]", "2: not a JSON object"),
        ("[{},\n", "2: not JSON"),
        ('{\n"title":', "2: not JSON"),
    ],
)
def test_files_of_another_form_are_told(tmp_path: Path, content: str, reason: str) -> None:
    multihop_rag(tmp_path)
    put(tmp_path, "corpus.json", content.replace("{}", json.dumps({"title": "T", "url": "u", "body": "b"})))
    with pytest.raises(InputError, match=rf"corpus\.json:{reason}"):
        read_dataset("multihop-rag", tmp_path)


def test_the_command_takes_the_name_of_a_format(tmp_path: Path) -> None:
    musique(tmp_path)
    put(tmp_path, "given.jsonl", json.dumps({"question": "Whose?", "answer": "Of A"}))
    given = ["--format", "musique", "--answers", str(tmp_path / "given.jsonl"), "--measure", "match", "--json"]
    found = CliRunner().invoke(qcg, ["evaluate", "answers", str(tmp_path), *given, "--output", str(tmp_path / "out")])
    assert json.loads(found.stdout)["rows"][0]["figures"]["exact match"]["mean"] == 1


@pytest.mark.rest
def test_a_benchmark_is_loaded_and_measured_by_its_name(graph: Graph, server: TestServer, tmp_path: Path) -> None:
    facts(tmp_path, "hotpotqa")
    environment = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.user, "NEO4J_PASSWORD": server.password}
    given = [str(tmp_path), "--format", "hotpotqa"]
    loaded = CliRunner().invoke(qcg, ["load", *given, "--json"], env=environment)
    assert loaded.exit_code == 0, loaded.output
    assert json.loads(loaded.stdout)["added"] == 3
    assert "Note: 1 duplicate passages are loaded once" in loaded.stderr
    measured = ["evaluate", "retrieval", *given, "--method", "fulltext", "--output", str(tmp_path / "out"), "--json"]
    found = CliRunner().invoke(qcg, measured, env=environment)
    assert found.exit_code == 0, found.output
    assert json.loads(found.stdout)["rows"][0]["figures"]["recall@10"]["mean"] == 1


def test_with_a_format_there_is_one_folder(tmp_path: Path) -> None:
    found = CliRunner().invoke(qcg, ["load", str(tmp_path), str(tmp_path), "--format", "musique"])
    assert "With --format there is one folder, and 2 are given." in str(found.exception)


# The real ones, where they are


def shared(name: str) -> Path:
    if not (SHARED / name).is_dir():
        pytest.skip(f"{SHARED / name} is not there")
    return SHARED / name


def test_the_real_musique_questions_have_their_passages() -> None:
    found = read_dataset("musique", shared("musique-train100"))
    assert (len(found.documents), len(found.questions)) == (1890, 100)
    assert len(set(ids(found))) == 1890
    lines = (SHARED / "musique-train100/recorded/passages.jsonl").read_text(encoding="utf-8").splitlines()
    recorded = {json.loads(line)["text"] for line in lines}
    assert {document.passages[0] for document in found.documents} == recorded
    assert all(2 <= len(question["evidence"]) <= 4 for question in found.questions)


def test_the_real_medical_questions_are_read() -> None:
    found = read_dataset("graphrag-bench-medical", shared("graphbench-medical"))
    assert (len(found.documents), len(found.questions)) == (1030, 2062)
    assert len(questions_of(found.questions, "x")) == 2062
