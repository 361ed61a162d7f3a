"""A workspace whose every engine holds something, hostile text included, and a server for it."""

from __future__ import annotations

import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import httpx
import uvicorn

from cuedeck.mcp.auth import token_verifier
from cuedeck.mcp.http import HttpSettings, create_http_app
from cuedeck.mcp.options import ConnectionOptions
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.tasks.agent_task import TaskDraft, TaskType
from cuedeck.tasks.card import CardStatus
from cuedeck.tasks.cards import CardDraft
from cuedeck.web.access import PrintedToken, VerifiedTokens
from cuedeck.web.app import Dashboard
from cuedeck.workflows.context import RunContext
from cuedeck.workflows.model import JSON, Workflow
from cuedeck.workspace import Workspace

EVIL = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
SECRET = "AKIAIOSFODNN7EXAMPLE"
OWN_SECRET = "hush-hush"
TOKEN = "a-token-for-tests"

GUIDE = f"""---
title: Guide
---
# Guide {EVIL}

See [setup](setup.md#second-part), [[setup|wiki]], [bad](javascript:alert(1)), [web](https://example.org/).

{EVIL}

<div onclick="document.title='owned'">block</div>

key {SECRET} here
"""


@dataclass
class Gate:
    """Holds a run in the middle until a test lets it go on."""

    go_on: threading.Event = field(default_factory=threading.Event)

    def run(self, context: RunContext, given: dict[str, JSON]) -> JSON:
        context.step("first step", lambda: {"seen": EVIL}, progress=25)
        while not self.go_on.wait(0.05):
            context.progress(40)
        context.step("second step", lambda: "fine", progress=90)
        return {"given": given}


TESTS = """\
import pytest

class Clock:
    def tick_once(self): ...

@pytest.fixture
def clock():
    return Clock()

def test_ticking(clock, other):
    clock.tick_once()
    other.tick_once()
"""


def make_project(root: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
        subprocess.run(["git", *identity, *words], cwd=root, check=True, capture_output=True)

    (root / "docs").mkdir(parents=True)
    (root / "docs/guide.md").write_text(GUIDE)
    (root / "docs/setup.md").write_text("# Setup\n\n## Second part\n\nRetries use backoff.\n")
    (root / "app.py").write_text("def wait():\n    return 1\n\n\ndef run():\n    return wait()\n")
    (root / "test_app.py").write_text(TESTS)
    git("init", "-q", "-b", "main")
    git("add", ".")
    git("commit", "-qm", "one")
    git("checkout", "-qb", "feature")
    (root / "app.py").write_text(
        (root / "app.py").read_text() + f"\n\ndef extra(a={EVIL!r}):\n    return run()\n"
    )
    git("commit", "-qam", "two")
    (root / ".cuedeck").mkdir()
    (root / ".cuedeck/config.toml").write_text('[scene]\nsecret_patterns = ["hush-[a-z]+"]\n')


def fill(workspace: Workspace) -> dict[str, str]:
    """Something in every engine; the ids by what they are."""
    first = workspace.cards.create(CardDraft(f"First card {EVIL}"[:150], status=CardStatus.ACTIVE))
    second = workspace.cards.create(CardDraft("Second card", depends_on=(first.id,), description=EVIL))
    epic = workspace.agent_tasks.create(TaskDraft("core", f"An epic {SECRET}", type=TaskType.EPIC))
    task = workspace.agent_tasks.create(TaskDraft("core", f"A task {EVIL}", description=EVIL, parent=epic.id))
    workspace.agent_tasks.create(TaskDraft("core", "Next task", depends_on=(task.id,), parent=epic.id))
    workspace.agent_tasks.claim(f"agent {EVIL}"[:190])
    one = workspace.memory.store(
        Draft(
            MemoryType.KNOWLEDGE,
            f"backoff {EVIL}",
            title=f"Memory {EVIL}",
            metadata={"x": EVIL, "y": OWN_SECRET},
            tags=("net",),
        ),
        actor="test",
    ).memory
    other = workspace.memory.store(Draft(MemoryType.DECISION, "Use backoff always"), actor="test").memory
    workspace.memory.link(one.id, other.id, reason=EVIL, strength=0.8, actor="test")
    workspace.documents.refresh()
    return {"first": first.id, "second": second.id, "task": task.id, "epic": epic.id, "memory": one.id}


@contextmanager
def serving(workspace: Workspace, *, read_only: bool = False) -> Iterator[str]:
    """The address of the real app on a real socket."""
    verifier = token_verifier(workspace.config.auth, workspace.root)
    access = PrintedToken(TOKEN) if verifier is None else VerifiedTokens(verifier)
    listener = socket.create_server(("127.0.0.1", 0))
    options = ConnectionOptions(decks=("all",), read_only=read_only)
    dashboard = Dashboard(workspace, access, writable=not read_only, stopping=lambda: server.should_exit)
    app = create_http_app(workspace, HttpSettings(options, dashboard=dashboard))
    server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=5))
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(10)
        listener.close()


def visitor(address: str, **headers: str) -> httpx.Client:
    """A client without a session; no certificates are loaded, which takes most of a second."""
    return httpx.Client(base_url=address, trust_env=False, verify=False, timeout=20, headers=headers)


def browser_like(address: str) -> httpx.Client:
    """A client that has entered with the token and sends our own origin."""
    client = visitor(address, origin=address)
    assert client.get("/search", params={"token": TOKEN}, follow_redirects=True).status_code == 200
    return client


def slow_workflow(gate: Gate) -> Workflow:
    return Workflow("slow", f"Slow {EVIL}", EVIL, gate.run)
