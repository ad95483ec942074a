"""The methods where Python people work: neo4j-graphrag, LangChain, LlamaIndex; pictures in notebooks; doctests."""

from __future__ import annotations

import asyncio
import doctest
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import nbformat
import neo4j
import pytest
from conftest import TestServer
from endpoint import Say, endpoint
from nbclient import NotebookClient
from neo4j_graphrag.generation import GraphRAG
from neo4j_graphrag.llm import OpenAILLM
from neo4j_graphrag.retrievers import ToolsRetriever

from qcg_neo4j.core.errors import MissingPackageError
from qcg_neo4j.database.graph import Graph
from qcg_neo4j.interfaces import neo4j_graphrag as places
from qcg_neo4j.retrieval import METHODS, Atomic, KgCqr, Layers, Qcg, QcgSettings
from qcg_neo4j.retrieval.around.wrapper import Answering

ROOT = Path(__file__).parents[2]
NOTEBOOK = ROOT / "qcg_neo4j/samples/methods.ipynb"
WITH_EXAMPLES = sorted(
    ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
    for file in ROOT.glob("qcg_neo4j/**/*.py")
    if ">>> " in file.read_text(encoding="utf-8")
)
QUESTION = "Which gym did Wolfgang recommend to Li Hua?"
RETRIEVERS: dict[str, Callable[[neo4j.Driver], places.MethodRetriever]] = {
    retriever.kind.name: retriever for retriever in places.SettledRetriever.__subclasses__()
}


def test_every_method_has_a_retriever() -> None:
    assert set(RETRIEVERS) == set(METHODS)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_every_retriever_serves_graphrag(sample_reports: Graph, name: str) -> None:
    retriever = RETRIEVERS[name](sample_reports.driver)
    with endpoint(lambda _, __: Say("FitZone.")) as fake:
        model = OpenAILLM("test", base_url=fake.url, api_key="none")
        found = GraphRAG(retriever, model).search(QUESTION, retriever_config={"top_k": 2}, return_context=True)
    assert found.answer == "FitZone."
    assert found.retriever_result is not None
    items = found.retriever_result.items
    assert len(items) == 2
    sent = str(fake.calls[0]["messages"])
    assert all(repr(item.content)[1:40] in sent or str(item.content)[:20] in sent for item in items)


def test_tools_retriever_lets_a_model_choose_among_the_methods(sample_reports: Graph) -> None:
    """The model chooses all of them, and the passages of each come back."""
    driver = sample_reports.driver
    tools = [
        make(driver).convert_to_tool(f"by_{name.replace('-', '_')}", f"Evidence by {name}.")
        for name, make in RETRIEVERS.items()
    ]

    class Choosing(OpenAILLM):
        """Chooses every tool, in the form in which a model would."""

        def invoke_with_tools(self, input: str, tools: Any, **_: Any) -> Any:  # type: ignore[override]  # noqa: A002
            from neo4j_graphrag.llm.types import ToolCall, ToolCallResponse

            arguments = {"query_text": input, "top_k": 1}
            chosen = [ToolCall(name=tool.get_name(), arguments=arguments) for tool in tools]
            return ToolCallResponse(tool_calls=chosen, content="")

    model = Choosing("test", api_key="none")
    found = ToolsRetriever(driver, model, tools).search(query_text=QUESTION)
    by_tool = [item.metadata["tool"] for item in found.items if item.metadata]
    assert by_tool == [tool.get_name() for tool in tools]


@pytest.mark.parametrize("method", [Qcg(QcgSettings(passages=3)), KgCqr(), Atomic(), Layers()], ids=lambda m: m.name)
def test_langchain_gets_the_passages_as_documents(sample_reports: Graph, method: Any) -> None:
    from langchain_core.runnables import RunnableLambda

    from qcg_neo4j.interfaces.langchain import LangchainRetriever

    retriever = LangchainRetriever(graph=sample_reports, method=method)
    expected = Answering(method).retrieve(sample_reports, QUESTION)  # what an answer is written from
    found = retriever.invoke(QUESTION)
    assert [document.id for document in found] == [passage.id for passage in expected.passages]
    assert found[0].page_content == expected.passages[0].text
    assert found[0].metadata["paths"]
    chain = retriever | RunnableLambda(lambda documents: [document.metadata["score"] for document in documents])
    assert chain.invoke(QUESTION) == [passage.score for passage in expected.passages]
    assert asyncio.run(retriever.ainvoke(QUESTION)) == found


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.rest
def test_llama_index_gets_the_passages_as_nodes(sample_reports: Graph) -> None:
    from llama_index.core.llms import MockLLM
    from llama_index.core.query_engine import RetrieverQueryEngine

    from qcg_neo4j.interfaces.llama_index import LlamaIndexRetriever

    method = Qcg(QcgSettings(passages=3))
    retriever = LlamaIndexRetriever(sample_reports, method)
    expected = Answering(method).retrieve(sample_reports, QUESTION).passages
    found = retriever.retrieve(QUESTION)
    assert [(node.node_id, node.score) for node in found] == [(passage.id, passage.score) for passage in expected]
    answer = RetrieverQueryEngine.from_args(retriever, llm=MockLLM()).query(QUESTION)
    assert expected[0].text[:60] in str(answer)
    assert [node.node_id for node in answer.source_nodes] == [passage.id for passage in expected]


@pytest.mark.rest
def test_the_notebook_runs_and_shows_table_and_pictures(
    sample_server: TestServer, sample_reports: Graph, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # Beforehand: a kernel is a process of its own and takes the environment as it is when it starts.
    monkeypatch.setenv("NEO4J_URI", sample_server.uri)
    monkeypatch.setenv("NEO4J_USERNAME", sample_server.user)
    monkeypatch.setenv("NEO4J_PASSWORD", sample_server.password)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not [cell for cell in notebook.cells if cell.get("outputs")]
    NotebookClient(notebook, timeout=300).execute()
    shown = [output.data for cell in notebook.cells for output in cell.get("outputs", []) if "data" in output]
    assert all(
        name in table["text/markdown"] for table in shown if "text/markdown" in table for name in ("qcg", "atomic")
    )
    pictures = [data["text/html"] for data in shown if "text/html" in data]
    assert len(pictures) == 3
    assert all(QUESTION in picture for picture in pictures[:2])


@pytest.mark.parametrize("name", [*WITH_EXAMPLES, "options"])
def test_examples_in_docstrings_are_true(name: str) -> None:
    outcome = doctest.testmod(import_module(name))
    assert outcome.attempted
    assert not outcome.failed


@pytest.mark.parametrize(
    ("module", "needs", "extra"),
    [("langchain", "langchain_core.documents", "langchain"), ("llama_index", "llama_index.core.schema", "llama-index")],
)
def test_a_missing_framework_is_named_with_its_extra(
    monkeypatch: pytest.MonkeyPatch, module: str, needs: str, extra: str
) -> None:
    monkeypatch.delitem(sys.modules, f"qcg_neo4j.interfaces.{module}", raising=False)
    monkeypatch.setitem(sys.modules, needs, None)
    with pytest.raises(MissingPackageError, match=rf"qcg-neo4j\[{extra}\]"):
        import_module(f"qcg_neo4j.interfaces.{module}")
