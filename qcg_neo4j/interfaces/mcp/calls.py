"""The tools as functions whose signatures agents read: each parameter says what it takes, in few tokens."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Annotated, Any

from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent
from pydantic import Field

from qcg_neo4j.core.errors import QcgError
from qcg_neo4j.interfaces.mcp.tools import Tools
from qcg_neo4j.retrieval import DEFAULT_METHOD, METHODS
from qcg_neo4j.retrieval.answer import STYLES

Question = Annotated[str, Field(description="The question, in a sentence")]
MethodName = Annotated[str, Field(description=f"One of {', '.join(METHODS)}")]
Passages = Annotated[int, Field(description="How many passages")]
Settings = Annotated[dict[str, Any] | None, Field(description="Further ones of the method, by name")]
Where = Annotated[
    str | dict[str, Any] | None,
    Field(
        description='Only documents with this metadata (`inspect` metadata lists it): author = "Wu" and published >= '
        '2025-01-01 and tags has "law"'
    ),
]
Style = Annotated[str, Field(description=f"One of {', '.join(STYLES)}")]
StatementName = Annotated[str, Field(description="One of the names in the description")]
Parameters = Annotated[dict[str, Any] | None, Field(description="The statement's, by name")]
History = Annotated[
    list[dict[str, str]] | None,
    Field(description="Earlier turns (question, answer), if the question cannot be understood alone"),
]
Full = Annotated[bool, Field(description="Whole texts, not parts around the hit")]
Documents = Annotated[
    list[dict[str, Any]],
    Field(description="Documents, each with id and text, optionally title, source, published_at"),
]
Call = Callable[..., CallToolResult]


def calls(tools: Tools) -> dict[str, Call]:
    """The tools by name."""

    def retrieve(
        question: Question,
        method: MethodName = DEFAULT_METHOD,
        passages: Passages = 5,
        settings: Settings = None,
        where: Where = None,
        history: History = None,
        full: Full = False,
    ) -> CallToolResult:
        return _told(tools.retrieve, question, method, passages, settings, where, history or (), full=full)

    def answer(
        question: Question,
        method: MethodName = DEFAULT_METHOD,
        passages: Passages = 5,
        style: Style = STYLES[0],
        where: Where = None,
        history: History = None,
        full: Full = False,
    ) -> CallToolResult:
        return _told(tools.answer, question, method, passages, style, where, history or (), full=full)

    def inspect(statement: StatementName = "", parameters: Parameters = None) -> CallToolResult:
        return _told(tools.inspect, statement, parameters)

    def load(documents: Documents) -> CallToolResult:
        return _told(tools.load, documents)

    def status() -> CallToolResult:
        return _told(tools.status)

    return {call.__name__: call for call in (retrieve, answer, inspect, load, status)}


def short(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema of arguments without what is of no use to an agent: titles, null for what may be left out.

    >>> short({"title": "A", "properties": {"b": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}})
    {'properties': {'b': {'type': 'string'}}}
    """
    found = {name: value for name, value in schema.items() if name != "title" and (name, value) != ("default", None)}
    if "properties" in found:
        found["properties"] = {name: short(item) for name, item in found["properties"].items()}
    kinds = [short(kind) for kind in found.pop("anyOf", ()) if kind != {"type": "null"}]
    return {**found, **(kinds[0] if len(kinds) == 1 else {"anyOf": kinds} if kinds else {})}


def _told(call: Callable[..., dict[str, Any]], *arguments: Any, **more: Any) -> CallToolResult:
    """The call's values, as JSON without spaces too, and its errors as the protocol tells them to an agent."""
    try:
        found = call(*arguments, **more)
    except QcgError as error:
        raise ToolError(str(error)) from error
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    return CallToolResult(content=[TextContent(text=text)], structured_content=found)
