"""Agents at work on all five decks of one workspace, and what they were promised."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from clean_environ import clean_environ
from short_folder import short_folder

CUE = str(Path(sys.executable).with_name("cue"))
USER = "123e4567-e89b-12d3-a456-426614174000"
UNCLEAR = re.compile(r"Internal error [0-9a-f]{8}|Traceback")
SOURCE = (
    'def greet(name: str) -> str:\n    return f"hello {name}"\n\n\ndef main() -> None:\n    greet("you")\n'
)


class Ground:
    """A git repository with documents and code, and a runtime folder of its own."""

    def __init__(self, base: Path, **settings: str) -> None:
        self.folder = base / "work"
        self.url = settings.get("CUEDECK_STORE__URL")
        self.workspace = settings.get("CUEDECK_STORE__WORKSPACE", "")
        (self.folder / "docs").mkdir(parents=True)
        (self.folder / "docs" / "topic.md").write_text("---\ntags: [alpha]\n---\n# Topic\n\nSee [[other]].\n")
        (self.folder / "docs" / "other.md").write_text("# Other\n\nBack to [[topic]].\n")
        (self.folder / "app.py").write_text(SOURCE)
        (self.folder / ".gitignore").write_text(".cuedeck/\n")
        (self.folder / ".cuedeck").mkdir()
        self.git("init", "-q", "-b", "main")
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "first")
        self.git("branch", "feature")
        # A socket's path is short; a test's folder need not be.
        self.runtime = short_folder()
        kept = clean_environ()
        self.environ = {
            **kept,
            "XDG_RUNTIME_DIR": str(self.runtime),
            "XDG_CONFIG_HOME": str(base / "config"),
            "CUEDECK_DAEMON__IDLE_SECONDS": "60",
            "CUEDECK_LIMITS__ENABLED": "false",
            "CUEDECK_SEARCH__ENABLED": "false",
            **settings,
        }

    def git(self, *arguments: str) -> None:
        identity = ["-c", "user.name=t", "-c", "user.email=t@example.org"]
        subprocess.run(["git", *identity, *arguments], cwd=self.folder, check=True, capture_output=True)

    def agent(self) -> Agent:
        return Agent(self.folder, self.environ)

    @property
    def daemon(self) -> int:
        """The process id of the daemon."""
        (recorded,) = (self.runtime / "cuedeck").glob("*.pid")
        return int(recorded.read_text())

    def stop(self) -> None:
        """End the daemon by its own command."""
        subprocess.run(
            [CUE, "daemon", "stop", "--workspace", str(self.folder)],
            env=self.environ,
            cwd=self.runtime,
            capture_output=True,
            timeout=60,
        )


@dataclass(frozen=True)
class Answer:
    """What one call was answered with."""

    tool: str
    ok: bool
    value: Any
    text: str

    @property
    def unclear(self) -> bool:
        """An error that does not say what is wrong."""
        return not self.ok and bool(UNCLEAR.search(self.text))


class Caller(Protocol):
    """Whoever can call a tool."""

    def call(self, tool: str, **arguments: Any) -> Answer: ...


class Agent:
    """An MCP client over the stdio of a real ``cue mcp`` with every deck."""

    def __init__(self, folder: Path, environ: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [CUE, "mcp", "--decks", "all", "--errors", "result", "--user", USER],
            cwd=folder,
            env=environ,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._last = 0
        client = {"name": "load", "version": "1"}
        self._ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client})
        self._send({"method": "notifications/initialized"})

    def call(self, tool: str, **arguments: Any) -> Answer:
        """One tool call and its answer, whatever it is."""
        answer = self._ask("tools/call", {"name": tool, "arguments": arguments})
        if "error" in answer:
            return Answer(tool, False, None, json.dumps(answer["error"]))
        result = answer["result"]
        text = result["content"][0]["text"]
        ok = not result["isError"]
        return Answer(tool, ok, json.loads(text) if ok else None, text)

    def leave(self) -> None:
        """End the process and its pipes."""
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(10)
        for pipe in (self.process.stdin, self.process.stdout):
            if pipe:
                pipe.close()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self._last += 1
        self._send({"id": self._last, "method": method, "params": params})
        assert self.process.stdout
        while line := self.process.stdout.readline():
            answer: dict[str, Any] = json.loads(line)
            if answer.get("id") == self._last:
                return answer
        raise EOFError("cue mcp ended")

    def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        self.process.stdin.flush()


@dataclass
class Promises:
    """Ids of what was acknowledged, by kind."""

    memories: list[str] = field(default_factory=list)
    todos: list[str] = field(default_factory=list)
    tasks: list[str] = field(default_factory=list)
    cards: list[str] = field(default_factory=list)
    runs: list[str] = field(default_factory=list)

    def __len__(self) -> int:
        return sum(map(len, (self.memories, self.todos, self.tasks, self.cards, self.runs)))


def work(agent: Caller, name: str, promised: Promises) -> Iterator[Answer]:
    """Writes and reads on every deck, again and again; what is acknowledged is noted."""
    number = 0
    while True:
        number += 1
        tag = f"{name}-{number}"
        yield (said := agent.call("memory_store", type="knowledge", content=f"Fact {tag} about greeting"))
        if said.ok:
            promised.memories.append(said.value["id"])
        yield agent.call("context_read_context", query="topic")
        yield (said := agent.call("todo_add_task", user_id=USER, title=f"Buy {tag}"))
        if said.ok:
            promised.todos.append(said.value["task"]["id"])
        yield agent.call("code_search_code", query="greet")
        yield (said := agent.call("memory_create_task", project="CA", name=f"Do {tag}"))
        if said.ok:
            promised.tasks.append(said.value["task_id"])
        yield agent.call("vault_query_files", tag="alpha")
        yield (said := agent.call("context_create_task", title=f"Card {tag}"))
        if said.ok:
            promised.cards.append(said.value["id"])
        yield agent.call("memory_search", query="greeting")
        analysis = {"workflowId": "markdown-analyzer", "input": {"path": "docs/topic.md"}}
        yield (said := agent.call("vault_trigger_workflow", **analysis))
        if said.ok:
            promised.runs.append(said.value["data"]["executionId"])
        yield agent.call("memory_get_next_task", project="CA", agent=name)


class Load:
    """Several agents working until told to stop."""

    def __init__(self, ground: Ground, *, agents: int = 2) -> None:
        self.promised = Promises()
        self.answers: list[Answer] = []
        self.ended: list[str] = []
        self._agents = [ground.agent() for _ in range(agents)]
        self._stopped = threading.Event()
        self._threads = [
            threading.Thread(target=self._run, args=(agent, f"a{at}"), daemon=True)
            for at, agent in enumerate(self._agents)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(30)
        stuck = [thread for thread in self._threads if thread.is_alive()]
        for agent in self._agents:
            agent.leave()
        if stuck:
            self.ended.append(f"{len(stuck)} agents never got an answer")

    def acknowledged(self, more: int, *, within: float = 40) -> None:
        """Wait until so many more writes are promised."""
        self._until(lambda start: len(self.promised) - start >= more, len(self.promised), within)

    def failed(self, more: int, *, within: float = 40) -> list[Answer]:
        """Wait until so many more calls are answered with an error, and give those."""
        start = len(self.errors)
        self._until(lambda before: len(self.errors) - before >= more, start, within)
        return self.errors[start:]

    @property
    def errors(self) -> list[Answer]:
        return [answer for answer in list(self.answers) if not answer.ok]

    def _until(self, reached: Any, start: int, within: float) -> None:
        deadline = time.monotonic() + within
        while not reached(start):
            if time.monotonic() > deadline or self.ended:
                last = [answer.text[:300] for answer in self.errors[-3:]]
                raise AssertionError(
                    f"not reached: {len(self.promised)} promised, {self.ended}, last errors {last}"
                )
            time.sleep(0.02)

    def _run(self, agent: Agent, name: str) -> None:
        try:
            for answer in work(agent, name, self.promised):
                self.answers.append(answer)
                if self._stopped.is_set():
                    return
                if not answer.ok:
                    time.sleep(0.02)
        except (OSError, EOFError, ValueError) as error:
            self.ended.append(f"{name}: {error!r}")
