"""The workspace's background process: greets clients, serves each as it chose, ends when idle."""

from __future__ import annotations

import gc
import logging
import os
import signal
import threading
import time
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
import anyio.abc
import anyio.to_thread
from anyio.streams.buffered import BufferedByteReceiveStream

from cuedeck.daemon import protocol
from cuedeck.daemon.client import Client, Hello
from cuedeck.daemon.life import Life
from cuedeck.daemon.location import Address
from cuedeck.daemon.source import source_stamp
from cuedeck.inotify import DELETE, DELETE_SELF, MOVE_SELF, MOVED_FROM, Inotify
from cuedeck.model.clock import iso_seconds, now_ms
from cuedeck.model.errors import CueError, ErrorCode

if TYPE_CHECKING:
    from cuedeck.daemon.session import Session, Sessions

logger = logging.getLogger("cuedeck.daemon")

GRACE_SECONDS = 10.0
STUCK_SECONDS = 5.0
BACKLOG = 1024


class Daemon:
    """One per workspace and user."""

    def __init__(self, address: Address, life: Life, log: Path, ready: Callable[[], None]) -> None:
        self._address = address
        self._life = life
        self._log = log
        self._ready = ready
        self._sessions: Sessions
        self._source = _own_source()
        self._started = now_ms()
        self._began = time.monotonic()
        self._idle_seconds = 60.0
        self._news = anyio.Event()
        self._draining = False
        self._stopping = False

    async def serve(self) -> None:
        """Serve until idle, told to stop, or replaced."""
        listener = await anyio.create_unix_listener(self._address.socket, mode=0o600, backlog=BACKLOG)
        self._ready()
        # Clients already queue on the socket while the server loads.
        from cuedeck.daemon.session import Sessions

        self._sessions = Sessions(Path(self._address.root))
        gc.freeze()
        gc.enable()
        logger.info("serving %s, pid %d", self._address.root, os.getpid())
        async with listener, anyio.create_task_group() as tasks:
            tasks.start_soon(self._obey_signals)
            tasks.start_soon(self._notice_loss)
            tasks.start_soon(listener.serve, self._greet)
            await self._wait_for_end()
            self._leave_if_stuck()
            tasks.cancel_scope.cancel()
        self._sessions.close()
        logger.info("ended after %d sessions", self._sessions.served)

    async def _wait_for_end(self) -> None:
        """Return when nobody is connected and nobody came for a while, or the end was asked for."""
        while not self._stopping:
            if self._sessions:
                await self._news.wait()
            elif self._draining:
                return
            else:
                await self._wait_while_idle()
        self._sessions.end_input()
        with anyio.move_on_after(GRACE_SECONDS):
            while self._sessions:
                await self._news.wait()

    def _leave_if_stuck(self) -> None:
        """A call that never ends keeps its thread, and with it the process: what is committed is safe."""

        def leave() -> None:
            logger.error("left while a call had not ended %g s after the grace", STUCK_SECONDS)
            logging.shutdown()
            os._exit(1)

        timer = threading.Timer(STUCK_SECONDS, leave)
        timer.daemon = True
        timer.start()

    async def _wait_while_idle(self) -> None:
        with anyio.move_on_after(self._idle_seconds) as quiet:
            await self._news.wait()
        if quiet.cancelled_caught and not self._sessions:
            logger.info("idle for %d s", self._idle_seconds)
            self._drain()

    def _tell(self) -> None:
        self._news.set()
        self._news = anyio.Event()

    def _drain(self) -> None:
        """Take no more clients; another daemon may take the socket's path."""
        if not self._draining:
            self._draining = True
            self._life.end()
            self._tell()

    def _stop(self, why: str) -> None:
        logger.info("stopping: %s", why)
        self._drain()
        self._stopping = True
        self._tell()

    async def _obey_signals(self) -> None:
        with anyio.open_signal_receiver(signal.SIGTERM, signal.SIGINT, signal.SIGHUP) as signals:
            async for number in signals:
                if number != signal.SIGHUP:
                    self._stop(signal.Signals(number).name)

    async def _notice_loss(self) -> None:
        """Make way when somebody removed the socket: nobody else could reach this daemon or start another."""
        path = Path(self._address.socket)
        with suppress(OSError), closing(Inotify()) as watch:
            watch.add(path.parent, DELETE | MOVED_FROM | DELETE_SELF | MOVE_SELF)
            while path.exists():
                await anyio.wait_readable(watch.descriptor)
                watch.events()
            if not self._draining:
                logger.warning("making way: somebody removed the socket")
                self._drain()

    async def _greet(self, stream: anyio.abc.SocketStream) -> None:
        client = Client(stream, BufferedByteReceiveStream(stream))
        async with stream:
            try:
                if client.is_ours():
                    await self._answer(client, await client.hello())
            except (TimeoutError, protocol.BadHello, anyio.DelimiterNotFound) as error:
                logger.warning("refused a client: %s", error)
            except (anyio.EndOfStream, anyio.IncompleteRead, OSError, anyio.BrokenResourceError):
                logger.debug("a client went away")
            except Exception:
                # One client's trouble must not end the daemon for all others.
                logger.exception("a session failed")

    async def _answer(self, client: Client, hello: Hello) -> None:
        match hello.verb:
            case protocol.STATUS:
                await client.accept(self.status())
            case protocol.STOP:
                await client.accept({"pid": os.getpid()})
                self._stop("asked to")
            case _ if self._suits(hello):
                await self._serve(client, hello)
            case _:
                await client.send_away()

    def _suits(self, hello: Hello) -> bool:
        """Whether client and daemon are the same program; if not, this daemon makes way."""
        if any(hello.fields.get(name) != value for name, value in protocol.identity().items()):
            theirs = hello.fields.get("version"), hello.fields.get("executable")
            logger.info("making way for version %s of %s", *theirs)
            self._drain()
        elif self._source != _own_source():
            # An update under the same version: what is loaded and what would be loaded next do not agree.
            logger.info("making way: the program on disk has changed")
            self._drain()
        return not self._draining

    async def _serve(self, client: Client, hello: Hello) -> None:
        try:
            session = await self._prepare(client, hello)
        except CueError as error:
            await client.refuse(error)
            return
        if self._stopping:
            await client.send_away()
            return
        self._sessions.begin(session)
        self._tell()
        try:
            await client.accept({"pid": os.getpid(), "harmless": session.harmless})
            await session.serve()
        finally:
            self._sessions.end(session)
            self._tell()

    async def _prepare(self, client: Client, hello: Hello) -> Session:
        from cuedeck.daemon.session import options_from

        if hello.fields.get("root") != self._address.root:
            raise CueError(
                ErrorCode.UNAVAILABLE,
                f"This daemon serves {self._address.root}, not {hello.fields.get('root')}",
                hint="Start with --no-daemon.",
            )
        options = options_from(hello.fields, hello.environment)
        session = await anyio.to_thread.run_sync(self._sessions.prepare, client, options)
        self._idle_seconds = float(session.workspace().config.daemon.idle_seconds)
        return session

    def status(self) -> dict[str, Any]:
        """What ``cue daemon status`` shows."""
        return {
            "pid": os.getpid(),
            **protocol.identity(),
            "workspace": self._address.root,
            "started": iso_seconds(self._started),
            "uptime_seconds": int(time.monotonic() - self._began),
            "sessions": len(self._sessions),
            "sessions_served": self._sessions.served,
            "idle_seconds": int(self._idle_seconds),
            "memory_bytes": _resident_bytes(),
            "log": str(self._log),
        }


def _own_source() -> int | None:
    try:
        return source_stamp(protocol.identity()["package"])
    except OSError:  # being installed again at this moment
        return None


def _resident_bytes() -> int | None:
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return pages * os.sysconf("SC_PAGE_SIZE")
