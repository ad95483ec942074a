"""The protocol's own client, for one piece of work."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

from mcp import Client

Work = Callable[[Client], Awaitable[Any]]


def with_client(target: Any, work: Work) -> Any:
    """What the work returns of a client that is connected to the target."""

    async def run() -> Any:
        async with Client(target, read_timeout_seconds=120) as client:
            return await work(client)

    return asyncio.run(run())
