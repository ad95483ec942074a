"""The protocol's own client, for one piece of work; and how many tokens an agent reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp import Client

from qcg_neo4j.models.embedding.windows import estimating

Work = Callable[[Client], Awaitable[Any]]


def with_client(target: Any, work: Work) -> Any:
    """What the work returns of a client that is connected to the target."""

    async def run() -> Any:
        async with Client(target, read_timeout_seconds=120) as client:
            return await work(client)

    return asyncio.run(run())


def tokens_of(target: Any, questions: Sequence[str], methods: Sequence[str]) -> tuple[int, dict[str, int]]:
    """Tokens (`estimating`) of the list of tools, and of each method's longest result of ``retrieve`` to questions."""
    count = estimating().encode

    async def work(client: Client) -> tuple[int, dict[str, int]]:
        listed = (await client.list_tools()).tools
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
        longest = {}
        for method in methods:
            found = [await client.call_tool("retrieve", {"question": one, "method": method}) for one in questions]
            longest[method] = max(len(count(one.content[0].text)) for one in found)
        return len(count(json.dumps(tools, ensure_ascii=False))), longest

    measured: tuple[int, dict[str, int]] = with_client(target, work)
    return measured
