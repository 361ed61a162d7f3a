"""What get_file_outline shows of a file, and says of what is none."""

from __future__ import annotations

import pytest

from cuedeck.model.errors import CueError

from .conftest import Ask, Repo


@pytest.mark.parametrize(
    ("path", "source", "inside"),
    [
        (
            "a.rs",
            "impl Store {\n    fn get(&self) {}\n}\n\nstruct Store {\n    size: u8,\n}\n",
            ["get", "size"],
        ),
        ("a.go", "package a\n\nfunc (s *Store) Get() {}\n\ntype Store struct{ size int }\n", ["Get", "size"]),
        ("a.py", "class Store:\n    size = 1\n\n    def get(self): pass\n", ["size", "get"]),
    ],
)
def test_members_stand_inside_their_type_in_an_outline(
    ask: Ask, repo: Repo, path: str, source: str, inside: list[str]
) -> None:
    repo.put(path, source)
    [store] = ask("get_file_outline", path=path)["symbols"]
    assert (store["name"], [child["name"] for child in store["children"]]) == ("Store", inside)
    [top] = ask("get_file_outline", path=path, depth="top")["symbols"]
    assert (top["name"], top["children"]) == ("Store", [])


def test_the_outline_of_a_folder_names_files_in_it(ask: Ask, repo: Repo) -> None:
    repo.put("lib/deep/z.py", "def z(): pass\n")
    repo.put("lib/a.py", "def a(): pass\n")
    repo.put("libs.py", "def s(): pass\n")
    with pytest.raises(CueError) as caught:
        ask("get_file_outline", path="lib/")
    assert caught.value.data["nearest"] == ["lib/a.py", "lib/deep/z.py"]
    assert "a folder of 2 code files" in str(caught.value.hint)
