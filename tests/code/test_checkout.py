"""What is read from the files on disk."""

from __future__ import annotations

from pathlib import Path

from cuedeck.code.git.checkout import Checkout
from cuedeck.code.git.repository import Repository

from .conftest import Repo


def test_project_files_outside_the_workspace_are_not_read(tmp_path: Path) -> None:
    (tmp_path / "inside").mkdir()
    (tmp_path / "outside.json").write_text("{}")
    (tmp_path / "inside" / "package").mkdir()
    (tmp_path / "inside" / "package" / "mine.json").write_text("{}")
    (tmp_path / "inside" / "linked").symlink_to("package")
    (tmp_path / "inside" / "away").symlink_to("..")
    checkout = Checkout(tmp_path / "inside", None)
    assert checkout.project_file("../outside.json") is None
    assert checkout.project_file("away/outside.json") is None
    assert checkout.project_file("linked/mine.json") == b"{}"


def test_what_differs_from_a_commit_is_kept_up_as_files_change(repo: Repo) -> None:
    for name in ("a", "b", "c"):
        repo.put(f"{name}.py", f"{name} = 1\n")
    first = repo.commit()
    repository = Repository.open(repo.root)
    assert repository is not None
    committed, _ = repository.files(first)
    head = ("main", first)
    checkout = Checkout(repo.root, repository)
    assert checkout.differing(committed, head) == {}
    repo.put("a.py", "a = 2\n")
    repo.put("new.py", "new = 1\n")
    (repo.root / "b.py").unlink()
    found = checkout.differing(committed, head)
    assert (found.keys(), found["b.py"]) == ({"a.py", "b.py", "new.py"}, None)
    repo.put("a.py", "a = 1\n")
    repo.put("b.py", "b = 2\n")
    (repo.root / "new.py").unlink()
    assert checkout.differing(committed, head) == {"b.py": checkout.files()["b.py"]}
    head = ("main", repo.commit())
    second, _ = repository.files(head[1])
    assert checkout.differing(second, head) == {}
    assert checkout.differing(committed, head) == {"b.py": second["b.py"]}
    checkout.close()
