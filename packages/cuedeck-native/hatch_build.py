"""Compiles the extension modules, and CueDeck's own walks beside them, when the cache has none."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tempfile
from hashlib import sha256
from pathlib import Path
from platform import machine
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

# tree-sitter's runtime is compiled in; the grammars stay those that CueDeck depends on.
RUNTIME = "tree-sitter==0.26.0 --hash=sha256:b40c219edccc4564530c96f8f1556f6202b37cda964d1cbd7bd2b7e68b40a245"
# Modules of CueDeck that are compiled as they are, with the types that ``types/`` adds.
COMPILED = (
    "code/extraction/draft",
    "code/languages/python_flow",
    "code/languages/python_expressions",
    "code/languages/python_operators",
    "code/languages/python_patterns",
    "code/languages/python",
)
# Modules that the extensions agree with.
AGREED = (
    "code/facts",
    "code/extraction/plain_columns",
    "code/extraction/wording",
    "code/search/meaning",
    "search/analyser",
)
# Where Python would raise an exception, so do compiled modules: a strange tree must not end the process.
DIRECTIVES = {
    "language_level": 3,
    "annotation_typing": False,
    "auto_pickle": False,
    "binding": False,
    "boundscheck": True,
    "nonecheck": True,
}


class NativeHook(BuildHookInterface[Any]):
    """Puts compiled modules into the wheel."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Called by the build: name the files to include."""
        here = Path(self.root)
        package = here.parent.parent / "src" / "cuedeck"
        folder = _cache() / _key(here, package)
        if not folder.is_dir():
            folder = _make(here, package, folder)
        for path in folder.rglob("*"):
            if path.is_file():
                build_data["force_include"][str(path)] = f"cuedeck_native/{path.relative_to(folder)}"
        build_data["pure_python"] = False
        build_data["infer_tag"] = True


def _key(here: Path, package: Path) -> str:
    """What the result depends on."""
    found = sha256(f"{sys.version}{sysconfig.get_platform()}{os.environ.get('CFLAGS', '')}".encode())
    for path in [
        *sorted(here.glob("*.py")),
        *sorted(here.glob("src/**/*.*")),
        *sorted(here.glob("types/**/*.*")),
    ]:
        if path.suffix != ".pyc":
            found.update(path.read_bytes())
    for name in (*COMPILED, *AGREED):
        found.update((package / f"{name}.py").read_bytes())
    return found.hexdigest()[:32]


def _make(here: Path, package: Path, folder: Path) -> Path:
    work = Path(tempfile.mkdtemp(prefix="cuedeck-native-"))
    try:
        # Before compiling: a source that is edited meanwhile must not be taken for the one that was compiled.
        digests = _digests(package)
        _compile(here, package, work)
        made = work / "made"
        (made / "sources.py").write_text(_sources(digests, made), encoding="utf-8")
        try:
            folder.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(made, folder.with_name(f"{folder.name}.{os.getpid()}"))
            folder.with_name(f"{folder.name}.{os.getpid()}").replace(folder)
        except OSError:
            folder = Path(tempfile.mkdtemp(prefix="cuedeck-native-made-"))
            shutil.copytree(made, folder, dirs_exist_ok=True)
        return folder
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _digests(package: Path) -> dict[str, str]:
    names = [f"{name}.py" for name in (*COMPILED, *AGREED)]
    return {name: sha256((package / name).read_bytes()).hexdigest() for name in names}


def _sources(digests: dict[str, str], made: Path) -> str:
    """Which modules of CueDeck the result was made from, and what it consists of, as a module."""
    files = sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())
    lines = [f"    {name!r}: {digest!r},\n" for name, digest in digests.items()]
    return f'"""What this was compiled from."""\n\nSOURCES = {{\n{"".join(lines)}}}\nFILES = {files!r}\n'


def _compile(here: Path, package: Path, work: Path) -> None:
    from Cython.Build import cythonize
    from setuptools import Distribution, Extension
    from setuptools.errors import CCompilerError

    runtime = _runtime(work)
    core = runtime / "tree_sitter" / "core" / "lib"
    shutil.copytree(here / "src" / "cuedeck_native", work / "cuedeck_native")
    extensions = [
        Extension(
            f"cuedeck_native.{name}",
            [f"cuedeck_native/{name}.pyx", *([str(core / "src" / "lib.c")] if name == "tree" else [])],
        )
        for name in sorted(path.stem for path in (here / "src" / "cuedeck_native").glob("*.pyx"))
    ]
    shutil.copytree(here / "types", work, dirs_exist_ok=True)
    for name in COMPILED:
        target = work / "cuedeck" / f"{name}.py"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(_with_types((package / f"{name}.py").read_text(encoding="utf-8")), encoding="utf-8")
        extensions.append(Extension(f"cuedeck.{name.replace('/', '.')}", [f"cuedeck/{name}.py"]))
    for part in ("cuedeck", "cuedeck/code", "cuedeck/code/extraction", "cuedeck/code/languages"):
        (work / part / "__init__.py").touch()
    for extension in extensions:
        extension.include_dirs = [str(core / "include"), str(core / "src"), "cuedeck_native"]
        extension.define_macros = [("_DEFAULT_SOURCE", None)]
        extension.extra_compile_args = _options(extension.name)
    before = Path.cwd()
    os.chdir(work)
    try:
        modules = cythonize(extensions, include_path=["."], compiler_directives=DIRECTIVES, quiet=True)
        distribution = Distribution({"name": "cuedeck-native", "ext_modules": modules})
        command = distribution.get_command_obj("build_ext")
        command.build_lib, command.parallel = "built", os.cpu_count() or 1
        command.ensure_finalized()
        command.run()
    except CCompilerError as failure:
        said = str(failure)
        hint = (
            "" if _headers().is_file() else f" {_headers()} is missing: install Python's development files."
        )
        raise SystemExit(f"The accelerator could not be compiled.{hint} {said[:300]}") from None
    finally:
        os.chdir(before)
    made = work / "made"
    made.mkdir()
    shutil.copy(runtime / "LICENSE", made / "LICENSE.tree-sitter")
    shutil.copy(core / "src" / "unicode" / "LICENSE", made / "LICENSE.unicode")
    for path in (work / "built" / "cuedeck_native").iterdir():
        shutil.copy(path, made)
    for part in ("extraction", "languages"):
        shutil.copytree(work / "built" / "cuedeck" / "code" / part, made / part)


def _options(name: str) -> list[str]:
    """What the compiler is told; the runtime itself is compiled for speed above all."""
    if sysconfig.get_platform().startswith("win"):
        return ["/std:c11"]
    level = "-O3" if name == "cuedeck_native.tree" else "-O2"
    options = [level, "-g0", "-fvisibility=hidden", "-Wno-unused-function"]
    if sys.platform == "linux":
        options.append("-fno-plt")
        if machine().startswith("aarch64"):
            # gcc inlines the runtime wrongly there; tree-sitter's own package is compiled with this.
            options.append("--param=early-inlining-insns=9")
    return options


def _headers() -> Path:
    return Path(sysconfig.get_paths()["include"]) / "Python.h"


def _with_types(source: str) -> str:
    """A module without the import that only type checkers see: its compiled form has its own nodes."""
    return source.replace("    from tree_sitter import Node\n", "    pass\n")


def _runtime(work: Path) -> Path:
    """The sources of tree-sitter's runtime, from the pinned package."""
    (work / "runtime.txt").write_text(RUNTIME, encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--no-binary=:all:"]
    try:
        subprocess.run(
            [*command, "--require-hashes", "--dest", str(work), "-r", str(work / "runtime.txt")], check=True
        )
    except subprocess.CalledProcessError as failure:
        raise SystemExit(f"Could not download tree-sitter: pip ended with {failure.returncode}.") from None
    (archive,) = work.glob("tree_sitter-*.tar.gz")
    with tarfile.open(archive) as packed:
        packed.extractall(work)  # what it holds is known by its hash
    (folder,) = (path for path in work.glob("tree_sitter-*") if path.is_dir())
    return folder


def _cache() -> Path:
    if chosen := os.environ.get("CUEDECK_NATIVE_CACHE"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "cuedeck" / "native"
