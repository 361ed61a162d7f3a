"""What a caller sees of branches, overlays, uncommitted changes and strange refs."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from cuedeck.code.comparing import compare_refs
from cuedeck.code.engine import Code
from cuedeck.code.finding import find
from cuedeck.code.locating import locate
from cuedeck.code.pruning import prune
from cuedeck.code.refs import listed, status, switch
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.code import RefRow

from .conftest import Repo

Open = Callable[[Path], Code]
BASE = "def greet(name):\n    return name\n\n\ndef leave():\n    return greet('x')\n"


def names(code: Code, ref: str | None = None) -> set[str]:
    view = code.view(ref)
    return {
        view.snapshot.symbols(path).qualified(n)
        for path in view.snapshot.files
        for n in range(len(view.snapshot.outline(path).definitions))
    }


def layer(code: Code, name: str, ref: str | None = None) -> str:
    return locate(code.view(ref).snapshot, name)[0].source_layer


def test_a_branch_shows_its_own_files_over_the_base(repo: Repo, open_code: Open) -> None:
    repo.put("pkg/a.py", BASE)
    repo.put("pkg/gone.py", "def old(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("pkg/b.py", "from pkg.a import greet\n\ndef added():\n    return greet(1)\n")
    (repo.root / "pkg/gone.py").unlink()
    repo.commit()
    repo.git("checkout", "-q", "main")
    code = open_code(repo.root)
    assert names(code, "main") == {"pkg::a::greet", "pkg::a::leave", "pkg::gone::old"}
    assert names(code, "feat") == {"pkg::a::greet", "pkg::a::leave", "pkg::b::added"}
    assert layer(code, "added", "feat") == "overlay"
    assert layer(code, "greet", "feat") == "base"
    row = next(row for row in listed(code) if row.name == "feat")
    assert (row.files, row.symbols) == (1, 2)
    found = find(code.view("feat").snapshot, "greet")
    assert [(s.path, s.line, s.edge, s.layer) for s in found.sites(found.references)] == [
        ("pkg/a.py", 6, "calls", "base"),
        ("pkg/b.py", 1, "imports", "overlay"),
        ("pkg/b.py", 4, "calls", "overlay"),
    ]


def test_an_overlay_keeps_what_it_saw_when_the_base_moves_on(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("branch", "feat")
    code = open_code(repo.root)
    assert "a::greet" in names(code, "feat")
    repo.put("a.py", "def other(): pass\n")
    repo.put("new.py", "def fresh(): pass\n")
    repo.commit()
    assert names(code, "main") == {"a::other", "new::fresh"}
    assert names(code, "feat") == {"a::greet", "a::leave"}
    assert layer(code, "greet", "feat") == "base"


def test_another_default_branch_becomes_the_base_of_all(repo: Repo, open_code: Open) -> None:
    repo.git("checkout", "-q", "-b", "master")
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def b(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    expected = {"a::greet", "a::leave", "b::b"}
    assert names(code, "feat") == expected
    repo.git("branch", "main", "feat")
    assert names(code, "main") == expected
    repo.git("checkout", "-q", "master")
    repo.put("c.py", "def c(): pass\n")
    repo.commit()
    assert names(code, "master") == {"a::greet", "a::leave", "c::c"}
    assert names(code, "feat") == expected


def test_reading_the_base_anew_leaves_its_overlays_whole(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("branch", "feat")
    repo.git("branch", "same")
    code = open_code(repo.root)
    repo.put("a.py", "def changed(): pass\n")
    for ref in ("feat", "same", None):
        code.view(ref)
    switch(code, "feat", "someone")
    code.index(code.wanted("main"), force=True)
    for ref in ("feat", "same"):
        assert names(code, ref) == {"a::greet", "a::leave"}
    assert names(code) == {"a::changed"}
    assert code.wanted(None, "someone").name == "feat"


def test_reading_an_overlay_anew_leaves_uncommitted_changes_whole(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", "def first(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("checkout", "-q", "main")
    repo.put("a.py", BASE)
    code = open_code(repo.root)
    assert names(code, "feat") == names(code) == {"a::greet", "a::leave"}
    code.index(code.wanted("feat"), force=True)
    assert names(code) == names(code, "feat") == {"a::greet", "a::leave"}


def test_layers_that_another_process_replaces_meanwhile_are_read_as_one(
    repo: Repo, open_code: Open, tmp_path: Path
) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def b(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    other = Code(repo.root, code.store, workers=1)
    rows = code._row

    def overtaken(name: str) -> RefRow | None:
        # The other process is done between our look at the rows and our reading of the files.
        row = rows(name)
        repo.put("b.py", "def c(): pass\n")
        other.index(other.wanted("main"), force=True)
        other.view()
        return row

    assert names(code) == {"a::greet", "a::leave", "b::b"}
    wanted = code.wanted(None)
    code._snapshots = {}
    code._row = overtaken  # type: ignore[method-assign]
    found = code.indexed(wanted)
    code._row = rows  # type: ignore[method-assign]
    assert set(found.files) == {"a.py", "b.py"}
    assert [d.name for d in found.outline("b.py").definitions] == ["c"]
    assert [d.name for d in found.outline("a.py").definitions] == ["greet", "leave"]
    other.close()


def test_a_file_that_git_is_just_replacing_is_not_gone(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    code = open_code(repo.root)
    assert names(code) == {"a::greet", "a::leave"}
    lock = repo.root / ".git" / "index.lock"
    lock.touch()
    (repo.root / "a.py").unlink()

    def finish() -> None:
        repo.put("a.py", "def other(): pass\n")
        lock.unlink()

    soon = threading.Timer(0.05, finish)
    soon.start()
    try:
        assert names(code) == {"a::other"}
    finally:
        soon.join()


def test_a_file_too_large_to_be_held_is_hashed_whole(
    repo: Repo, open_code: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cuedeck.code.git.checkout._MAX_READ", 64)
    repo.put("a.py", "def one(): pass\n" * 10)
    repo.commit()
    code = open_code(repo.root)
    (repo.root / "a.py").touch()
    assert not compare_refs(code, None, None, working_tree=True).files
    repo.put("a.py", "def one(): pass\n" * 10 + "def two(): pass\n")
    assert [file.path for file in compare_refs(code, None, None, working_tree=True).files] == ["a.py"]


def test_uncommitted_changes_are_seen_at_once(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    code = open_code(repo.root)
    assert "a::greet" in names(code)
    for number in range(5):
        repo.put("a.py", f"def version_{number}(): pass\n")
        assert names(code) == {f"a::version_{number}"}
    repo.put("untracked.py", "def loose(): pass\n")
    assert "untracked::loose" in names(code)
    assert layer(code, "loose") == "overlay"
    (repo.root / "untracked.py").unlink()
    repo.put("deep/er/x.py", "def inner(): pass\n")
    assert names(code) == {"a::version_4", "deep::er::x::inner"}
    repo.git("checkout", "-q", "--", "a.py")
    assert {"a::greet", "a::leave"} <= names(code)
    assert names(code, repo.git("rev-parse", "HEAD")) >= {"a::greet"}


def test_ignored_files_and_other_repositories_are_left_out(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.put(".gitignore", "build/\n*.gen.py\n")
    repo.commit()
    repo.put("build/x.py", "def no(): pass\n")
    repo.put("y.gen.py", "def no(): pass\n")
    repo.put("node_modules/z.js", "function no() {}\n")
    Repo(repo.root / "inner").put("w.py", "def no(): pass\n")
    assert names(open_code(repo.root)) == {"a::greet", "a::leave"}


def test_tags_commits_and_expressions_are_refs(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    first = repo.commit()
    repo.git("tag", "-a", "v1", "-m", "one")
    repo.put("a.py", "def later(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    for ref in ("v1", first, first[:10], "HEAD~1"):
        assert names(code, ref) == {"a::greet", "a::leave"}, ref
    assert code.view("HEAD~1").ref == "HEAD~1"


@pytest.mark.parametrize(
    "ref", ["nope", "--help", "-", "a.py", "main:a.py", "x" * 600, "..", "a b", "ref\0x", "\x1b["]
)
def test_a_ref_that_git_does_not_know_is_refused(repo: Repo, open_code: Open, ref: str) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    with pytest.raises(CueError) as caught:
        open_code(repo.root).view(ref)
    assert caught.value.code is ErrorCode.REF_NOT_INDEXED


def test_a_branch_named_like_an_option_or_a_file_works(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("update-ref", "refs/heads/a.py", "HEAD")
    assert "a::greet" in names(open_code(repo.root), "a.py")


def test_an_unborn_branch_and_a_plain_folder_show_the_files(
    tmp_path: Path, repo: Repo, open_code: Open
) -> None:
    repo.put("a.py", BASE)
    code = open_code(repo.root)
    assert "a::greet" in names(code)
    repo.commit()
    assert "a::greet" in names(code)
    plain = tmp_path / "plain"
    plain.mkdir()
    (plain / "m.py").write_text("def solo(): pass\n")
    live = open_code(plain)
    assert names(live) == {"m::solo"}
    assert [row.name for row in listed(live)] == ["live"]
    (plain / "m.py").write_text("def changed(): pass\n")
    assert names(live) == {"m::changed"}


def test_a_detached_head_shows_its_commit_and_its_changes(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.put("a.py", "def later(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "--detach", "HEAD~1")
    code = open_code(repo.root)
    assert names(code) == {"a::greet", "a::leave"}
    repo.put("b.py", "def extra(): pass\n")
    assert "b::extra" in names(code)


def test_a_rewritten_branch_is_read_anew(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    repo.put("b.py", "def one(): pass\n")
    repo.commit()
    code = open_code(repo.root)
    assert "b::one" in names(code, "feat")
    repo.put("b.py", "def two(): pass\n")
    repo.git("add", "-A")
    repo.git("commit", "-q", "--amend", "-m", "rewritten")
    assert "b::two" in names(code, "feat")
    assert "b::one" not in names(code, "feat")


def test_a_worktree_sees_its_own_files(repo: Repo, tmp_path: Path, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("worktree", "add", "-q", str(tmp_path / "tree"), "-b", "feat")
    (tmp_path / "tree" / "own.py").write_text("def own(): pass\n")
    code = open_code(tmp_path / "tree")
    assert "own::own" in names(code)
    assert code.view().ref == "feat"
    assert "own::own" not in names(open_code(repo.root))


def test_switching_changes_the_default_and_back(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("branch", "feat")
    code = open_code(repo.root)
    code.view()
    with pytest.raises(CueError, match="feat is not indexed yet") as caught:
        switch(code, "feat", "me")
    assert caught.value.code is ErrorCode.REF_NOT_INDEXED
    assert "index_repo" in str(caught.value.hint)
    assert code.wanted(None, "me").name == "main"
    code.view("feat")
    assert switch(code, "feat", "me").previous == "main"
    assert code.wanted(None, "me").name == "feat"
    assert code.wanted(None, "you").name == "main"
    switch(code, "main", "me")
    assert code.wanted(None, "me").name == "main"


def test_switching_to_the_default_branch_counts_while_another_is_checked_out(
    repo: Repo, open_code: Open
) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("checkout", "-q", "-b", "feat")
    code = open_code(repo.root)
    code.view("main")
    switch(code, "main", "me")
    assert code.wanted(None, "me").name == "main"
    code.view("feat")
    switch(code, "HEAD", "me")
    assert code.wanted(None, "me").name == "feat"
    repo.git("checkout", "-q", "main")
    assert code.wanted(None, "me").name == "main"


def test_a_branch_may_be_called_live(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    code = open_code(repo.root)
    assert code.view("live").ref == "main"
    repo.git("checkout", "-q", "-b", "live")
    repo.put("deployed.py", "def deployed(): pass\n")
    repo.commit()
    repo.git("checkout", "-q", "main")
    assert "deployed::deployed" in names(code, "live")


def test_a_full_ref_is_the_ref_it_names(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("tag", "same")
    repo.put("dirty.py", "def dirty(): pass\n")
    repo.git("branch", "same")
    code = open_code(repo.root)
    assert "dirty::dirty" in names(code, "refs/heads/main")
    assert code.wanted("refs/heads/same").name == "same"
    assert code.wanted("refs/tags/same").name == "refs/tags/same"
    assert [row.name for row in listed(code)] == ["main"]


def test_with_a_detached_head_a_branch_is_what_was_committed(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    commit = repo.commit()
    repo.git("checkout", "-q", "--detach")
    repo.put("dirty.py", "def dirty(): pass\n")
    code = open_code(repo.root)
    assert "dirty::dirty" in names(code)
    assert "dirty::dirty" in names(code, commit)
    assert "dirty::dirty" not in names(code, "main")
    assert code.view("main").ref == "main"


def test_a_deleted_branch_is_not_listed(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("branch", "gone")
    code = open_code(repo.root)
    code.view("gone")
    assert [row.name for row in listed(code)] == ["main", "gone"]
    repo.git("branch", "-q", "-D", "gone")
    assert [row.name for row in listed(code)] == ["main"]


def test_a_folder_may_become_a_repository_while_it_is_served(tmp_path: Path, open_code: Open) -> None:
    root = tmp_path / "young"
    root.mkdir()
    (root / "a.py").write_text(BASE)
    code = open_code(root)
    assert code.view().ref == "live"
    assert [row.name for row in listed(code)] == ["live"]
    assert code.index(code.wanted(None)).files == 1
    repo = Repo(root)
    assert code.view().ref == "main"
    commit = repo.commit()
    assert "a::greet" in names(code, commit)
    assert "live" not in {row.name for row in listed(code)}


def test_a_repository_may_go_and_another_come_while_it_is_served(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    old = repo.commit()
    code = open_code(repo.root)
    assert code.view().ref == "main"
    shutil.rmtree(repo.root / ".git")
    assert code.view().ref == "live"
    assert "a::greet" in names(code)
    repo.git("init", "-q", "-b", "other")
    new = repo.commit("anew")
    assert code.view().ref == "other"
    assert code.wanted(new).commit == new
    with pytest.raises(CueError):
        code.wanted(old)


def test_numbers_of_a_deleted_index_are_not_taken_for_those_of_the_next(
    repo: Repo, open_code: Open, tmp_path: Path
) -> None:
    repo.put("a.py", BASE)
    repo.put("b.py", "def other():\n    pass\n")
    repo.commit()
    code = open_code(repo.root)
    assert "a::greet" in names(code)
    (repo.root / "a.py").unlink()
    repo.commit()
    for file in tmp_path.glob("store-0/.cuedeck/.cache/index.db*"):
        file.unlink()
    assert names(code) == {"b::other"}


@pytest.mark.parametrize(("setting", "dirty"), [("true", set()), ("input", set()), ("false", {"a.py"})])
def test_line_ends_that_git_converts_are_no_change(
    repo: Repo, open_code: Open, setting: str, dirty: set[str]
) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("config", "core.autocrlf", setting)
    repo.put("a.py", BASE.replace("\n", "\r\n"))
    code = open_code(repo.root)
    assert {file.path for file in compare_refs(code, None, None, working_tree=True).files} == dirty
    repo.put("a.py", BASE.replace("leave", "go").replace("\n", "\r\n"))
    changes = compare_refs(code, None, None, working_tree=True).changes
    assert {change.shown.name for change in changes if not change.formatting_only} == {"leave", "go"}
    assert {change.shown.name for change in changes if change.formatting_only} == (
        {"greet"} if dirty else set()
    )
    found = find(code.view().snapshot, "greet")
    assert [site.context for site in found.sites(found.references)] == ["return greet('x')"]


def test_attributes_decide_about_line_ends(repo: Repo, open_code: Open) -> None:
    repo.put(".gitattributes", "a.py text\nb.py -text\n")
    for name in ("a.py", "b.py"):
        repo.put(name, BASE)
    repo.commit()
    for name in ("a.py", "b.py"):
        repo.put(name, BASE.replace("\n", "\r\n"))
    found = compare_refs(open_code(repo.root), None, None, working_tree=True)
    assert [file.path for file in found.files] == ["b.py"]


def test_a_repository_that_cannot_be_opened_is_said_to_be_one(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("config", "core.repositoryformatversion", "1")
    repo.git("config", "extensions.refstorage", "reftable")
    code = open_code(repo.root)
    view = code.view()
    assert view.ref == "live"
    assert "extensions.refstorage" in view.warnings[0]
    with pytest.raises(CueError, match=r"cannot be opened: .*refstorage"):
        compare_refs(code, None, None)
    with pytest.raises(CueError, match=r"cannot be opened, so main is unknown: .*refstorage") as refused:
        code.view("main")
    assert refused.value.code is ErrorCode.REF_NOT_INDEXED


def test_pruning_says_why(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.commit()
    for name in ("feat", "gone"):
        repo.git("checkout", "-q", "-b", name)
        repo.put(f"{name}.py", f"def {name}(): pass\n")
        repo.commit()
    repo.git("checkout", "-q", "main")
    code = open_code(repo.root)
    for name in ("feat", "gone"):
        code.view(name)
    repo.git("branch", "-q", "-D", "gone")
    done = prune(code, 30)
    assert [(v.ref, v.reason) for v in done.removed] == [("gone", "the ref no longer exists")]
    assert [v.ref for v in done.kept] == ["feat"]
    assert {v.ref for v in prune(code, 0).removed} == {"feat"}
    assert [row.name for row in listed(code)] == ["main"]
    assert "feat::feat" in names(code, "feat")


def test_status_tells_what_is_indexed_without_indexing(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    commit = repo.commit()
    code = open_code(repo.root)
    assert status(code, None, "").status == "not_indexed"
    code.view()
    found = status(code, None, "")
    assert (found.status, found.files, found.symbols, found.commit) == ("ready", 1, 3, commit)


def test_a_missing_blob_is_reported_not_fatal(repo: Repo, open_code: Open) -> None:
    repo.put("a.py", BASE)
    repo.put("lost.py", "def lost(): pass\n")
    repo.commit()
    blob = repo.git("rev-parse", "HEAD:lost.py")
    (repo.root / ".git/objects" / blob[:2] / blob[2:]).unlink()
    repo.git("update-ref", "refs/heads/other", "HEAD")
    (repo.root / "lost.py").unlink()
    code = open_code(repo.root)
    assert names(code, "other") >= {"a::greet"}
    assert ("lost.py", "not in this clone") in code.problems(code.wanted("other"))
    view = code.view("other")
    assert view.completeness == "partial"
    assert view.warnings == ["1 of its files are not in this clone; see index_status"]
    # On disk it was deleted: nothing is missing of what is checked out.
    assert code.view().completeness == "complete"


def test_submodules_are_skipped_with_a_note(repo: Repo, open_code: Open, tmp_path: Path) -> None:
    other = Repo(tmp_path / "other")
    other.put("x.py", "def inside(): pass\n")
    other.commit()
    repo.put("a.py", BASE)
    repo.commit()
    repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", str(other.root), "sub")
    repo.commit()
    code = open_code(repo.root)
    assert "sub::x::inside" not in names(code)
    assert ("sub", "submodule") in code.problems(code.wanted(None))


def test_pipes_in_the_place_of_files_are_passed_over(tmp_path: Path, open_code: Open) -> None:
    (tmp_path / "main.go").write_text('package main\n\nimport "example.org/x/lib"\n\nfunc main() {}\n')
    for name in (".gitignore", "go.mod", "pipe.go"):
        os.mkfifo(tmp_path / name)
    snapshot = open_code(tmp_path).view().snapshot
    assert list(snapshot.files) == ["main.go"]
    assert find(snapshot, "main").references == []


def test_an_edited_project_file_counts_before_it_is_committed(repo: Repo, open_code: Open) -> None:
    repo.put("go.mod", "module example.org/old\n")
    repo.put("lib/lib.go", "package lib\n\nfunc Work() {}\n")
    repo.put("main.go", 'package main\n\nimport "example.org/new/lib"\n\nfunc main() { lib.Work() }\n')
    repo.put("tsconfig.json", "{}")
    repo.put("src/deep/util.ts", "export function help() {}\n")
    repo.put("src/app.ts", 'import { help } from "@deep/util"\nhelp()\n')
    repo.commit()
    code = open_code(repo.root)

    def lines(name: str) -> list[tuple[str, int]]:
        found = find(code.view().snapshot, name)
        return [(site.path, site.line) for site in found.references]

    assert lines("Work") == []
    assert lines("help") == []
    repo.put("go.mod", "module example.org/new\n")
    assert lines("Work") == [("main.go", 5)]
    repo.put("tsconfig.json", '{"compilerOptions": {"paths": {"@deep/*": ["./src/deep/*"]}}}')
    assert lines("help") == [("src/app.ts", 1), ("src/app.ts", 2)]
    (repo.root / "go.mod").unlink()
    assert lines("Work") == []
    repo.git("checkout", "-q", "--", "tsconfig.json")
    assert lines("help") == []
    repo.put("src/tsconfig.json", '{"compilerOptions": {"paths": {"@deep/*": ["./deep/*"]}}}')
    assert lines("help") == [("src/app.ts", 1), ("src/app.ts", 2)]


def test_a_project_file_of_a_branch_that_is_not_checked_out_is_the_committed_one(
    repo: Repo, open_code: Open
) -> None:
    repo.put("go.mod", "module example.org/shop\n")
    repo.put("lib/lib.go", "package lib\n\nfunc Work() {}\n")
    repo.put("main.go", 'package main\n\nimport "example.org/shop/lib"\n\nfunc main() { lib.Work() }\n')
    repo.commit()
    repo.git("branch", "other")
    repo.put("go.mod", "module example.org/elsewhere\n")
    code = open_code(repo.root)
    assert len(find(code.view("other").snapshot, "Work").references) == 1
    assert len(find(code.view().snapshot, "Work").references) == 0
