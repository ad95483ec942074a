"""The tools as functions whose signatures agents read: each parameter says what it takes."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.interfaces.mcp.tools import Tools
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS
from qcg_neo4j.retrieval.answer import STYLES

Question = Annotated[str, Field(description="The question, in a sentence")]
MethodName = Annotated[str, Field(description=f"One of {', '.join(METHODS)}")]
Passages = Annotated[int, Field(description="How many passages are returned")]
Settings = Annotated[dict[str, Any] | None, Field(description="Further settings of the method, by name")]
Where = Annotated[
    str | dict[str, Any] | None,
    Field(
        description='Only documents with this metadata, such as author = "Wu" and published >= 2025-01-01 and tags has '
        '"law"; `inspect` with metadata says what there is'
    ),
]
Style = Annotated[str, Field(description=f"One of {', '.join(STYLES)}")]
StatementName = Annotated[str, Field(description="The name of one of the statements that the description lists")]
Parameters = Annotated[dict[str, Any] | None, Field(description="The statement's parameters, by name")]
History = Annotated[
    list[dict[str, str]] | None,
    Field(description="Earlier turns, each with question and answer, where the question cannot be understood alone"),
]
Documents = Annotated[
    list[dict[str, Any]],
    Field(description="Documents, each with id and text, optionally title, source, published_at"),
]
Call = Callable[..., dict[str, Any]]


def calls(tools: Tools) -> dict[str, Call]:
    """The tools by name."""

    def retrieve(
        question: Question,
        method: MethodName = DEFAULT_METHOD,
        passages: Passages = 5,
        settings: Settings = None,
        where: Where = None,
        history: History = None,
    ) -> dict[str, Any]:
        return _told(tools.retrieve)(question, method, passages, settings, where, history or ())

    def answer(
        question: Question,
        method: MethodName = DEFAULT_METHOD,
        passages: Passages = 5,
        style: Style = STYLES[0],
        where: Where = None,
        history: History = None,
    ) -> dict[str, Any]:
        return _told(tools.answer)(question, method, passages, style, where, history or ())

    def inspect(statement: StatementName = "", parameters: Parameters = None) -> dict[str, Any]:
        return _told(tools.inspect)(statement, parameters)

    def load(documents: Documents) -> dict[str, Any]:
        return _told(tools.load)(documents)

    def status() -> dict[str, Any]:
        return _told(tools.status)()

    return {call.__name__: call for call in (retrieve, answer, inspect, load, status)}


def _told(call: Call) -> Call:
    """The call with this package's errors as the protocol tells them, so that an agent can act on them."""

    @wraps(call)
    def run(*arguments: Any) -> dict[str, Any]:
        try:
            return call(*arguments)
        except QcgError as error:
            raise ToolError(str(error)) from error

    return run
