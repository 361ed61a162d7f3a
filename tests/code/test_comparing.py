"""What a caller learns about the difference of two refs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.code import comparing
from cuedeck.code.comparing import Comparison, compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.formatting import same_tokens
from cuedeck.code.locating import locate
from cuedeck.model.errors import CueError, ErrorCode

from .conftest import Repo

Open = Callable[[Path], Code]
BODY = "    total = 0\n    for item in items:\n        total += item.price * item.count\n    return total\n"


def told(found: Comparison) -> list[tuple[str, str]]:
    return [(change.change, change.shown.qualified_name) for change in found.changes]


def test_added_modified_and_deleted_symbols(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def kept(): pass\n\ndef edited(a):\n    return a\n\ndef removed(): pass\n")
    base = repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put(
        "a.py", "# moved down\ndef kept(): pass\n\ndef edited(a, b):\n    return a\n\ndef fresh(): pass\n"
    )
    repo.commit()
    found = compare_refs(open_code(repo.root), "main", "feat")
    assert told(found) == [
        ("modified", "a::edited"),
        ("deleted", "a::removed"),
        ("added", "a::fresh"),
    ]
    edited = next(change for change in found.changes if change.change == "modified")
    assert edited.before is not None
    assert edited.after is not None
    assert edited.before.symbol_stable_id == edited.after.symbol_stable_id
    assert edited.before.symbol_id == edited.after.symbol_id
    assert (edited.before.signature, edited.after.signature) == ("def edited(a)", "def edited(a, b)")
    assert found.merge_base == base


@pytest.mark.parametrize(
    ("path", "before", "after", "changed"),
    [
        (
            "a.js",
            "const { one, two: { inner } } = load('x');",
            "const {\n  one,\n  two: { inner },\n  three,\n} = load('x');",
            [("added", "three")],
        ),
        (
            "a.js",
            "const { one, two } = load('x');",
            "const { one, two } = load('y');",
            [("modified", "one"), ("modified", "two")],
        ),
        (
            "a.js",
            "const { one, two } = load();",
            "const { one, two = 2 } = load();",
            [("modified", "two")],
        ),
        (
            "a.js",
            "const { one, ...others } = load();",
            "const { one, two, ...others } = load();",
            [("added", "two"), ("modified", "others")],
        ),
        ("a.ts", "export const [one, two] = load();", "export const [one] = load();", [("deleted", "two")]),
        (
            "a.ts",
            "export const [one, two] = load();",
            "export const [zero, one, two] = load();",
            [("added", "zero"), ("modified", "one"), ("modified", "two")],
        ),
        ("a.ts", "export const one = 1;", "export const one = 1, two = 2;", [("added", "two")]),
        (
            "a.ts",
            "export const one = 1, two = 2;",
            "const one = 1, two = 2;",
            [("modified", "one"), ("modified", "two")],
        ),
        ("a.py", "class A:\n    one = 1", "class A:\n    one = 2\n    two = 1", [("modified", "A")]),
        ("a.py", "one, two = 1, 2", "one, two, three = 1, 2, 3", [("added", "three")]),
        ("a.py", "one, two = 1, 2", "one, two = 1, 3", [("modified", "two")]),
        ("a.py", "(one, two) = load()", "(one, two) = store()", [("modified", "one"), ("modified", "two")]),
        ("a.py", "one = 1", "one = two = 1", [("added", "two")]),
        ("a.py", "one = two = 1", "one = two = 2", [("modified", "one"), ("modified", "two")]),
        (
            "a.go",
            "package a\nvar one = 1",
            "package a\nvar (\n\tone = 1\n\ttwo = 2\n)",
            [("added", "two")],
        ),
        ("a.go", "package a\nvar one, two = 1, 2", "package a\nvar one, two = 1, 3", [("modified", "two")]),
        (
            "a.go",
            "package a\nvar one, two = load()",
            "package a\nvar two, one = load()",
            [("modified", "one"), ("modified", "two")],
        ),
        (
            "a.go",
            "package a\ntype One int",
            "package a\ntype (\n\tOne int\n\tTwo int\n)",
            [("added", "Two")],
        ),
        (
            "a.c",
            "static int one, two;",
            "static int one, *two, three;",
            [("added", "three"), ("modified", "two")],
        ),
        (
            "a.c",
            "typedef struct thing Thing;",
            "typedef struct thing Thing, *Pointer;",
            [("added", "Pointer")],
        ),
        (
            "a.php",
            "<?php class A { const ONE = 1, TWO = 2; }",
            "<?php class A { const ONE = 1, TWO = 3; }",
            [("modified", "A"), ("modified", "A::TWO")],
        ),
        ("a.lua", "local one, two = 1, 2", "local one, two = 1, 3", [("modified", "two")]),
        ("a.swift", "let one = 1, two = 2", "let one = 1, two = 2, three = 3", [("added", "three")]),
        (
            "a.swift",
            "let (one, two) = load()",
            "let (one, second) = load()",
            [("added", "second"), ("deleted", "two")],
        ),
        ("a.rb", "ONE, TWO = 1, 2", "ONE, TWO = 1, 3", [("modified", "TWO")]),
        ("a.sh", "readonly ONE=1 TWO=2", "readonly ONE=1 TWO=3", [("modified", "TWO")]),
    ],
)
def test_of_several_names_in_a_statement_those_that_changed_are_told(
    repo: Repo, open_code: Open, path: str, before: str, after: str, changed: list[tuple[str, str]]
) -> None:
    repo.put(path, before + "\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put(path, after + "\n")
    repo.commit()
    found = told(compare_refs(open_code(repo.root), "main", "feat"))
    said = sorted((change, name.removeprefix("a::")) for change, name in found)
    assert said == changed


def test_a_file_that_is_too_long_on_both_sides_is_named_once(repo: Repo, open_code: Open) -> None:
    for branch, letter in (("main", "a"), ("feat", "b")):
        if branch != "main":
            repo.git("checkout", "-q", "-b", branch)
        repo.put("packed.js", f"var {letter} = '{letter * 100_001}';\n")
        repo.commit()
    assert [path for path, _ in compare_refs(open_code(repo.root), "main", "feat").unread] == ["packed.js"]


def test_a_file_that_becomes_a_link_is_one_changed_file(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", f"def cost(items):\n{BODY}")
    (repo.root / "b.py").symlink_to("a.py")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    (repo.root / "b.py").unlink()
    repo.put("b.py", "def fresh(): pass\n")
    (repo.root / "a.py").unlink()
    (repo.root / "a.py").symlink_to("b.py")
    repo.commit()
    found = compare_refs(open_code(repo.root), "main", "feat")
    assert [(file.path, file.change) for file in found.files] == [("a.py", "modified"), ("b.py", "modified")]
    assert told(found) == [("deleted", "a::cost"), ("added", "b::fresh")]


def test_the_working_tree_is_that_of_the_head_or_refused(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("branch", "other")
    repo.put("a.py", "def two(): pass\n")
    code = open_code(repo.root)
    for head in (None, "main", "HEAD"):
        found = compare_refs(code, "main", head, working_tree=True)
        assert told(found) == [("deleted", "a::one"), ("added", "a::two")]
    with pytest.raises(CueError) as caught:
        compare_refs(code, "main", "other", working_tree=True)
    assert caught.value.code is ErrorCode.VALIDATION


def test_a_branch_without_a_commit_cannot_be_compared(repo: Repo, open_code: Open) -> None:
    with pytest.raises(CueError, match="main has no commit yet"):
        compare_refs(open_code(repo.root), None, None)


def test_only_the_head_side_of_a_fork_counts(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def two(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put("a.py", "def changed_on_main(): pass\n")
    repo.commit()
    found = compare_refs(open_code(repo.root), "main", "feat")
    assert told(found) == [("added", "b::two")]
    assert [file.path for file in found.files] == ["b.py"]


def test_moves_renames_and_edited_moves_are_recognised(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", f"def moved(items):\n{BODY}\n\ndef old_name(items):\n{BODY.replace('price', 'cost')}")
    repo.put("c.py", f"def touched(items):\n{BODY.replace('total', 'amount')}")
    repo.commit()
    repo.put("a.py", f"def new_name(items):\n{BODY.replace('price', 'cost')}")
    repo.put(
        "b.py",
        f"def moved(items):\n{BODY}\n\ndef touched(items):\n{BODY.replace('total', 'amount')}    # end\n",
    )
    (repo.root / "c.py").unlink()
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    moves = {c.shown.name: c.moved_from.qualified_name for c in found.changes if c.moved_from is not None}
    assert moves["moved"] == "a::moved"
    assert moves["new_name"] == "a::old_name"
    assert moves["touched"] == "c::touched"
    assert {c.shown.name for c in found.changes if c.moved_to is not None} == {"moved", "old_name", "touched"}


def test_an_edited_move_is_found_among_hundreds_of_changes(repo: Repo, open_code: Open) -> None:
    """With too many to compare each with each, those of one name or of one file still are."""
    words = " + ".join(f"part_{n}" for n in range(12))
    repo.put("a.py", f"def cost(items):\n    return {words}\n\ndef before(items):\n    return 1 + {words}\n")
    repo.put("old.py", "".join(f"def gone_{n}(): return {n}\n" for n in range(90)))
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("a.py", f"def after(items):\n    return 2 + 1 + {words}\n")
    repo.put("b.py", f"def cost(items, tax):\n    return tax + {words}\n")
    repo.put("new.py", "".join(f"def come_{n}(): return {n}\n" for n in range(90)))
    repo.git("rm", "-q", "old.py")
    repo.commit()
    found = compare_refs(open_code(repo.root), "main", "feat")
    moves = {c.shown.qualified_name: c.moved_from.qualified_name for c in found.changes if c.moved_from}
    assert moves == {"b::cost": "a::cost", "a::after": "a::before"}


def test_small_functions_of_one_shape_are_not_taken_for_each_other(repo: Repo, open_code: Open) -> None:
    repo.put("a.rs", "pub fn legacy_auth(name: &str) -> bool {\n    name.is_empty()\n}\n")
    repo.put("c.py", "def old(self):\n    return None\n")
    repo.commit()
    (repo.root / "a.rs").unlink()
    repo.put("b.rs", "pub fn refresh_token(token: &str) -> String {\n    token.to_owned()\n}\n")
    repo.put("c.py", "def fresh(self):\n    return None\n")
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert [change for change in found.changes if change.moved_from or change.moved_to] == []
    assert len(found.changes) == 4


def test_a_renamed_file_carries_its_old_path(repo: Repo, open_code: Open) -> None:
    repo.put("old.py", f"def f(items):\n{BODY}")
    repo.commit()
    repo.git("mv", "old.py", "new.py")
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert [(f.change, f.old_path, f.path) for f in found.files] == [("renamed", "old.py", "new.py")]
    assert sorted(told(found)) == [("added", "new::f"), ("deleted", "old::f")]


def test_of_too_many_files_to_compare_those_that_moved_as_they_are_are_renamed(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("one", "two"):
        repo.put(f"old/{name}.py", f"def {name}(): pass\n")
    repo.put("old/same.py", "def one(): pass\n")
    repo.put("old/edited.py", "def edited(a, b):\n    return a + b\n\n\nLIMIT = 3\n")
    first = repo.commit()
    repo.git("mv", "old", "new")
    repo.put("new/edited.py", "def edited(a, b):\n    return a - b\n\n\nLIMIT = 3\n")
    repo.commit()
    monkeypatch.setattr("cuedeck.code.git.repository._MOST_COMPARED", 3)
    files = compare_refs(open_code(repo.root), first, "HEAD").files
    assert [(file.path, file.old_path, file.change) for file in files] == [
        ("new/edited.py", "new/edited.py", "added"),
        ("new/one.py", "old/one.py", "renamed"),
        ("new/same.py", "old/same.py", "renamed"),
        ("new/two.py", "old/two.py", "renamed"),
        ("old/edited.py", "old/edited.py", "deleted"),
    ]


def test_layout_only_changes_are_marked_and_meaning_is_not_mistaken_for_layout(
    repo: Repo, open_code: Open
) -> None:
    repo.put(
        "a.py",
        "def laid(a, b):\n    return g(a, b)\n\n\ndef said():\n    return 'a b'\n\n\n"
        "def dedented(x):\n    if x:\n        a()\n        b()\n",
    )
    repo.commit()
    repo.put(
        "a.py",
        "def laid(\n    a, b\n):\n    return g(a,b)\n\n\ndef said():\n    return 'ab'\n\n\n"
        "def dedented(x):\n    if x:\n        a()\n    b()\n",
    )
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert {c.shown.name: c.formatting_only for c in found.changes} == {
        "laid": True,
        "said": False,
        "dedented": False,
    }


def test_a_line_break_that_ends_a_statement_is_no_layout(repo: Repo, open_code: Open) -> None:
    repo.put("a.js", "function given(a) { return a; }\nfunction laid(a) { return a; }\n")
    repo.put("a.php", "<?php\nfunction same($a) { return $a; }\nfunction other($a) { return 'a b'; }\n")
    repo.commit()
    repo.put("a.js", "function given(a) { return\na; }\nfunction laid(a) {\n  return a;\n}\n")
    repo.put("a.php", "<?php\nfunction same($a)\n{\n    return $a;\n}\nfunction other($a) { return 'ab'; }\n")
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    assert {c.shown.name: c.formatting_only for c in found.changes} == {
        "given": False,
        "laid": True,
        "same": True,
        "other": False,
    }


def test_a_method_that_became_a_function_is_the_same_one(repo: Repo, open_code: Open) -> None:
    body = (
        "{0}total = first * second\n{0}for each in range(limit):\n"
        "{0}    total += each * first\n{0}return total\n"
    )
    method = f"class A:\n    def summed(first, second, limit):\n{body.format(' ' * 8)}"
    repo.put("a.py", method)
    repo.commit()
    repo.put("a.py", f"class A:\n    pass\n\n\ndef summed(first, second, limit):\n{body.format(' ' * 4)}")
    repo.commit()
    found = compare_refs(open_code(repo.root), "HEAD~1", "HEAD")
    [moved] = [c for c in found.changes if c.change == "added"]
    assert moved.moved_from is not None
    assert (moved.shown.kind, moved.moved_from.qualified_name) == ("fn", "a::A::summed")


def test_what_is_laid_out_anew_is_compared_as_a_whole_and_once(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = "class Kept { int a() { return 1; } class In { int b() { return 2; } } }\n"
    said = 'class Said { int c() { return 3; } String d() { return "a b"; } }\n'
    repo.put("A.java", kept + said)
    repo.commit()
    repo.put("A.java", kept.replace(" { ", "\n{\n    ") + said.replace(" { ", " {\n").replace("a b", "ab"))
    repo.commit()
    asked: list[bytes] = []

    def counted(language: str, before: bytes, after: bytes) -> bool:
        asked.append(before.split(b" {")[0])
        return same_tokens(language, before, after)

    monkeypatch.setattr(comparing, "same_tokens", counted)
    code = open_code(repo.root)
    for _ in range(2):
        found = compare_refs(code, "HEAD~1", "HEAD")
        assert {c.shown.name: c.formatting_only for c in found.changes} == {
            "Kept": True,
            "a": True,
            "In": True,
            "b": True,
            "Said": False,
            "c": True,
            "d": False,
        }
        assert asked == [b"class Kept", b"class Said", b"int c()", b"String d()"]


def test_the_working_tree_can_be_the_head(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    assert told(compare_refs(code, "main", "main")) == []
    repo.put("a.py", "def one(): return 1\n")
    repo.put("b.py", "def two(): pass\n")
    assert told(compare_refs(code, None, None)) == []
    found = compare_refs(code, None, None, working_tree=True)
    assert told(found) == [("modified", "a::one"), ("added", "b::two")]


def test_files_moved_in_commits_and_on_disk_are_renamed_in_the_working_tree_too(
    repo: Repo, open_code: Open
) -> None:
    for name in ("a", "b", "c"):
        repo.put(f"{name}.py", f"def {name}_one():\n    return '{name}'\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "topic")
    repo.git("mv", "a.py", "moved_a.py")
    repo.commit()
    (repo.root / "b.py").rename(repo.root / "moved_b.py")
    (repo.root / "c.py").unlink()
    code = open_code(repo.root)
    found = compare_refs(code, "main", "topic", working_tree=True)
    assert [(file.change, file.old_path, file.path) for file in found.files] == [
        ("deleted", "c.py", "c.py"),
        ("renamed", "a.py", "moved_a.py"),
        ("renamed", "b.py", "moved_b.py"),
    ]


def test_filters_binary_files_and_other_languages(repo: Repo, open_code: Open) -> None:
    repo.put("src/a.go", "package p\nfunc One() {}\n")
    repo.put("logo.png", b"\x89PNG\x00\x01")
    repo.commit()
    repo.put("src/a.go", "package p\nfunc One() { Two() }\nfunc Two() {}\n")
    repo.put("other/b.go", "package q\nfunc Three() {}\n")
    repo.put("logo.png", b"\x89PNG\x00\x02")
    repo.commit()
    code = open_code(repo.root)
    assert sorted(told(compare_refs(code, "HEAD~1", "HEAD", path_filter="src/"))) == [
        ("added", "src::a::Two"),
        ("modified", "src::a::One"),
    ]
    whole = compare_refs(code, "HEAD~1", "HEAD")
    assert {file.path for file in whole.files} == {"src/a.go", "other/b.go", "logo.png"}


def test_unrelated_histories_and_plain_folders_have_no_merge_base(
    repo: Repo, open_code: Open, tmp_path: Path
) -> None:
    repo.put("a.py", "x = 1\n")
    repo.commit()
    repo.git("checkout", "-q", "--orphan", "alone")
    repo.commit("unrelated")
    with pytest.raises(CueError) as caught:
        compare_refs(open_code(repo.root), "main", "alone")
    assert caught.value.code is ErrorCode.MERGE_BASE_FAILED
    assert "separate" in str(caught.value.hint)
    plain = tmp_path / "plain"
    plain.mkdir()
    with pytest.raises(CueError) as caught:
        compare_refs(open_code(plain), None, None)
    assert caught.value.code is ErrorCode.MERGE_BASE_FAILED


def test_a_script_without_an_ending_is_compared_too(repo: Repo, open_code: Open) -> None:
    tool = repo.root / "tool"
    repo.put("tool", "#!/usr/bin/env python3\ndef kept():\n    return 1\n")
    repo.put("LICENSE", "one\n")
    tool.chmod(0o755)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("tool", "#!/usr/bin/env python3\ndef kept():\n    return 2\n\n\ndef fresh(): pass\n")
    repo.put("LICENSE", "two\n")
    repo.commit()
    code = open_code(repo.root)
    assert told(compare_refs(code, "main", "feat")) == [("modified", "tool::kept"), ("added", "tool::fresh")]
    repo.put("tool", "#!/usr/bin/env python3\ndef kept():\n    return 3\n")
    found = compare_refs(code, "main", "feat", working_tree=True)
    assert told(found) == [("modified", "tool::kept")]
    assert [file.path for file in found.files] == ["LICENSE", "tool"]


def test_a_name_of_a_branch_and_a_tag_is_the_branch_and_says_so(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def tagged(): pass\n")
    repo.commit()
    repo.git("tag", "both")
    repo.put("a.py", "def branched(): pass\n")
    repo.commit()
    repo.git("branch", "both")
    code = open_code(repo.root)
    said = "both is a branch and a tag: this is the branch, and refs/tags/both the tag"
    branch, tag = code.view("both"), code.view("refs/tags/both")
    assert (branch.warnings, tag.warnings, code.view("main").warnings) == ([said], [], [])
    assert locate(branch.snapshot, "branched")
    assert locate(tag.snapshot, "tagged")
    assert compare_refs(code, "both", "main").doubts == (said,)
    assert told(compare_refs(code, "refs/tags/both", "both")) == [
        ("added", "a::branched"),
        ("deleted", "a::tagged"),
    ]


def test_a_side_that_cannot_be_read_makes_no_symbol_deleted(repo: Repo, open_code: Open) -> None:
    repo.put("a.js", "function kept() {}\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("a.js", f"function kept() {{}}\nvar packed = '{'a' * 100_001}';\n")
    repo.commit()
    found = compare_refs(open_code(repo.root), "main", "feat")
    assert [file.path for file in found.files] == ["a.js"]
    assert (found.changes, [path for path, _ in found.unread]) == ((), ["a.js"])


def test_a_submodule_that_moved_is_a_changed_file_without_symbols(repo: Repo, open_code: Open) -> None:
    first, second = "1" * 40, "2" * 40
    repo.put("a.py", "def kept(): pass\n")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},lib/sub")
    repo.put("taken.py", "def one(): pass\n")
    repo.git("add", "a.py", "taken.py")
    repo.git("commit", "-q", "-m", "first")
    repo.git("checkout", "-q", "-b", "feat")
    repo.git("update-index", "--cacheinfo", f"160000,{second},lib/sub")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{second},more")
    repo.git("rm", "-q", "--cached", "taken.py")
    repo.git("update-index", "--add", "--cacheinfo", f"160000,{first},taken.py")
    repo.git("commit", "-q", "-m", "second")
    found = compare_refs(open_code(repo.root), "main", "feat")
    listed = [(file.path, file.change) for file in found.files]
    assert listed == [("lib/sub", "modified"), ("more", "added"), ("taken.py", "modified")]
    assert [(change.change, change.shown.name) for change in found.changes] == [("deleted", "one")]


def test_what_cannot_be_read_in_time_is_counted_and_read_by_the_next_question(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in "abc":
        repo.put(f"{name}.py", f"def {name}(x):\n    return x\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    for name in "abc":
        repo.put(f"{name}.py", f"def {name}(x, y):\n    return x\n")
    repo.commit()
    monkeypatch.setattr(comparing, "_SECONDS", -1.0)
    code = open_code(repo.root)
    answers = [compare_refs(code, "main", "feat")]
    while answers[-1].waiting:
        assert answers[-1].incomplete and len(answers) < 9
        (doubt,) = answers[-1].doubts
        assert doubt.startswith(f"{answers[-1].waiting} of 3 changed files are not compared yet")
        answers.append(compare_refs(code, "main", "feat"))
    assert [found.waiting for found in answers] == [3, 2, 2, 1, 1, 0]
    assert told(answers[3]) == [("modified", "a::a"), ("modified", "b::b")]
    assert not answers[-1].incomplete and not answers[-1].doubts
    assert told(answers[-1]) == [("modified", "a::a"), ("modified", "b::b"), ("modified", "c::c")]
