"""Memory beside the reference memory server: storing, searching, and two processes at once, over stdio."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchmarks._peers import ABSENT, NODE, Row, cpu_so_far, table

CUE = Path(sys.executable).with_name("cue")
SERVER = NODE / "mcp-server-memory"
STORED = 300
ASKED = 200
TOGETHER = 60


class Client:
    """JSON lines to a server's pipes."""

    def __init__(self, command: list[str | Path], cwd: Path, environ: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            command,
            cwd=cwd,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        hello = {"protocolVersion": "2025-11-25", "capabilities": {}}
        self.ask("initialize", {**hello, "clientInfo": {"name": "b", "version": "1"}})
        self._send({"method": "notifications/initialized"})

    def call(self, name: str, **arguments: Any) -> Any:
        """The text of one answer; an error ends the measurement."""
        result = self.ask("tools/call", {"name": name, "arguments": arguments})
        if result.get("isError"):
            raise RuntimeError(f"{name}: {result}")
        return json.loads(result["content"][0]["text"])

    def ask(self, method: str, params: dict[str, Any]) -> Any:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        assert self.process.stdout
        while line := self.process.stdout.readline():
            answer = json.loads(line)
            if answer.get("id") == self._last:
                return answer["result"]
        raise EOFError(method)

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        self.process.wait(20)


class Ours:
    """Our memory deck on a folder."""

    name = "ours"

    def __init__(self, folder: Path, *, model: bool) -> None:
        self.folder = folder
        # A socket's path is short, wherever temporary files are.
        kept = {key: value for key, value in os.environ.items() if not key.startswith("CUEDECK_")}
        settings = {"CUEDECK_LIMITS__ENABLED": "false", "CUEDECK_SEARCH__ENABLED": str(model).lower()}
        self.environ = {**kept, **settings, "XDG_RUNTIME_DIR": str(folder)}

    def client(self) -> Client:
        return Client([CUE, "mcp", "--decks", "memory"], self.folder, self.environ)

    def store(self, client: Client, text: str) -> None:
        client.call("store", type="knowledge", content=text)

    def search(self, client: Client, word: str) -> int:
        return int(client.call("search", query=word)["total_count"])

    def cpu(self, client: Client) -> float:
        (recorded,) = (self.folder / "cuedeck").glob("*.pid")
        return cpu_so_far(client.process.pid) + cpu_so_far(int(recorded.read_text()))

    def stop(self) -> None:
        subprocess.run([CUE, "daemon", "stop"], cwd=self.folder, env=self.environ, capture_output=True)


class Reference:
    """The reference server with its file in a folder."""

    name = "server-memory"

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.environ = {**os.environ, "MEMORY_FILE_PATH": str(folder / "memory.jsonl")}

    def client(self) -> Client:
        return Client([SERVER], self.folder, self.environ)

    def store(self, client: Client, text: str) -> None:
        entity = {"name": text, "entityType": "knowledge", "observations": [text]}
        client.call("create_entities", entities=[entity])

    def search(self, client: Client, word: str) -> int:
        return len(client.call("search_nodes", query=word)["entities"])

    def cpu(self, client: Client) -> float:
        return cpu_so_far(client.process.pid)

    def stop(self) -> None:
        """It ends with its client."""


Side = Ours | Reference


def measured(side: Side) -> tuple[float, float]:
    """CPU milliseconds of storing and of searching, on the server's side of the pipe."""
    client = side.client()
    side.store(client, "Fact zero about harbours")
    before = side.cpu(client)
    for number in range(STORED):
        side.store(client, f"Fact {number} about harbour {number % 17}")
    between = side.cpu(client)
    for number in range(ASKED):
        side.search(client, f"harbour {number % 17}")
    after = side.cpu(client)
    client.close()
    return (between - before) * 1000 / STORED, (after - between) * 1000 / ASKED


def lost(side: Side) -> int:
    """Of what two processes stored at the same time and were told was stored, how much is not there."""
    clients = [side.client(), side.client()]

    def write(number: int) -> None:
        for each in range(TOGETHER):
            side.store(clients[number], f"Together writer{number} item{each}")

    threads = [threading.Thread(target=write, args=(number,)) for number in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for client in clients:
        client.close()
    reader = side.client()
    there = side.search(reader, "Together")
    reader.close()
    return 2 * TOGETHER - there


def main() -> int:
    """Both in one run, so that the machine is the same."""
    if not SERVER.exists():
        print(f"server-memory {ABSENT}")
        return 0
    with tempfile.TemporaryDirectory(prefix="cd-", ignore_cleanup_errors=True) as base:
        figures = {}
        for name in ("with a model", "without a model", "reference"):
            folder = Path(base).resolve() / name.replace(" ", "")
            folder.mkdir()
            side: Side = (
                Reference(folder) if name == "reference" else Ours(folder, model=name == "with a model")
            )
            try:
                figures[name] = (*measured(side), lost(side))
            finally:
                side.stop()
    theirs = figures.pop("reference")
    rows = []
    for name, ours in figures.items():
        rows.append(Row(f"store, {STORED} items, {name}", "server-memory", ours[0], theirs[0], "ms"))
        rows.append(Row(f"search among {STORED}, {name}", "server-memory", ours[1], theirs[1], "ms"))
    print(table(rows))
    for name, figure in (*figures.items(), ("server-memory", theirs)):
        print(f"{name}: {figure[2]} of {2 * TOGETHER} acknowledged by two processes at once were lost")
    return 0


if __name__ == "__main__":
    sys.exit(main())
