"""The tools in the official package ``mcp``: their names, descriptions and hints, and how they are served."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING, BinaryIO

from qcg_neo4j.core.errors import needs
from qcg_neo4j.interfaces.mcp.tools import McpSettings, Tools, signatures
from qcg_neo4j.retrieval.method import ANSWER_PASSAGES
from qcg_neo4j.retrieval.reasons import TELLING
from qcg_neo4j.server.machine import LOOPBACK

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


INSTRUCTIONS = (
    "A graph of documents with five layers: documents and chunks, queries that chunks answer, entities and their "
    "relations, atomic facts, communities with reports. Ask `status` what is there, `retrieve` for evidence, `inspect` "
    "to look around. Cite a passage by its document and index."
)


def server_of(tools: Tools) -> MCPServer:
    """The tools as a server of the protocol.

    Raises:
        MissingPackageError: the package mcp is not installed.
    """
    with needs("Serving agents", "mcp", "mcp"):
        from mcp.server.mcpserver import MCPServer
        from mcp.types import Tool, ToolAnnotations

        from qcg_neo4j.interfaces.mcp.calls import calls, short

    class Short(MCPServer):  # type: ignore[misc] # whose types are not read
        """Lists its tools in few tokens."""

        async def list_tools(self) -> list[Tool]:
            return [
                tool.model_copy(update={"input_schema": short(tool.input_schema)})
                for tool in await super().list_tools()
            ]

    server = Short("qcg-neo4j", instructions=INSTRUCTIONS, version=version("qcg-neo4j"), log_level="WARNING")
    reading = ToolAnnotations(read_only_hint=True, open_world_hint=False)
    writing = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False)
    for name, call in calls(tools).items():
        if name != "load" or tools.settings.allow_write:
            hints = writing if name == "load" else reading
            server.add_tool(call, description=_DESCRIPTIONS[name](tools.settings), annotations=hints)
    return server


def serve(tools: Tools) -> None:
    """Serve until the client goes away (standard input and output) or an interrupt comes (HTTP)."""
    server = server_of(tools)
    if tools.settings.http:
        server.run("streamable-http", host=LOOPBACK, port=tools.settings.port)
    else:
        sys.stdin = io.TextIOWrapper(io.BufferedReader(MendedLines(sys.stdin.buffer)), encoding="utf-8")
        server.run("stdio")


_DESCRIPTIONS: dict[str, Callable[[McpSettings], str]] = {
    "retrieve": lambda limits: (
        f"Find the passages that answer a question, best first, at most {limits.passages}: text is the part around the "
        f"hit, reasons are the {TELLING} most informative. nearest says how near the best is to the question (0 "
        f"to 1), and in a word: found, weak, nothing near. Of each text at most {limits.characters} characters."
    ),
    "answer": lambda limits: (
        f"Answer a question from its evidence: that many passages are read (at most {limits.passages}), and the next "
        f"best up to {ANSWER_PASSAGES}; the cited ones are returned with their numbers. text is null where no language "
        f"model is configured."
    ),
    "inspect": lambda limits: (
        f"Rows of one of these reading statements, at most {limits.rows}; no other Cypher is run. Without a name: what "
        f"each takes and gives.\n{signatures(limits.where is not None)}"
    ),
    "load": lambda limits: (
        f"Load documents, at most {limits.documents} at once. The same again changes nothing. Then run the stages that "
        f"are stale."
    ),
    "status": lambda _: "What the graph holds, stage by stage, what is stale and what is missing.",
}
