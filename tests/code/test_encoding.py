"""Source that is not UTF-8 is read as its language reads it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.extraction.encoding import as_utf8
from cuedeck.code.finding import find
from cuedeck.code.locating import locate

from .conftest import Repo

Open = Callable[[Path], Code]
_COOKIE = "# -*- coding: {} -*-\n"


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("# vim: set fileencoding=iso-8859-15 :\nprix = '10 €'\n", "iso-8859-15"),
        ("#!/usr/bin/env ruby\n# encoding: Shift_JIS\nputs '日本'\n", "shift_jis"),
        ("/* Größe */ int größe;\n", "latin-1"),
        ("class Café {}\n", "utf-16"),
        ("class Café {}\n", "utf-8"),
    ],
)
def test_marks_declarations_and_what_is_left(text: str, encoding: str) -> None:
    assert as_utf8(text.encode(encoding)).decode().lstrip("\ufeff") == text


@pytest.mark.parametrize(
    "source",
    [
        b"# coding: rot13\nx = '\xc3\xa9'\n",
        b"# coding: no-such-thing\nx = '\xc3\xa9'\n",
        b"# coding: punycode\nx = '\xc3\xa9'\n",
        b"# coding: utf-8\nx = '\xc3\xa9'\n",
        b"\xff\xfe\x00",
        b"\x7fELF\0\xff\xfe",
    ],
)
def test_what_cannot_be_read_otherwise_stays(source: bytes) -> None:
    assert as_utf8(source) == source


def test_names_lines_and_bodies_are_those_of_the_text(repo: Repo, open_code: Open) -> None:
    repo.put("lib.py", (_COOKIE.format("latin-1") + "def größe():\n    return 'ä'\n").encode("latin-1"))
    repo.put("use.py", "from lib import größe\n\n\ndef rufe():\n    return größe()  # früh\n".encode())
    repo.put(
        "Menu.cs", "class Café\n{\n    void Öffne() { }\n    void Los() { Öffne(); }\n}\n".encode("utf-16")
    )
    repo.put("prix.php", "<?php\nfunction cré() {}\ncré();\n".encode("latin-1"))
    repo.commit()
    snapshot = open_code(repo.root).view().snapshot
    found = find(snapshot, "größe")
    assert [(s.path, s.line, s.context) for s in found.sites(found.references)] == [
        ("use.py", 1, "from lib import größe"),
        ("use.py", 5, "return größe()  # früh"),
    ]
    [record] = locate(snapshot, "lib::größe")
    definition = snapshot.outline("lib.py").definitions[record.number]
    source = snapshot.source("lib.py") or b""
    assert source[definition.start : definition.end].decode() == "def größe():\n    return 'ä'"
    assert [(s.path, s.line) for s in find(snapshot, "Café.Öffne").references] == [("Menu.cs", 4)]
    assert [(s.path, s.line) for s in find(snapshot, "cré").references] == [("prix.php", 3)]


def test_a_file_that_only_changed_its_encoding_has_the_same_symbols(repo: Repo, open_code: Open) -> None:
    body = "def größe():\n    return 'ä' + 'ö' + 'ü' + 'a longer text that tells'\n"
    repo.put("lib.py", (_COOKIE.format("latin-1") + body).encode("latin-1"))
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("lib.py", (_COOKIE.format("utf-8") + body).encode())
    repo.commit()
    code = open_code(repo.root)
    assert [c.change for c in compare_refs(code, "main", "feat").changes] == []


def test_a_path_is_found_in_either_form_of_its_accents(repo: Repo, open_code: Open) -> None:
    composed, decomposed = "caf\u00e9.py", "lib/cafe\u0301.py"
    for path in (composed, decomposed):
        repo.put(path, "def serve(): ...\n")
    repo.commit()
    snapshot = open_code(repo.root).view().snapshot
    for asked, path in (("cafe\u0301.py", composed), ("lib/caf\u00e9.py", decomposed), (composed, composed)):
        assert snapshot.spelled(asked) == path
        assert find(snapshot, "serve", path=asked).symbol.path == path
    assert snapshot.spelled("caf\u00e8.py") == "caf\u00e8.py"
