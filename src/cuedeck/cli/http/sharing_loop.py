"""The event loop of a worker process that shares its listening socket with others."""

from __future__ import annotations

import asyncio
from typing import Any


class SharingLoop(asyncio.SelectorEventLoop):
    """Takes one waiting connection at a time, so that clients spread over all workers."""

    async def create_server(self, *args: Any, **options: Any) -> asyncio.Server:
        """Listen as ever; the queue is long in the kernel only."""
        # asyncio accepts as many at once as the backlog holds: the first to wake would keep them all.
        server: asyncio.Server = await super().create_server(*args, **options | {"backlog": 1})
        options["sock"].listen(options["backlog"])
        return server
