"""What a new user does first, without a language model: a folder of their own, and questions about it."""

from __future__ import annotations

from pathlib import Path

from conftest import TestServer
from first_folder import QUESTIONS, write_all
from graph_dump import query
from test_cli import Run, run  # noqa: F401 - a fixture

from qcg_neo4j.database.graph import Graph


def test_each_question_shows_its_sentence(
    run: Run,  # noqa: F811 - as pytest has it
    graph: Graph,
    server: TestServer,
    tmp_path: Path,
) -> None:
    """Sixteen documents of thirteen formats in four languages; the terminal shows the sentence that answers."""
    files = write_all(tmp_path / "documents")
    assert (len(files), len({file.suffix for file in files})) == (16, 13)
    indexed = run("index", str(tmp_path / "documents"), "--source", "none", QCG_HOME=str(server.home))
    assert indexed.code == 0, indexed.errors
    assert query(graph, "MATCH (d:Document) RETURN count(*) AS documents") == [{"documents": 16}]
    assert len(QUESTIONS) == 20
    for question, sentence in QUESTIONS.items():
        shown = run("retrieve", question, "--set", "passages=1").output
        # Lines are wrapped, within words of Chinese too.
        assert "".join(sentence.split()) in "".join(shown.split()), (question, shown)
        assert "a query" not in shown  # no model wrote questions
