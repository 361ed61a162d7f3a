"""Symbols and files that stand elsewhere or are called otherwise are told as such by a comparison."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from cuedeck.code.comparing import Comparison, compare_refs
from cuedeck.code.engine import Code

from .conftest import Repo

Open = Callable[[Path], Code]


def moves(found: Comparison) -> dict[str, str]:
    return {c.shown.qualified_name: c.moved_from.qualified_name for c in found.changes if c.moved_from}


def numbered(count: int, *, but: int = -1) -> str:
    return "".join(f"def f{n}():\n    return {n if n != but else 'None'}\n\n\n" for n in range(count))


def test_an_edited_symbol_of_a_renamed_file_is_the_one_of_its_name(repo: Repo, open_code: Open) -> None:
    repo.put("old.py", numbered(6))
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    repo.put("new.py", numbered(6, but=3))
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert moves(found) == {f"new::f{n}": f"old::f{n}" for n in range(6)}


def test_equal_members_of_a_renamed_file_keep_their_class(repo: Repo, open_code: Open) -> None:
    classes = "".join(f"class {name}:\n    def run(self):\n        return None\n\n\n" for name in "ABC")
    repo.put("old.py", classes)
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    # The first one goes: by order alone each method would be taken for that of the class before it.
    repo.put("new.py", classes[classes.index("class B") :])
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert moves(found)["new::B::run"] == "old::B::run"
    assert moves(found)["new::C::run"] == "old::C::run"


def test_a_short_function_under_another_name_in_its_file_is_the_same(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def area(width, height):\n    size = width * height\n    return size\n")
    repo.commit()
    repo.put("a.py", "def surface(width, height):\n    size = width * height\n    return size\n")
    repo.commit()
    assert moves(compare_refs(open_code(repo.root), "HEAD~1", "HEAD")) == {"a::surface": "a::area"}


def test_of_several_short_functions_of_one_shape_none_is_guessed(repo: Repo, open_code: Open) -> None:
    body = "(self, value):\n    raise NotImplementedError(value)\n\n\n"
    repo.put("a.py", f"def one{body}def two{body}")
    repo.commit()
    repo.put("a.py", f"def three{body}def four{body}")
    repo.commit()
    assert moves(compare_refs(open_code(repo.root), "HEAD~1", "HEAD")) == {}


def test_a_file_renamed_and_edited_on_disk_is_renamed(repo: Repo, open_code: Open) -> None:
    repo.put("old.py", numbered(8))
    repo.put("other.py", "def other():\n    return 'something else'\n")
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    repo.put("new.py", numbered(8, but=2))
    (repo.root / "other.py").unlink()
    found = compare_refs(open_code(repo.root), None, None, working_tree=True)
    assert [(file.change, file.old_path, file.path) for file in found.files] == [
        ("renamed", "old.py", "new.py"),
        ("deleted", "other.py", "other.py"),
    ]
    assert moves(found)["new::f2"] == "old::f2"


def test_a_changed_file_whose_name_is_not_utf8_is_told(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.put(os.fsdecode(b"caf\xe9.py"), "def two(): pass\n")
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert found.unread == (("caf�.py", "its name is not UTF-8"),)
    assert compare_refs(open_code(repo.root), "HEAD~1", "HEAD", path_filter="src/").unread == ()
