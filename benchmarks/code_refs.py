"""Python references against a language server.

    python -m benchmarks.code_refs ROOT [--server "basedpyright-langserver --stdio"] [--symbols 200]

Symbols are sampled from our own definitions, every file is opened in the server, and each symbol's lines
are compared: resolution, and bare-name matching beside it. Uses through an import alias, which the server
leaves out, count as found by us and are therefore against us.
"""

from __future__ import annotations

import argparse
import json
import queue
import random
import re
import shlex
import subprocess
import sys
import threading
import time
import urllib.parse
from pathlib import Path
from typing import Any

from tests.code.memory_project import MemoryProject

from benchmarks.code_refs_languages import Score
from cuedeck.code.facts import INSTANCE, Bind
from cuedeck.code.references import references
from cuedeck.code.values import CLASS, Symbol, Value

Place = tuple[str, int]
_SERVER = "basedpyright-langserver --stdio"


class Server:
    """A language server on a pipe."""

    def __init__(self, command: str, root: Path) -> None:
        self.process = subprocess.Popen(
            shlex.split(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            cwd=root,
        )
        self.answers: dict[int, queue.Queue[Any]] = {}
        threading.Thread(target=self._listen, daemon=True).start()

    def _send(self, message: dict[str, Any]) -> None:
        data = json.dumps({"jsonrpc": "2.0", **message}).encode()
        assert self.process.stdin is not None
        self.process.stdin.write(b"Content-Length: %d\r\n\r\n" % len(data) + data)
        self.process.stdin.flush()

    def _listen(self) -> None:
        stream = self.process.stdout
        assert stream is not None
        while True:
            size = 0
            while line := stream.readline().strip():
                if line.lower().startswith(b"content-length"):
                    size = int(line.split(b":")[1])
            if not size:
                return
            message = json.loads(stream.read(size))
            if "method" in message and "id" in message:
                items = message.get("params", {}).get("items", [])
                self._send({"id": message["id"], "result": [{} for _ in items]})
            elif message.get("id") in self.answers:
                self.answers[message["id"]].put(message.get("result"))

    def ask(self, method: str, parameters: Any) -> Any:
        number = len(self.answers) + 1
        waiting = self.answers[number] = queue.Queue()
        self._send({"id": number, "method": method, "params": parameters})
        return waiting.get(timeout=300)

    def tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})


def opened(command: str, project: MemoryProject) -> Server:
    server = Server(command, project.root)
    folder = {"uri": project.root.as_uri(), "name": "root"}
    settings = {"workspace": {"configuration": True, "workspaceFolders": True}}
    server.ask(
        "initialize",
        {"processId": None, "rootUri": folder["uri"], "workspaceFolders": [folder], "capabilities": settings},
    )
    server.tell("initialized", {})
    for path in project.paths:
        file = project.root / path
        document = {"uri": file.as_uri(), "languageId": "python", "version": 1}
        server.tell(
            "textDocument/didOpen", {"textDocument": {**document, "text": file.read_text("utf-8", "replace")}}
        )
    time.sleep(5)
    return server


def truth(server: Server, root: Path, path: str, line: int, column: int) -> set[Place]:
    found = server.ask(
        "textDocument/references",
        {
            "textDocument": {"uri": (root / path).as_uri()},
            "position": {"line": line - 1, "character": column},
            "context": {"includeDeclaration": False},
        },
    )
    places = set()
    for entry in found or []:
        file = Path(urllib.parse.unquote(urllib.parse.urlparse(entry["uri"]).path))
        if file.is_relative_to(root):
            places.add((file.relative_to(root).as_posix(), entry["range"]["start"]["line"] + 1))
    return places - {(path, line)}


def ours(project: MemoryProject, path: str, place: int, name: str) -> set[Place]:
    links = project.links(path)
    for binding in links.bound.get(links.string_numbers.get(name, -1), ()):
        if links.bindings[2][binding] != place or links.bindings[3][binding] == Bind.IMPORT:
            continue
        symbol = Symbol(path, links.bindings[0][binding], name)
        if links.bindings[3][binding] & INSTANCE:
            symbol = project.linker.member(Value(CLASS, path, symbol.scope), name) or symbol
        return {(site.path, site.line) for site in references(project, symbol, place).resolved}  # type: ignore[arg-type]
    return set()


def bare(project: MemoryProject, name: str) -> set[Place]:
    word = re.compile(rf"\b{re.escape(name)}\b")
    return {
        (path, number)
        for path in project.files_naming(name)
        for number, line in enumerate((project.text(path) or "").splitlines(), start=1)
        if word.search(line)
    }


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("--server", default=_SERVER)
    parser.add_argument("--symbols", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7)
    options = parser.parse_args()
    project = MemoryProject(options.root.resolve(), endings=(".py",))
    every = [(path, d) for path, facts in project.facts.items() for d in facts.outline.definitions]
    chosen = random.Random(options.seed).sample(every, min(options.symbols, len(every)))
    server = opened(options.server, project)
    resolution, matching = Score(), Score()
    for path, definition in chosen:
        outline = project.facts[path].outline
        line = outline.line_of(definition.name_at)
        source = (project.root / path).read_bytes()
        column = len(source[outline.lines[line - 1] : definition.name_at].decode("utf-8", "replace"))
        expected = truth(server, project.root, path, line, column)
        here = {(path, line)}
        resolution.add(ours(project, path, definition.name_at, definition.name) - here, expected)
        matching.add(bare(project, definition.name) - here, expected)
    server.process.terminate()
    print(f"{project.root.name}: {len(chosen)} symbols  resolved {resolution}  bare name {matching}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
