"""uvicorn's HTTP with time limits for what a client owes, and a calm end to requests that break off."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol


class GuardedHttp(H11Protocol):
    """Serves as uvicorn does, and hangs up on a client that never ends its headers or an answered request."""

    head_seconds = 20.0
    _patience: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """The first request is due."""
        super().connection_made(transport)
        self._await_rest()

    def data_received(self, data: bytes) -> None:
        """Some of a request; what is left of it is due as long as before."""
        super().data_received(data)
        self._await_rest()

    def connection_lost(self, exc: Exception | None) -> None:
        """Nothing is due any more."""
        self._be_patient()
        super().connection_lost(exc)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP and hang up, whatever was being answered."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.cycle.disconnected = True
            self.cycle.message_event.set()
        # An answer that has begun, or one to HEAD, leaves no room for a refusal.
        with suppress(h11.LocalProtocolError):
            super().send_400_response(msg)
        self.transport.close()

    def _await_rest(self) -> None:
        # A body is waited for by whoever reads it; once the answer is out nobody does.
        owed = self.conn.their_state is h11.IDLE or self.conn.our_state in (h11.DONE, h11.MUST_CLOSE)
        if not owed or self.transport.is_closing():
            self._be_patient()
        elif self._patience is None:
            self._patience = self.loop.call_later(self.head_seconds, self.transport.close)

    def _be_patient(self) -> None:
        if self._patience is not None:
            self._patience.cancel()
            self._patience = None
