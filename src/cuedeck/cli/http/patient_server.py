"""uvicorn's server without its ten looks a second: it sleeps until it is told to stop."""

from __future__ import annotations

import asyncio
import contextlib
from types import FrameType

import uvicorn

# The Date header of answers is renewed this often.
TICK_SECONDS = 1.0


class PatientServer(uvicorn.Server):
    """Serves as uvicorn does, and uses next to no processor while nobody asks."""

    async def main_loop(self) -> None:
        """Until a signal, or whoever sets ``should_exit``."""
        self._loop = asyncio.get_running_loop()
        self._told = asyncio.Event()
        while not await self.on_tick(0):
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._told.wait(), TICK_SECONDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """A signal ends the sleep at once."""
        super().handle_exit(sig, frame)
        if hasattr(self, "_told"):
            self._loop.call_soon_threadsafe(self._told.set)
