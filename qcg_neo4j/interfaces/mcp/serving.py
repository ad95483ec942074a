"""The tools in the official package ``mcp``: their names, descriptions and hints, and how they are served."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from functools import wraps
from importlib.metadata import version
from typing import TYPE_CHECKING, Any, BinaryIO

from qcg_neo4j.core.errors import QcgError, needs
from qcg_neo4j.interfaces.mcp.settings import McpSettings
from qcg_neo4j.interfaces.mcp.tools import Tools, method_names, statement_list
from qcg_neo4j.retrieval import DEFAULT_METHOD
from qcg_neo4j.retrieval.answer import STYLES

if TYPE_CHECKING:
    from mcp.server.mcpserver import MCPServer


_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
# Backslashes in pairs are letters; a high half with the low one behind it is a character.
_TOKEN = re.compile(rb"\\\\|" + _HIGH + _LOW + rb"|(" + _HIGH + rb"|" + _LOW + rb")")
_REPLACEMENT = rb"\ufffd"


def mended(line: bytes) -> bytes:
    r"""A line of JSON in which the escape of an unpaired surrogate is that of U+FFFD.

    >>> mended(rb'["\ud83c\udf89", "a\ud800", "\\ud800"]')
    b'["\\ud83c\\udf89", "a\\ufffd", "\\\\ud800"]'
    """
    return _TOKEN.sub(lambda found: _REPLACEMENT if found[1] else found[0], line)


class MendedLines(io.RawIOBase):
    """The lines of a stream with unpaired surrogates replaced."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream, self._left = stream, b""

    def readable(self) -> bool:
        """It can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override] # any buffer will do
        """As much of the present line as fits."""
        self._left = self._left or mended(self._stream.readline())
        size = min(len(buffer), len(self._left))
        buffer[:size], self._left = self._left[:size], self._left[size:]
        return size


LOOPBACK = "127.0.0.1"
INSTRUCTIONS = (
    "A graph of documents with five layers: documents and chunks, queries that chunks answer, entities and their "
    "relations, atomic facts, communities with reports. Ask `status` what is there, `retrieve` for evidence, `inspect` "
    "to look around. Cite a passage by its document and index."
)

WHERE = (
    'where: only documents with this metadata, such as author = "Wu" and published >= 2025-01-01 and tags has "law" '
    "(`inspect` with metadata says what there is)."
)
HISTORY = "history: earlier turns as {question, answer}, where the question cannot be understood alone. "


def server_of(tools: Tools) -> MCPServer:
    """The tools as a server of the protocol.

    Raises:
        MissingPackageError: the package mcp is not installed.
    """
    with needs("Serving agents", "mcp", "mcp"):
        from mcp.server.mcpserver import MCPServer
        from mcp.types import ToolAnnotations

    def retrieve(
        question: str,
        method: str = DEFAULT_METHOD,
        passages: int = 5,
        settings: dict[str, Any] | None = None,
        where: str | dict[str, Any] | None = None,
        history: list[dict[str, str]] | None = None,
    ) -> dict[str, Any]:
        return _told(tools.retrieve)(question, method, passages, settings, where, history or ())

    def answer(
        question: str,
        method: str = DEFAULT_METHOD,
        passages: int = 5,
        style: str = STYLES[0],
        where: str | dict[str, Any] | None = None,
        history: list[dict[str, str]] | None = None,
    ) -> dict[str, Any]:
        return _told(tools.answer)(question, method, passages, style, where, history or ())

    def inspect(statement: str = "", parameters: dict[str, Any] | None = None) -> dict[str, Any]:
        return _told(tools.inspect)(statement, parameters)

    def load(documents: list[dict[str, Any]]) -> dict[str, Any]:
        return _told(tools.load)(documents)

    def status() -> dict[str, Any]:
        return _told(tools.status)()

    server = MCPServer("qcg-neo4j", instructions=INSTRUCTIONS, version=version("qcg-neo4j"), log_level="WARNING")
    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    writing = ToolAnnotations(
        read_only_hint=False,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )
    for tool in (retrieve, answer, inspect, status):
        server.add_tool(tool, description=_DESCRIPTIONS[tool.__name__](tools.settings), annotations=reading)
    if tools.settings.allow_write:
        server.add_tool(load, description=_DESCRIPTIONS["load"](tools.settings), annotations=writing)
    return server


def serve(tools: Tools) -> None:
    """Serve until the client goes away (standard input and output) or an interrupt comes (HTTP)."""
    server = server_of(tools)
    if tools.settings.http:
        server.run("streamable-http", host=LOOPBACK, port=tools.settings.port)
    else:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(MendedLines(sys.stdin.buffer)), encoding="utf-8")
        server.run("stdio")


def _told(call: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The call with this package's errors as the protocol tells them, so that an agent can act on them."""
    from mcp.server.mcpserver.exceptions import ToolError

    @wraps(call)
    def run(*arguments: Any) -> dict[str, Any]:
        try:
            return call(*arguments)
        except QcgError as error:
            raise ToolError(str(error)) from error

    return run


_DESCRIPTIONS: dict[str, Callable[[McpSettings], str]] = {
    "retrieve": lambda limits: (
        f"Find the passages that answer a question, best first, with the paths that led to each. method: one of "
        f"{method_names()}. passages: at most {limits.passages}. settings: further settings of the method by name. "
        f"{WHERE} {HISTORY}"
        f"At most {limits.rows} reports and atoms each, and {limits.characters} characters of a text, are returned."
    ),
    "answer": lambda limits: (
        f"Answer a question from its evidence, citing passages; text is null where no language model is configured. "
        f"method: one of {method_names()}. passages: minimum number to read (at most {limits.passages}), "
        f"more are read if they are short. style: {', '.join(STYLES)}. "
        f"{WHERE} {HISTORY}"
    ),
    "inspect": lambda limits: (
        f"Run one of these reading statements and return its rows, at most {limits.rows}; no other Cypher is run.\n"
        f"{statement_list(limits.where is not None)}"
    ),
    "load": lambda limits: (
        f"Load documents, at most {limits.documents} at once; each has id and text, optionally title, source, "
        f"published_at. The same again changes nothing. Then run the stages that are stale."
    ),
    "status": lambda _: "What the graph holds, stage by stage, what is stale and what is missing.",
}
