"""The golden scenario over all five decks as the TypeScript clients and the Inspector see it.

python golden.py NODE INSPECTOR        # one JSON line for each client: name, passed, detail
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
TESTS = HERE.parent / "tests"
sys.path += [str(TESTS / "proof" / "support"), str(TESTS / "support")]

from ground import Ground  # noqa: E402
from outside import CUE, Http  # noqa: E402
from scenario import GOLDEN, SCENARIO, normal, seen  # noqa: E402

TIMEOUT = 180
KEPT = ("CUEDECK_USER", "CUEDECK_LIMITS__ENABLED", "XDG_RUNTIME_DIR", "XDG_CONFIG_HOME")
Tell = Callable[[str, list[str]], list[Any]]


class Clients:
    """Programs of others that are given the scenario and an address or a command."""

    def __init__(self, node: str, inspector: str, ground: Ground, steps: Path) -> None:
        self.node = node
        self.inspector = inspector
        path = f"{Path(node).parent}{os.pathsep}{ground.environ['PATH']}"
        self.environ = {**ground.environ, "PATH": path, "SCENARIO": str(steps)}
        self.root = ground.root

    def each(self) -> Iterator[tuple[str, Tell]]:
        """Name and way of telling."""
        yield "sdk 1.32", lambda kind, target: self._script("sdk_v1.mjs", kind, *target)
        for mode in ("legacy", "auto"):
            yield (
                f"client 2.4 {mode}",
                lambda kind, target, mode=mode: self._script("client_v2.mjs", mode, kind, *target),
            )
        for era in ("legacy", "modern"):
            yield f"Inspector {era}", lambda kind, target, era=era: self._inspected(era, kind, target)

    def _script(self, script: str, *arguments: str) -> list[Any]:
        done = self._run(str(HERE / "clients" / script), *arguments)
        if done.returncode:
            raise RuntimeError(done.stderr[-300:])
        return [seen(answer) for answer in json.loads(done.stdout.splitlines()[-1])]

    def _inspected(self, era: str, kind: str, target: list[str]) -> list[Any]:
        """One process for each step, as its users run it; of a JSON-RPC error it shows the message only."""
        answers = []
        for name, arguments in SCENARIO:
            given = [f"{key}={_said(value)}" for key, value in arguments.items()]
            common = ["--cli", "--protocol-era", era, "--format", "json"]
            pairs = ["--tool-arg", *given] if given else []
            # Pairs take every word that follows them, so that an address stands before.
            before, after = (target, []) if kind == "http" else ([], ["--", *target])
            call = ["--method", "tools/call", "--tool-name", name, *pairs]
            done = self._run(self.inspector, *common, *before, *call, *after)
            if done.stdout.strip():
                answers.append(seen(json.loads(done.stdout)))
            else:
                answers.append({"error": {"message": json.loads(done.stderr)["error"]["message"]}})
        return answers

    def _run(self, *command: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.node, *command],
            cwd=self.root,
            env=self.environ,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def difference(answers: list[Any]) -> str:
    """The first step that was told differently, or nothing."""
    for (name, _, expected), found in zip(json.loads(GOLDEN.read_text()), answers, strict=True):
        if "error" in expected and "error" in found:
            shared = {key: expected["error"].get(key) for key in found["error"]}
            if json.loads(normal(json.dumps(found["error"]))) != shared:
                return f"{name}: {found['error']}"
        elif found != expected:
            return f"{name}: {json.dumps(found)[:300]}"
    return ""


def main() -> int:
    """Every client over both transports."""
    node, inspector = sys.argv[1:]
    failed = False
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        base = Path(folder).resolve()
        steps = base / "steps.json"
        steps.write_text(json.dumps([[name, arguments] for name, arguments in SCENARIO]))
        ground = Ground(base)
        server = Http(ground.root, ground.environ, "--decks", "all")
        try:
            # The clients hand only a few variables on to what they start.
            kept = [f"{name}={ground.environ[name]}" for name in KEPT]
            stdio = ["/usr/bin/env", *kept, CUE, "mcp", "--decks", "all"]
            targets = {"http": [f"{server.address}/mcp"], "stdio": stdio}
            clients = Clients(node, inspector, ground, steps)
            for name, tell in clients.each():
                for kind, target in targets.items():
                    try:
                        wrong = difference(tell(kind, target))
                    except (RuntimeError, ValueError, subprocess.TimeoutExpired) as error:
                        wrong = f"{type(error).__name__}: {error}"
                    failed = failed or bool(wrong)
                    said = wrong or f"{len(SCENARIO)} answers as in the transcript"
                    line = {"name": f"{name}, {kind}: five decks", "passed": not wrong, "detail": said}
                    sys.stdout.write(json.dumps(line) + "\n")
                    sys.stdout.flush()
        finally:
            server.close()
            ground.close()
            ground.cue("daemon", "stop")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
