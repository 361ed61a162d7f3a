"""Which definition a Python name leads to."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from .memory_project import MemoryProject


def project(tmp_path: Path, **files: str) -> MemoryProject:
    for name, text in files.items():
        file = tmp_path / (name.replace("__", "/") + ".py")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(dedent(text).lstrip("\n"))
    return MemoryProject(tmp_path)


def refers(found: MemoryProject, path: str, line: int, name: str) -> set[tuple[str, int]]:
    symbol = found.symbol(path, line, name)
    assert symbol is not None, f"{path}:{line} binds no {name}"
    return found.lines_referring(symbol)


def test_imports_aliases_and_re_exports(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        pkg__core="def work(): pass\n",
        pkg__init="x = 1\n",
        pkg__sub__deep="from ..core import work\nwork()\n",
        app="import pkg.core\nfrom pkg.core import work as w\npkg.core.work()\nfrom pkg import core\n"
        "core.work()\n",
    )
    (tmp_path / "pkg/__init__.py").write_text("from .core import work\n")
    (tmp_path / "outer.py").write_text("from pkg import work\nwork()\n")
    found = MemoryProject(tmp_path)
    assert refers(found, "pkg/core.py", 1, "work") == {
        ("pkg/__init__.py", 1),
        ("pkg/sub/deep.py", 1),
        ("pkg/sub/deep.py", 2),
        ("app.py", 2),
        ("app.py", 3),
        ("app.py", 5),
        ("outer.py", 1),
        ("outer.py", 2),
    }


def test_scopes_shadow_and_classes_hide_their_names(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        a="""
        def name(): pass
        class C:
            name = 1
            other = name
            def use(self):
                return name()
        def inner():
            name = 2
            return name
        [name for name in (1, 2)]
        """,
    )
    assert refers(found, "a.py", 1, "name") == {("a.py", 6)}
    assert refers(found, "a.py", 3, "name") == {("a.py", 4)}
    assert refers(found, "a.py", 8, "name") == {("a.py", 9)}


def test_methods_through_self_super_and_ancestors(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        a="""
        class Base:
            def run(self): pass
            def stop(self): pass
        class Child(Base):
            def run(self):
                super().run()
                self.stop()
                return self
        class Other:
            def stop(self): pass
        Child().run().stop()
        """,
    )
    assert refers(found, "a.py", 2, "run") == {("a.py", 6)}
    assert refers(found, "a.py", 5, "run") == {("a.py", 11)}
    assert refers(found, "a.py", 3, "stop") == {("a.py", 7), ("a.py", 11)}
    assert refers(found, "a.py", 10, "stop") == set()


@pytest.mark.parametrize(
    "use",
    [
        "def f(x: T): x.go()",
        "def f(x: 'T'): x.go()",
        "def f(x: T | None = None): x.go()",
        "from typing import Optional\ndef f(x: Optional[T]): x.go()",
        "def f(xs: list[T]):\n    for x in xs: x.go()",
        "def f(xs: dict[str, T]): xs['a'].go()",
        "def f(xs: dict[str, T]):\n    for _, x in xs.items(): x.go()",
        "def f(xs: tuple[int, T]):\n    _, x = xs\n    x.go()",
        "def make() -> T: ...\nmake().go()",
        "def make():\n    return T()\nx = make()\nx.go()",
        "with T() as x: x.go()",
        "x = T() if True else None\nx.go()",
        "def f(x):\n    if isinstance(x, T): x.go()",
        "class H:\n    def __init__(self): self.t = T()\n    def f(self): self.t.go()",
        "class H:\n    @property\n    def t(self) -> T: ...\nH().t.go()",
        "class H:\n    t: T\n    def f(self): self.t.go()",
        "[x.go() for x in [T()]]",
        "(lambda: T())().go()",
        "async def a() -> T: ...\nasync def b(): (await a()).go()",
        "try: pass\nexcept T as x: x.go()",
        "if (x := T()): x.go()",
        "from typing import cast\ncast(T, 1).go()",
        "def f(*xs: T):\n    for x in xs: x.go()",
        "for i, x in enumerate([T()]): x.go()",
    ],
)
def test_a_method_is_found_through_the_type_of_its_object(tmp_path: Path, use: str) -> None:
    found = project(
        tmp_path,
        a="class T:\n    def go(self): pass\n\nclass U:\n    def go(self): pass\n",
        b="from a import T\n" + use,
    )
    line = use.count("\n", 0, use.index(".go()")) + 2
    assert refers(found, "a.py", 2, "go") == {("b.py", line)}
    assert refers(found, "a.py", 5, "go") == set()


def test_cycles_end_and_give_the_same_answer_in_any_order(tmp_path: Path) -> None:
    files = {
        "a": "from b import y\nclass A(y): pass\nx = y\n",
        "b": "from a import x\ny = x\nfrom a import *\n",
        "c": "def f(): return g()\ndef g(): return f() or T()\nclass T:\n    def go(self): pass\n"
        "f().go()\ng().go()\n",
    }
    first = project(tmp_path, **files)
    forward = [first.linker.evaluate("c.py", n) for n in range(len(first.links("c.py").ops))]
    second = MemoryProject(tmp_path)
    backward = [second.linker.evaluate("c.py", n) for n in reversed(range(len(second.links("c.py").ops)))]
    assert forward == backward[::-1]
    assert refers(first, "c.py", 4, "go") == {("c.py", 5), ("c.py", 6)}


def test_keyword_arguments_lead_to_parameters_and_fields(tmp_path: Path) -> None:
    found = project(
        tmp_path,
        a="""
        from dataclasses import dataclass
        @dataclass
        class P:
            size: int
        def f(depth): return depth
        P(size=1)
        f(depth=2)
        """,
    )
    assert refers(found, "a.py", 4, "size") == {("a.py", 6)}
    assert refers(found, "a.py", 5, "depth") == {("a.py", 5), ("a.py", 7)}
