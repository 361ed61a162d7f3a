"""What resolution remembers across edits is what it would find anew."""

from __future__ import annotations

import gc
import tempfile
import weakref
from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from cuedeck.code.engine import Code
from cuedeck.code.resolution.memo import Memo
from cuedeck.code.snapshot import Snapshot
from cuedeck.store import open_store
from cuedeck.store.protocol import Store

TEXTS = {
    "base.py": (
        "class Base:\n    def run(self): return self\n    size = 1\n",
        "# moved\n\nclass Base:\n    def run(self): return self\n    size = 1\n",
        "class Base:\n    def walk(self): return Other()\n\nclass Other:\n    def run(self): return 1\n",
        "from heir import Heir as Base\n",
        "def one(): pass\n\nclass Base:\n    def run(self): return one()\n",
    ),
    "heir.py": (
        "from base import Base\n\nclass Heir(Base):\n    def go(self): return self.run().size\n",
        "from base import *\n\nclass Heir(Base):\n    pass\n\nmade = Heir()\n",
        "from pkg import Base\n\nclass Heir(Base):\n    run = 2\n",
        "Heir = None\n",
    ),
    "pkg/__init__.py": ("from base import Base\n", "from heir import *\n", "", "class Base: pass\n"),
    "use.py": (
        "from heir import Heir\n\nvalue = Heir().run()\nvalue.run().go()\nvalue.size\n",
        "from pkg import Base\nfrom base import one\n\ndef f(x: Base): return x.run().size\n\nf(1).size\n",
        "import base\nimport heir\n\nbase.Base().walk().run()\nheir.made.run()\n",
    ),
    "side.js": ("import { a } from './other.js'\na()\n", "export function a() {}\na()\n"),
    "go.mod": ("module m\n", "module other\n"),
    "p/a.go": (
        "package p\n\ntype T struct{ N int }\n\nfunc New() *T { return &T{} }\n",
        'package p\n\nimport "fmt"\n\ntype T struct{ N int }\n\nfunc New() *T { fmt.Print(); return &T{} }\n',
        "package p\n\ntype U struct{}\n\nfunc New() U { return U{} }\n",
        "package q\n\ntype T struct{ N int }\n\nfunc New() *T { return &T{} }\n",
    ),
    "p/b.go": (
        "package p\n\nfunc (t *T) Run() *T { return t }\n",
        "package p\n\nfunc (t *T) Walk() int { more(); return 1 }\nfunc (t *T) Run() *T { return t }\n",
        "package p\n\nfunc (u U) Run() int { return 1 }\n",
        "package p\n",
    ),
    "main.go": (
        'package main\n\nimport "m/p"\n\nfunc main() { p.New().Run().N = helper() }\n',
        'package main\n\nimport q "m/p"\n\nfunc main() { x := q.New(); x.Walk(); x.Run(); helper() }\n',
        "package main\n\nfunc main() { q.New().Run() }\n",
    ),
    "other.go": ("package main\n", "package main\n\nfunc helper() int { return 1 }\n", "package other\n"),
    "ts/shape.ts": (
        "export interface Shape { area(): number }\nexport class Square { area() { return 1 } }\n",
        "const one = () => { return 1 }\nexport interface Shape { area(): number }\nexport class Square {}\n",
        "export { Square } from './other'\n",
    ),
    "ts/other.ts": (
        "export class Square { area() {} }\n",
        "declare global { interface Window { area: number } }\n",
    ),
    "ts/index.ts": ("export * from './shape'\n", "export { Square as Shape } from './shape'\n", ""),
    "ts/use.ts": (
        "import { Square, Shape } from './index'\nlet s: Shape\ns.area()\ns.extra\nnew Square().area()\n",
        "import { Shape } from './shape'\nlet w: Window\nw.area\nw.size\nlet s: Shape\ns.extra\n",
    ),
    "ts/types.d.ts": (
        "interface Window { size: number }\n",
        "declare module './shape' { interface Shape { extra: number } }\nexport {}\n",
        "export {}\n",
    ),
}
edits = st.lists(
    st.sampled_from([(path, text) for path, texts in TEXTS.items() for text in (*texts, None)]),
    min_size=1,
    max_size=8,
)


def meanings(snapshot: Snapshot) -> dict[tuple[str, int], object]:
    """What every expression of every file names."""
    return {
        (path, site): snapshot.linker.targets(path, site)
        for path in snapshot.files
        for site in range(1, len(snapshot.links(path).ops))
    }


def fresh(snapshot: Snapshot) -> Snapshot:
    """The same files, with nothing resolved yet."""
    return Snapshot(snapshot.ref, snapshot.files, snapshot.cache, snapshot.source)


def write(root: Path, path: str, text: str | None) -> None:
    file = root / path
    file.parent.mkdir(exist_ok=True)
    if text is None:
        file.unlink(missing_ok=True)
    else:
        file.write_text(text)


def folder(base: Path) -> tuple[Path, Store, Code]:
    root, state = base / "code", base / "state"
    root.mkdir()
    state.mkdir()
    for path, texts in TEXTS.items():
        write(root, path, texts[0])
    store = open_store(None, root=state, workspace_id="t")
    return root, store, Code(root, store, workers=1)


@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
@given(edits)
@example([("base.py", TEXTS["base.py"][3]), ("heir.py", TEXTS["heir.py"][1])])
@example([("base.py", TEXTS["base.py"][2]), ("base.py", TEXTS["base.py"][0])])
@example([("pkg/__init__.py", TEXTS["pkg/__init__.py"][1]), ("heir.py", TEXTS["heir.py"][3])])
@example([("other.go", TEXTS["other.go"][1]), ("p/b.go", TEXTS["p/b.go"][1]), ("p/a.go", TEXTS["p/a.go"][2])])
@example([("ts/types.d.ts", TEXTS["ts/types.d.ts"][1]), ("ts/shape.ts", TEXTS["ts/shape.ts"][1])])
@example([("ts/other.ts", TEXTS["ts/other.ts"][1]), ("ts/use.ts", TEXTS["ts/use.ts"][1])])
def test_after_any_edits_names_mean_what_they_mean_afresh(steps: list[tuple[str, str | None]]) -> None:
    with tempfile.TemporaryDirectory() as name:
        root, store, code = folder(Path(name))
        try:
            meanings(code.view().snapshot)
            for path, text in steps:
                write(root, path, text)
                snapshot = code.view().snapshot
                assert meanings(snapshot) == meanings(fresh(snapshot)), path
        finally:
            code.close()
            store.close()


@pytest.mark.parametrize(
    ("edited", "text", "left"),
    [
        ("use.py", "x = 1\n", "base.py"),
        ("main.go", 'package main\n\nimport "m/p"\n\nfunc main() { p.New() }\n', "p/a.go"),
        ("ts/use.ts", "const x = 1\n", "ts/shape.ts"),
    ],
)
def test_an_edit_leaves_what_does_not_rest_on_it(tmp_path: Path, edited: str, text: str, left: str) -> None:
    root, store, code = folder(tmp_path)
    before = code.view().snapshot
    meanings(before)
    memo = before.linker.memo
    kept = {key for key in memo.results if key[1] == left}
    write(root, edited, text)
    after = code.view().snapshot
    assert after.linker.memo is memo
    assert kept
    assert kept <= memo.results.keys()
    assert not [key for key in memo.results if key[1] == edited]
    code.close()
    store.close()


def test_a_comment_changes_no_meaning(tmp_path: Path) -> None:
    root, store, code = folder(tmp_path)
    before = code.view().snapshot
    meanings(before)
    known = {key for key in before.linker.memo.results if str(key[1]).endswith(".py")}
    write(root, "base.py", TEXTS["base.py"][1])
    assert known <= code.view().snapshot.linker.memo.results.keys()
    code.close()
    store.close()


def test_an_old_state_goes_without_the_collector(tmp_path: Path) -> None:
    root, store, code = folder(tmp_path)
    first = code.view().snapshot
    meanings(first)
    held = weakref.ref(first)
    del first
    gc.disable()
    try:
        for number in range(8):
            write(root, "use.py", f"x = {number}\n")
            meanings(code.view().snapshot)
        assert held() is None
    finally:
        gc.enable()
        code.close()
        store.close()


def test_what_was_known_of_past_contents_is_let_go(tmp_path: Path) -> None:
    root, store, code = folder(tmp_path)
    for number in range(100):
        write(root, "use.py", f"x = {number}\n")
        snapshot = code.view().snapshot
        meanings(snapshot)
        assert snapshot.lexicon.where.paths
    texts = code.cache.texts
    assert texts is not None
    assert sum(isinstance(key, int) for key in code.cache.held) < 50
    assert len(texts.blobs) < 50
    assert {snapshot.files[path].blob for path in snapshot.files} <= texts.blobs
    code.close()
    store.close()


def test_a_memo_forgets_by_file() -> None:
    memo = Memo()
    memo.keep("one", 1, memo.bits(["a"]))
    memo.keep("two", 2, memo.bits(["a", "b"]))
    memo.keep("three", 3, 0)
    memo.forget(["b", "unread"])
    assert set(memo.results) == {"one", "three"}
    memo.forget(["a"])
    assert set(memo.results) == {"three"}
    memo.clear()
    assert not len(memo)
