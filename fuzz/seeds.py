"""Small starting inputs for each target."""

from __future__ import annotations

import io
import json
import tarfile
from pathlib import Path

CARD = b"""---
title: "A: b"   # why
status: todo
tags: [a, 'b']
depends_on:
  - abc123
text: |
  one
  two
---
# Head

## Notes

- 2026-01-01: x
"""
HEADER = b"""\xef\xbb\xbf---\r
"status": &s done\r
tags: {a: 1, ? b : [c, "d\\u0041\\""]}\r
same: *s\r
when: 2026-01-01T00:00:00Z\r
folded: >-\r
  a\r
\r
  b\r
!!str key: ~\r
<<: {x: .inf}\r
...\r
body\r
"""
NOTE = b"""---\ntags: a, b\naliases: [x]\n---
# One [link](a.md#b) ![[embed]] [[note#h|text]] #tag/b `[[no]]`

Setext
======

~~~
# no
~~~

> - [ ] task\n>   1. item <b>html</b> &amp; \\# *e* **s**

| a | b |\n|---|---|\n| [x]: y | ^[f] |
"""
SOURCES = (
    b"from a import b as c\nclass A(B):\n    def f(self, *a: T) -> 'U':\n        return [x for x in a]\n",
    b"export default class A extends B { m = async () => { const {x, ...y} = await f`t${z}` } }\n",
    b"pub mod a; use b::{c as d, self}; impl<T: X> Y for Z<T> { fn q(&self) { m!(a.b(c)) } }\n",
    b'package p\nimport . "x"\nfunc (s *S[T]) M(a, b int) (c error) { go f(func() {}) }\n',
    b"#include <a.h>\n#define X(a) a##b\nnamespace n { template<class T> struct S : B { T f(); }; }\n",
    b"local M = {}\nfunction M:f(...) return self.x end\n",
    b'f() { local x=$(g "${y[@]}"); }\n',
    b"namespace N; record R(int A) : I { public int P => 1; }\n",
)


def archive() -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as tar:
        for name, data in (
            ("metadata.json", json.dumps({"format": 1, "files": {}}).encode()),
            ("state.db", b"x"),
        ):
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            tar.addfile(entry, io.BytesIO(data))
    return b"\xff" + packed.getvalue()


def inputs() -> dict[str, list[bytes]]:
    """Starting points by target."""
    return {
        "markdown": [NOTE, CARD],
        "frontmatter": [CARD, NOTE, HEADER],
        "notes": [CARD, NOTE, HEADER],
        "archive": [archive()],
        "code": [bytes([number]) + source for number in range(20) for source in SOURCES],
    }


def write(target: str, folder: Path) -> None:
    """Put a target's starting points where libFuzzer looks for them."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(inputs()[target]):
        (folder / f"seed{number}").write_bytes(data)
