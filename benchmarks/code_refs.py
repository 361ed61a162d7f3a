"""References as a language server gives them, for ``benchmarks.code_refs_languages`` to score.

    python -m benchmarks.code_refs ROOT TRUTH.jsonl [--server "basedpyright-langserver --stdio"]

Symbols are sampled from our own definitions and every file is opened in the server. To what it lists are
added, by asking it again, the uses of an import's alias and, for a constructor, the calls of its class:
servers list ``C()`` for ``__init__`` but not ``module.C()``. With ``--closed`` no file is opened, which
spares the server its checks; what it looks at is then for the folder's configuration to say. With
``--singly`` a file is open only while it is asked about, and nothing is asked before the server has read the
project (clangd). ``--definitions`` asks about the places in a file of rows instead, such as those of ctags.
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

from cuedeck.code.facts import TYPES, Definition

# A path, a 0-based line and a column.
Spot = tuple[str, int, int]
_SERVER = "basedpyright-langserver --stdio"
_CONSTRUCTORS = ("__init__", "__new__", "__construct")
_MAX_ALIASES = 200
_MAX_READING = 1800.0
# Where ``as`` names a value, not the symbol.
_BINDING = re.compile(r"\s*(?:except|case|(?:async\s+)?with)\b")


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
        self.indexed = threading.Event()
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
                items = message.get("params", {}).get("items")
                self._send({"id": message["id"], "result": items and [{} for _ in items]})
            elif message.get("method") == "$/progress":
                if message["params"]["value"]["kind"] == "end":
                    self.indexed.set()
            elif message.get("id") in self.answers:
                self.answers[message["id"]].put(message.get("result"))

    def ask(self, method: str, parameters: Any) -> Any:
        number = len(self.answers) + 1
        waiting = self.answers[number] = queue.Queue()
        self._send({"id": number, "method": method, "params": parameters})
        return waiting.get(timeout=300)

    def tell(self, method: str, parameters: Any) -> None:
        self._send({"method": method, "params": parameters})


class Asking:
    """One project, opened in one server."""

    def __init__(
        self,
        command: str,
        project: MemoryProject,
        language: str,
        wait: float,
        *,
        closed: bool = False,
        singly: bool = False,
    ) -> None:
        self.project = project
        self.language = language
        self.singly = singly
        self.opened = ""
        self.lines = {
            path: (project.root / path).read_text("utf-8", "replace").split("\n") for path in project.paths
        }
        self.server = Server(command, project.root)
        folder = {"uri": project.root.as_uri(), "name": "root"}
        capabilities = {
            "workspace": {"configuration": True, "workspaceFolders": True},
            "window": {"workDoneProgress": singly},
        }
        self.server.ask(
            "initialize",
            {
                "processId": None,
                "rootUri": folder["uri"],
                "workspaceFolders": [folder],
                "capabilities": capabilities,
            },
        )
        self.server.tell("initialized", {})
        for path in () if closed or singly else self.lines:
            self.open(path)
        time.sleep(wait)

    def open(self, path: str) -> None:
        document = {"uri": (self.project.root / path).as_uri(), "languageId": self.language, "version": 1}
        text = "\n".join(self.lines[path])
        self.server.tell("textDocument/didOpen", {"textDocument": {**document, "text": text}})

    def open_only(self, path: str) -> None:
        """Open a file in place of the one before; the first makes the server read the project."""
        if path == self.opened:
            return
        if self.opened:
            closed = {"uri": (self.project.root / self.opened).as_uri()}
            self.server.tell("textDocument/didClose", {"textDocument": closed})
        first, self.opened = not self.opened, path
        self.open(path)
        if first and not self.server.indexed.wait(_MAX_READING):
            raise TimeoutError("the server did not say that it has read the project")

    def references(self, spot: Spot) -> set[Spot]:
        path, line, column = spot
        if self.singly:
            self.open_only(path)
        found = self.server.ask(
            "textDocument/references",
            {
                "textDocument": {"uri": (self.project.root / path).as_uri()},
                "position": {"line": line, "character": column},
                "context": {"includeDeclaration": False},
            },
        )
        spots = set()
        for entry in found or []:
            file = Path(urllib.parse.unquote(urllib.parse.urlparse(entry["uri"]).path))
            if file.is_relative_to(self.project.root):
                start = entry["range"]["start"]
                name = file.relative_to(self.project.root).as_posix()
                spots.add((name, start["line"], start["character"]))
        return spots - {spot}

    def text(self, spot: Spot) -> str:
        path, line, column = spot
        return self.lines[path][line][column:] if path in self.lines else ""

    def with_aliases(self, spot: Spot) -> set[Spot]:
        """References, and those of the names under which the symbol is imported."""
        found = self.references(spot)
        for use in sorted(found)[:_MAX_ALIASES]:
            alias = re.match(r"(\w+)\s+as\s+(\w+)", self.text(use))
            if alias and alias[1] != alias[2] and not _BINDING.match(self.lines[use[0]][use[1]]):
                found |= self.references((use[0], use[1], use[2] + alias.start(2)))
        return found

    def truth(self, path: str, definition: Definition) -> set[Spot]:
        found = self.with_aliases(self.spot(path, definition))
        if definition.name in _CONSTRUCTORS and definition.parent >= 0:
            owner = self.project.outline(path).definitions[definition.parent]
            # A class without a name stands in a function, which is no class.
            uses = self.with_aliases(self.spot(path, owner)) if owner.kind in TYPES else set()
            found |= {use for use in uses if re.match(r"\w+(\[[\w., \[\]]*\])?\(", self.text(use))}
        return found

    def row(self, path: str, definition: Definition) -> dict[str, Any]:
        _, line, column = self.spot(path, definition)
        place = {"path": path, "line": line + 1, "col": column}
        return {"name": definition.name, "kind": definition.kind, "def": place, "own": definition}

    def spot(self, path: str, definition: Definition) -> Spot:
        outline = self.project.outline(path)
        line = outline.line_of(definition.name_at)
        source = (self.project.root / path).read_bytes()
        before = source[outline.lines[line - 1] : definition.name_at].decode("utf-8", "replace")
        return path, line - 1, len(before)


def _given(asking: Asking, file: Path) -> list[dict[str, Any]]:
    """The rows of a file whose places lie in files that we read."""
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    return [
        {key: row[key] for key in ("name", "kind", "def")}
        for row in rows
        if row["def"]["path"] in asking.lines
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("root", type=Path)
    parser.add_argument("truth", type=Path)
    parser.add_argument("--server", default=_SERVER)
    parser.add_argument("--language", default="python")
    parser.add_argument("--endings", nargs="*", default=[".py"])
    parser.add_argument("--symbols", type=int, default=300)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--wait", type=float, default=5.0, help="seconds the server needs to index")
    parser.add_argument(
        "--closed", action="store_true", help="open no file: the server looks at the folder by itself"
    )
    parser.add_argument("--singly", action="store_true", help="open a file only while it is asked about")
    parser.add_argument("--definitions", type=Path, help="rows with the places to ask about")
    options = parser.parse_args()
    project = MemoryProject(options.root.resolve(), endings=tuple(options.endings))
    asking = Asking(
        options.server,
        project,
        options.language,
        options.wait,
        closed=options.closed,
        singly=options.singly,
    )
    every = [(path, d) for path, facts in project.facts.items() for d in facts.outline.definitions]
    given = _given(asking, options.definitions) if options.definitions else []
    choose = random.Random(options.seed).sample
    rows = (
        choose(given, min(options.symbols, len(given)))
        if given
        else [asking.row(*one) for one in choose(every, min(options.symbols, len(every)))]
    )
    rows.sort(key=lambda row: (row["def"]["path"], row["def"]["line"]))
    count = 0
    with options.truth.open("w", encoding="utf-8") as file:
        for row in rows:
            definition: Definition | None = row.pop("own", None)
            at = row["def"]
            spot = (at["path"], at["line"] - 1, at["col"])
            found = asking.truth(at["path"], definition) if definition else asking.with_aliases(spot)
            count += len(found)
            row["refs"] = [{"path": p, "line": n + 1} for p, n, _ in sorted(found)]
            file.write(json.dumps(row) + "\n")
    asking.server.process.terminate()
    print(f"{project.root.name}: {len(rows)} symbols, {count} references")
    return 0


if __name__ == "__main__":
    sys.exit(main())
