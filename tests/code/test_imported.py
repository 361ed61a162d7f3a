"""Asked about at its import, a name that is no symbol of the project is a variable of its file."""

from __future__ import annotations

import pytest
from tests.code.conftest import Ask, Repo

from cuedeck.model.errors import CueError

LOADING = """\
const fs = require("fs")
const parts = require("./parts")

function read() {
  fs.read(parts.name)
  return this.fs
}
function other(fs) { return fs }
"""


def lines(found: dict[str, list[dict[str, int]]]) -> list[int]:
    return [each["line_start"] for each in found["references"]]


def test_variables_that_hold_what_is_loaded_are_used_in_their_file(ask: Ask, repo: Repo) -> None:
    repo.put("parts.js", "exports.name = 1\n")
    repo.put("main.js", LOADING)
    repo.put("second.js", LOADING)
    found = ask("find_references", symbol_name="fs", path="main.js", line=1)
    assert (found["symbol"]["qualified_name"], found["symbol"]["kind"]) == ("main::fs", "variable")
    assert found["symbol"]["signature"] == 'const fs = require("fs")'
    assert {each["path"] for each in found["references"]} == {"main.js"}
    assert lines(found) == [5]
    assert lines(ask("find_references", symbol_name="parts", path="main.js", line=2)) == [5]


def test_what_such_a_variable_holds_of_the_project_is_a_candidate(ask: Ask, repo: Repo) -> None:
    repo.put("crate.js", "module.exports = class Crate {}\n")
    repo.put(
        "one.js",
        "const Crate = require('./crate')\nconst {\n  lift,\n} = require('./lifts')\nnew Crate(lift())\n",
    )
    repo.put("lifts.js", "exports.lift = function lift() {}\n")
    repo.put("two.js", "const Crate = require('./crate')\nnew Crate()\n")
    found = ask("find_references", symbol_name="Crate", path="one.js", line=1)
    assert [(each["path"], each["line_start"]) for each in found["references"]] == [("one.js", 5)]
    assert [each["path"] for each in found["candidates"]] == ["crate.js"]
    assert lines(ask("find_references", symbol_name="lift", path="one.js", line=3)) == [5]
    everywhere = ask("find_references", symbol_name="Crate", path="crate.js")
    assert {each["path"] for each in everywhere["references"]} == {"one.js", "two.js"}
    used = ask("find_references", symbol_name="Crate", path="one.js", line=5)
    assert used["symbol"]["path"] == "crate.js"


def test_an_import_declares_nothing_new(ask: Ask, repo: Repo) -> None:
    repo.put("crate.js", "export class Crate {}\n")
    repo.put("one.js", "const before = 1\nimport { Crate } from './crate'\nnew Crate()\n")
    assert ask("find_references", symbol_name="Crate", path="one.js", line=2)["symbol"]["path"] == "crate.js"


def test_a_foreign_module_under_another_name(ask: Ask, repo: Repo) -> None:
    repo.put("sums.py", "import numpy as np\n\ndef total(rows):\n    return np.sum(rows)\n")
    assert lines(ask("find_references", symbol_name="np", path="sums.py", line=1)) == [4]
    used = ask("find_references", symbol_name="np", path="sums.py", line=4)
    assert (used["symbol"]["line_start"], lines(used)) == (1, [4])
    with pytest.raises(CueError):
        ask("find_references", symbol_name="np", path="sums.py", line=3)


def test_what_the_project_defines_is_still_meant_where_it_is_imported(ask: Ask, repo: Repo) -> None:
    repo.put("parts.py", "def lift(): ...\n")
    repo.put("uses.py", "from parts import lift\nlift()\n")
    found = ask("find_references", symbol_name="lift", path="uses.py", line=1)
    assert found["symbol"]["path"] == "parts.py"
