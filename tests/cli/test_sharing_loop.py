from __future__ import annotations

import asyncio
import contextlib
import socket
import threading

from cuedeck.cli.http.sharing_loop import SharingLoop

CLIENTS = 40


class Worker:
    """An event loop in a thread that accepts from a socket it shares."""

    def __init__(self, listening: socket.socket) -> None:
        self.accepted = 0
        self._listening = listening
        self._loop = SharingLoop()
        self._serving = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._serving.wait(5)

    def stop(self) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(5)

    def _run(self) -> None:
        self._loop.run_until_complete(self._serve())
        self._serving.set()
        self._loop.run_forever()
        self._loop.close()

    async def _serve(self) -> None:
        await self._loop.create_server(self._connected, sock=self._listening.dup(), backlog=128)

    def _connected(self) -> asyncio.Protocol:
        self.accepted += 1
        return asyncio.Protocol()


def test_a_burst_of_clients_spreads_over_the_workers_and_nobody_is_refused() -> None:
    with socket.create_server(("127.0.0.1", 0), backlog=128) as listening, contextlib.ExitStack() as open_:
        listening.setblocking(False)
        workers = [Worker(listening) for _ in range(2)]
        try:
            clients = 0
            # Two threads share one interpreter here, so who takes a turn is luck; that both do is not.
            while clients < CLIENTS or (min(w.accepted for w in workers) == 0 and clients < 50 * CLIENTS):
                open_.enter_context(socket.create_connection(listening.getsockname(), timeout=5)).close()
                clients += 1
            for _ in range(500):
                if sum(worker.accepted for worker in workers) == clients:
                    break
                threading.Event().wait(0.02)
            counts = [worker.accepted for worker in workers]
        finally:
            for worker in workers:
                worker.stop()
    assert sum(counts) == clients
    assert min(counts) >= 1
