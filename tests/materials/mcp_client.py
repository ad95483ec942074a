"""The protocol's own client, for one piece of work; and how many tokens an agent reads."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from mcp import Client

from qcg_neo4j.models.embedding.counting import estimating

Work = Callable[[Client], Awaitable[Any]]


def with_client(target: Any, work: Work) -> Any:
    """What the work returns of a client that is connected to the target."""

    async def run() -> Any:
        async with Client(target, read_timeout_seconds=120) as client:
            return await work(client)

    return asyncio.run(run())


def tokens_of(target: Any, questions: Sequence[str]) -> tuple[int, int]:
    """The tokens (`estimating`) of the list of tools, and of the longest result of ``retrieve`` to these questions."""

    async def work(client: Client) -> tuple[str, list[str]]:
        listed = (await client.list_tools()).tools
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed]
        found = [await client.call_tool("retrieve", {"question": question}) for question in questions]
        return json.dumps(tools, ensure_ascii=False), [one.content[0].text for one in found]

    listing, answers = with_client(target, work)
    count = estimating().encode
    return len(count(listing)), max(len(count(answer)) for answer in answers)
