"""A name means all that is part of a symbol; the place of a definition means what is declared there."""

from __future__ import annotations

import shutil
from typing import Any

import pytest
from tests.code.conftest import Ask, Repo

from cuedeck.code.resolution import uses


def places(found: dict[str, Any], under: str = "references") -> list[tuple[str, int]]:
    return [(each["path"], each["line_start"]) for each in found[under]]


def reasons(found: dict[str, Any], under: str = "references") -> dict[int, str]:
    return {each["line_start"]: each["why"] for each in found[under] if "why" in each}


CRATES = """export class Crate<T> {
  constructor(readonly size: number) {}
}
export class Lid {}
export const one = new Crate<string>(1)
export const two: Crate<string> = make()
new Lid()
"""
VIEWS = """import * as store from "./crates"
import { Crate } from "./crates"
const three = new store.Crate(wrap(new Crate(2)))
class Panel extends Component { constructor() { super() } }
const shown = <Panel />
"""


def test_making_an_instance_refers_to_the_constructor_that_a_class_declares(ask: Ask, repo: Repo) -> None:
    repo.put("crates.ts", CRATES)
    repo.put("views.tsx", VIEWS)
    named = ask("find_references", symbol_name="Crate")
    assert places(named) == [
        ("crates.ts", 5),
        ("crates.ts", 6),
        ("views.tsx", 2),
        ("views.tsx", 3),
        ("views.tsx", 3),
    ]
    assert reasons(named) == {5: "makes", 3: "makes"}
    placed = ask("find_references", symbol_name="Crate", path="crates.ts", line=1)
    assert places(placed) == [("crates.ts", 6), ("views.tsx", 2)]
    made = [("crates.ts", 5), ("views.tsx", 3), ("views.tsx", 3)]
    assert places(placed, "possible") == made
    assert all(each["likely"] for each in placed["possible"])
    assert places(ask("find_references", symbol_name="Crate.constructor", path="crates.ts", line=2)) == made


def test_a_place_that_uses_a_class_stands_for_its_name(ask: Ask, repo: Repo) -> None:
    repo.put("crates.ts", CRATES)
    found = ask("find_references", symbol_name="Crate", path="crates.ts", line=6)
    assert ("crates.ts", 5) in places(found)


def test_without_a_constructor_of_its_own_a_class_is_what_new_refers_to(ask: Ask, repo: Repo) -> None:
    repo.put("crates.ts", CRATES)
    found = ask("find_references", symbol_name="Lid", path="crates.ts", line=4)
    assert places(found) == [("crates.ts", 7)]


def test_a_tag_refers_to_a_class_with_a_constructor(ask: Ask, repo: Repo) -> None:
    repo.put("crates.ts", CRATES)
    repo.put("views.tsx", VIEWS)
    found = ask("find_references", symbol_name="Panel", path="views.tsx", line=4)
    assert places(found) == [("views.tsx", 5)]


def test_who_makes_an_instance_calls_its_class(ask: Ask, repo: Repo) -> None:
    repo.put("crates.ts", CRATES + "export function pack() { return new Crate(3) }\n")
    callers = ask("get_call_graph", symbol_name="Crate", direction="callers")["callers"]
    assert "pack" in {call["symbol"]["name"] for call in callers}


APP = """import { Kit } from "@x/kit"
class Own extends Kit {
  own() { this.own(); this.run() }
}
new Own().own()
"""
KIT = '{ "name": "@x/kit", "main": "dist/index.js" }'


def kit_in(repo: Repo, manifest: str, root: str = "{}") -> None:
    repo.put("package.json", root)
    repo.put("packages/kit/package.json", manifest)
    repo.put("packages/kit/src/index.ts", "export class Kit { run() {} }\nnew Kit().run()\n")
    repo.put("packages/app/package.json", '{ "name": "@x/app", "dependencies": { "@x/kit": "^1.0.0" } }')
    repo.put("packages/app/use.ts", APP)


USES = [("packages/app/use.ts", 1), ("packages/app/use.ts", 2)]
OWN = [("packages/kit/src/index.ts", 2)]


def test_what_leads_through_a_package_that_is_not_built_is_assumed(ask: Ask, repo: Repo) -> None:
    kit_in(repo, KIT, '{ "workspaces": ["packages/*"] }')
    named = ask("find_references", symbol_name="Kit")
    assert places(named) == [*USES, *OWN]
    assert reasons(named) == {1: "package", 2: "package"} | reasons(named)
    placed = ask("find_references", symbol_name="Kit", path="packages/kit/src/index.ts", line=1)
    assert places(placed) == OWN
    assert places(placed, "possible") == USES
    callers = ask("get_call_graph", symbol_name="Kit.run", direction="callers")["callers"]
    assert {call["symbol"]["name"] for call in callers} == {"own", "index"}
    run = ask("find_references", symbol_name="run", path="packages/kit/src/index.ts", line=1)
    assert (places(run), places(run, "possible")) == (OWN, [("packages/app/use.ts", 3)])


def test_what_a_class_has_itself_needs_no_package_of_its_parent(ask: Ask, repo: Repo) -> None:
    kit_in(repo, KIT)
    own = ask("find_references", symbol_name="own", path="packages/app/use.ts", line=3)
    assert places(own) == [("packages/app/use.ts", 3), ("packages/app/use.ts", 5)]
    assert own["possible"] == []


def test_a_link_among_what_is_installed_proves_a_package_whose_entry_is_a_source(
    ask: Ask, repo: Repo
) -> None:
    manifest = '{ "name": "@x/kit", "exports": { ".": "./src/index.ts" } }'
    at = {"path": "packages/kit/src/index.ts", "line": 1}
    repo.put(".gitignore", "node_modules\n")
    kit_in(repo, manifest, '{ "workspaces": ["packages/*"] }')
    installed = repo.root / "node_modules" / "@x"
    installed.mkdir(parents=True)
    (installed / "kit").symlink_to("../../packages/kit")
    assert places(ask("find_references", symbol_name="Kit", **at)) == [*USES, *OWN]


def test_another_package_of_the_name_that_is_installed_is_none_of_the_repository(
    ask: Ask, repo: Repo
) -> None:
    manifest = '{ "name": "@x/kit", "exports": { ".": "./src/index.ts" } }'
    repo.put(".gitignore", "node_modules\n")
    kit_in(repo, manifest)
    repo.put("node_modules/@x/kit/package.json", '{ "name": "@x/kit", "version": "1.0.0" }')
    found = ask("find_references", symbol_name="Kit", path="packages/kit/src/index.ts", line=1)
    assert (places(found), places(found, "possible")) == (OWN, USES)


def test_a_path_mapping_proves_a_package(ask: Ask, repo: Repo) -> None:
    kit_in(repo, KIT)
    repo.put(
        "tsconfig.json", '{ "compilerOptions": { "paths": { "@x/kit": ["./packages/kit/src/index.ts"] } } }'
    )
    found = ask("find_references", symbol_name="Kit", path="packages/kit/src/index.ts", line=1)
    assert places(found) == [*USES, *OWN]


def test_what_a_package_only_passes_on_is_proven_where_both_are_mapped(ask: Ask, repo: Repo) -> None:
    kit_in(repo, KIT)
    repo.put("packages/all/package.json", '{ "name": "all" }')
    repo.put("packages/all/src/index.ts", "// What users import.\nexport * from '@x/kit'\n")
    repo.put("packages/all/src/more.ts", "import { Kit } from '@x/kit'\nexport const more = new Kit()\n")
    repo.put("examples/package.json", '{ "name": "examples" }')
    repo.put("examples/use.ts", "import { Kit } from 'all'\n")
    both = '"all": ["../packages/all/src/index.ts"], "@x/kit": ["../packages/kit/src/index.ts"]'
    repo.put("examples/tsconfig.json", f'{{ "compilerOptions": {{ "paths": {{ {both} }} }} }}')
    found = ask("find_references", symbol_name="Kit", path="packages/kit/src/index.ts", line=1)
    assert ("examples/use.ts", 1) in places(found)
    assert ("packages/all/src/more.ts", 1) in places(found, "possible")


def test_a_package_of_another_distribution_is_assumed(ask: Ask, repo: Repo) -> None:
    repo.put("packages/kit/pyproject.toml", '[project]\nname = "kit"\n')
    repo.put("packages/kit/src/kit/__init__.py", "class Kit:\n    def run(self): ...\n")
    repo.put("packages/kit/src/kit/own.py", "from kit import Kit\nKit().run()\n")
    repo.put("packages/app/pyproject.toml", '[project]\nname = "app"\n')
    repo.put("packages/app/app.py", "from kit import Kit\nKit().run()\n")
    repo.put("packages/app/near.py", "from app import Kit\n")
    own, other = ("packages/kit/src/kit/own.py", 2), ("packages/app/app.py", 2)
    placed = ask("find_references", symbol_name="run", path="packages/kit/src/kit/__init__.py", line=2)
    assert (places(placed), places(placed, "possible")) == ([own], [other])
    assert reasons(placed, "possible") == {2: "package"}
    assert places(ask("find_references", symbol_name="Kit.run")) == [other, own]


def test_imports_begin_at_the_root_and_in_src(ask: Ask, repo: Repo) -> None:
    repo.put("src/kit.py", "def run(): ...\n")
    repo.put("tools/__init__.py", "def lift(): ...\n")
    repo.put("tests/test_kit.py", "from kit import run\nfrom tools import lift\nrun()\nlift()\n")
    assert places(ask("find_references", symbol_name="run", path="src/kit.py", line=1)) == [
        ("tests/test_kit.py", 1),
        ("tests/test_kit.py", 3),
    ]
    found = ask("find_references", symbol_name="lift", path="tools/__init__.py", line=1)
    assert places(found) == [("tests/test_kit.py", 2), ("tests/test_kit.py", 4)]


def test_modules_of_javascript_name_files_whole_where_node_finds_them(ask: Ask, repo: Repo) -> None:
    kit_in(repo, '{ "name": "@x/kit", "type": "module" }')
    repo.put("packages/app/package.json", '{ "name": "@x/app", "type": "module" }')
    at = {"path": "packages/kit/src/index.ts", "line": 1}
    options = '"paths": { "@x/kit": ["./packages/kit/src"] }'
    repo.put("tsconfig.json", f'{{ "compilerOptions": {{ "module": "Node16", {options} }} }}')
    assert places(ask("find_references", symbol_name="Kit", **at)) == OWN
    repo.put("tsconfig.json", f'{{ "compilerOptions": {{ "module": "ESNext", {options} }} }}')
    assert places(ask("find_references", symbol_name="Kit", **at)) == [*USES, *OWN]


STATE = """import { useState } from "react"
import * as React from "react"
import type { Except } from "type-fest"
interface Crate { size: number }
const [one] = useState<Crate>(null!)
one.size
const [two] = React.useState<Crate>(null!)
two.size
const three: Except<Crate, "x"> = null!
three.size
const four: Readonly<Crate> = null!
four.size
"""


def test_what_is_known_of_a_package_is_assumed_until_it_is_installed(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "node_modules\n")
    repo.put("state.ts", STATE)
    uses = [("state.ts", line) for line in (6, 8, 10)]
    plain = ("state.ts", 12)
    placed = ask("find_references", symbol_name="size", path="state.ts", line=4)
    assert (places(placed), places(placed, "possible")) == ([plain], uses)
    assert places(ask("find_references", symbol_name="Crate.size")) == [*uses, plain]


def test_what_is_known_of_a_package_is_proven_on_every_ref_once_it_is_installed(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "node_modules\n")
    repo.put("state.ts", STATE)
    repo.commit()
    repo.git("branch", "other")

    def proven(ref: str) -> list[int]:
        found = ask("find_references", symbol_name="size", path="state.ts", line=4, ref=ref)
        return [line for _, line in places(found)]

    assert [proven("main"), proven("other")] == [[12], [12]]
    repo.put("node_modules/@types/react/package.json", '{ "name": "@types/react" }')
    assert [proven("main"), proven("other")] == [[6, 8, 12], [6, 8, 12]]
    repo.put("node_modules/type-fest/package.json", '{ "name": "type-fest" }')
    assert [proven("main"), proven("other")] == [[6, 8, 10, 12], [6, 8, 10, 12]]
    shutil.rmtree(repo.root / "node_modules")
    assert [proven("main"), proven("other")] == [[12], [12]]


def test_what_the_project_adds_to_a_module_is_assumed_until_that_is_installed(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "node_modules\n")
    repo.put(
        "server.ts",
        'import http from "node:http"\ndeclare module "http" {\n  interface Call { at: number }\n}\n'
        "const call: http.Call = null!\ncall.at\n",
    )
    placed = ask("find_references", symbol_name="at", path="server.ts", line=3)
    assert (places(placed), reasons(placed, "possible")) == ([], {6: "package"})
    assert places(ask("find_references", symbol_name="Call.at")) == [("server.ts", 6)]
    repo.put("node_modules/@types/node/package.json", '{ "name": "@types/node" }')
    assert places(ask("find_references", symbol_name="at", path="server.ts", line=3)) == [("server.ts", 6)]


PARTS = """export function turn() {}
export interface Wheel {}
function stop() {}
class Door {}
export { stop, Door as Gate }
"""
LISTS = """import { turn } from "./parts"
export { turn }
export type { Wheel } from "./parts"
export * from "./parts"
"""
TAKEN = """import * as kit from "./kit"
import * as parts from "./parts"
import { turn } from "./kit"
kit.turn()
parts.turn()
turn()
const wheel: kit.Wheel = {}
kit.stop()
parts.Gate
"""


def test_what_is_taken_from_a_list_of_exports_is_told_apart(ask: Ask, repo: Repo) -> None:
    repo.put("parts.ts", PARTS)
    repo.put("kit.ts", LISTS)
    repo.put("uses.ts", TAKEN)
    placed = ask("find_references", symbol_name="turn", path="parts.ts", line=1)
    assert places(placed) == [("kit.ts", 1), ("kit.ts", 2), ("uses.ts", 3), ("uses.ts", 5), ("uses.ts", 6)]
    assert places(placed, "possible") == [("uses.ts", 4)]
    assert reasons(placed, "possible") == {4: "exports"}
    assert placed["possible"][0]["likely"]
    assert placed["possible"][0]["edge_type"] == "calls"
    assert ("uses.ts", 4) in places(ask("find_references", symbol_name="turn"))
    for name, line, at in (("Wheel", 2, 7), ("stop", 3, 8), ("Door", 4, 9)):
        placed = ask("find_references", symbol_name=name, path="parts.ts", line=line)
        assert reasons(placed, "possible") == {at: "exports"}


MADE = """import * as kit from "./kit"
import * as parts from "./parts"
import Crate from "./parts"
import { Crate as Box } from "./kit"
const own = { Crate }
new kit.Crate()
new parts.Crate()
new Crate()
new Box()
new own.Crate()
"""


def test_a_constructor_is_named_by_its_class_and_not_by_what_holds_that(ask: Ask, repo: Repo) -> None:
    repo.put("parts.ts", "export class Crate {\n  constructor() {}\n}\nexport default Crate\n")
    repo.put("kit.ts", 'export { Crate } from "./parts"\n')
    repo.put("uses.ts", MADE)
    placed = ask("find_references", symbol_name="Crate.constructor", path="parts.ts", line=2)
    assert places(placed) == [("uses.ts", 7), ("uses.ts", 8), ("uses.ts", 9)]
    assert reasons(placed, "possible") == {6: "exports", 10: "exports"}


def test_a_module_that_is_a_class_is_made_by_any_name(ask: Ask, repo: Repo) -> None:
    repo.put("crate.js", "module.exports = class Crate {\n  constructor() {}\n}\n")
    repo.put("lid.js", "class Lid {\n  constructor() {}\n}\nmodule.exports = Lid\n")
    loaded = "const Box = require('./crate')\nconst Lid = require('./lid')\n"
    repo.put("uses.js", loaded + "new Box()\nnew Lid()\n")
    for name, line in (("Crate", 3), ("Lid", 4)):
        assert places(ask("find_references", symbol_name=f"{name}.constructor")) == [("uses.js", line)]


def test_what_is_exported_where_it_is_declared_is_itself_under_that_name(ask: Ask, repo: Repo) -> None:
    exports = "export { turn as spin, turn as whirl }\nexport default turn\n"
    repo.put("parts.ts", "export const turn = 1\n" + exports)
    repo.put("uses.ts", 'import * as parts from "./parts"\nparts.turn\nparts.spin\n')
    placed = ask("find_references", symbol_name="turn", path="parts.ts", line=1)
    assert places(placed) == [("parts.ts", 2), ("parts.ts", 2), ("parts.ts", 3), ("uses.ts", 2)]
    assert reasons(placed, "possible") == {3: "exports"}


def test_an_import_that_is_exported_at_once_is_what_it_imports(ask: Ask, repo: Repo) -> None:
    repo.put(
        "parts.ts",
        "export namespace inner { export class Wheel {} }\nexport import Wheel = inner.Wheel\n",
    )
    repo.put("uses.ts", 'import * as parts from "./parts"\nlet wheel: parts.Wheel\n')
    placed = ask("find_references", symbol_name="Wheel", path="parts.ts", line=1)
    assert places(placed) == [("parts.ts", 2), ("uses.ts", 2)]


JOINED = """import { Attributes, render } from "elements"
interface Crate { size: number }
type Field<T> = { own: string } & T & Crate
type Told = Field<Attributes["input"]>
const one: Told = null!
one.size
const { size }: Attributes & Crate = null!
const { shown, ...rest } = render()
function both() { return { get(): Crate { return null! }, ...rest } }
both().get().size
const two: Field<{ plain: 1 }> = null!
two.size
const three: Crate | Attributes = null!
three.size
class Box extends Attributes { crate(): Crate { return null! } }
new Box().crate().size
type Each<T> = { [K in keyof T]: Crate } & { all: Crate }
const four: Each<Attributes> = null!
four.all.size
"""


def test_what_is_joined_with_a_type_of_a_package_that_is_not_installed_may_be_anything(
    ask: Ask, repo: Repo
) -> None:
    repo.put(".gitignore", "node_modules\n")
    repo.put("fields.ts", JOINED)
    placed = ask("find_references", symbol_name="size", path="fields.ts", line=2)
    proven, assumed = [("fields.ts", line) for line in (12, 16, 19)], [6, 7, 10, 14]
    assert (places(placed), reasons(placed, "possible")) == (proven, dict.fromkeys(assumed, "package"))
    repo.put("node_modules/elements/package.json", '{ "name": "elements" }')
    installed = ask("find_references", symbol_name="size", path="fields.ts", line=2)
    assert places(installed) == [("fields.ts", line) for line in (6, 7, 10, 12, 14, 16, 19)]


def test_a_module_that_the_project_declares_for_itself_is_proven(ask: Ask, repo: Repo) -> None:
    repo.put("legacy.d.ts", 'declare module "legacy" {\n  export interface Part { size: number }\n}\n')
    repo.put("use.ts", 'import { Part } from "legacy"\nconst part: Part = null!\npart.size\n')
    assert places(ask("find_references", symbol_name="size", path="legacy.d.ts", line=2)) == [("use.ts", 3)]


def test_a_keyword_of_cls_may_be_an_heirs(ask: Ask, repo: Repo) -> None:
    repo.put(
        "boxes.py",
        "from dataclasses import dataclass\n@dataclass\nclass Box:\n    size: int\n"
        "    @classmethod\n    def make(cls):\n        return cls(size=1)\n"
        '    @classmethod\n    def again(cls: "type[Box]"):\n        return cls(size=2)\nBox(size=3)\n',
    )
    placed = ask("find_references", symbol_name="size", path="boxes.py", line=4)
    assert places(placed) == [("boxes.py", 10), ("boxes.py", 11)]
    assert reasons(placed, "possible") == {7: "key"}
    assert places(ask("find_references", symbol_name="size")) == [("boxes.py", n) for n in (7, 10, 11)]


def test_a_module_that_others_load_is_assumed_behind_its_package(ask: Ask, repo: Repo) -> None:
    repo.put("kit/__init__.py", "from kit.nuts import M4\nfrom .bolts import M5\nfrom . import pins\n")
    for name in ("nuts", "bolts", "pins", "saws"):
        repo.put(f"kit/{name}.py", "M4 = M5 = 1\ndef turn(): ...\n")
    repo.put(
        "use.py",
        "import kit\nimport kit.saws\nkit.nuts.turn()\nkit.bolts.turn()\nkit.pins.turn()\nkit.saws.turn()\n",
    )
    repo.put("other.py", "import kit\nkit.saws.turn()\n")
    for name, line in (("bolts", 4), ("pins", 5)):
        found = ask("find_references", symbol_name="turn", path=f"kit/{name}.py", line=2)
        assert places(found) == [("use.py", line)]
    nuts = ask("find_references", symbol_name="turn", path="kit/nuts.py", line=2)
    assert (places(nuts), reasons(nuts, "possible")) == ([], {3: "package"})
    saws = ask("find_references", symbol_name="turn", path="kit/saws.py", line=2)
    assert (places(saws), places(saws, "possible")) == ([("use.py", 6)], [("other.py", 2)])
    named = ask("find_references", symbol_name="turn", path="kit/saws.py")
    assert places(named) == [("other.py", 2), ("use.py", 6)]


def test_a_module_that_a_package_gives_by_a_star_or_another_name_is_there(ask: Ask, repo: Repo) -> None:
    repo.put("kit/__init__.py", "from kit.draw import *\nfrom . import _pins as pins\n")
    repo.put("kit/_pins.py", "def turn(): ...\n")
    repo.put("kit/draw/__init__.py", "from . import graph\n")
    repo.put("kit/draw/graph.py", "def turn(): ...\n")
    repo.put("use.py", "import kit\nkit.graph.turn()\nkit.pins.turn()\nkit.draw.graph.turn()\n")
    pins = ask("find_references", symbol_name="turn", path="kit/_pins.py", line=1)
    assert places(pins) == [("use.py", 3)]
    graph = ask("find_references", symbol_name="turn", path="kit/draw/graph.py", line=1)
    assert (places(graph), reasons(graph, "possible")) == ([("use.py", 2)], {4: "package"})


GLOBAL = """declare global {
  namespace Kit { interface Options { %s: 1 } }
}
export const use = (options: Kit.Options) => options
"""


def test_a_global_declaration_of_another_package_is_of_its_own_program(ask: Ask, repo: Repo) -> None:
    repo.put(".gitignore", "node_modules\n")
    for package in ("core", "plug"):
        repo.put(f"packages/{package}/package.json", f'{{ "name": "@x/{package}" }}')
        repo.put(f"packages/{package}/tsconfig.json", "{}")
        repo.put(f"packages/{package}/index.ts", GLOBAL % package)
    core, plug = ((f"packages/{package}/index.ts", 4) for package in ("core", "plug"))
    placed = ask("find_references", symbol_name="Options", path="packages/core/index.ts", line=2)
    assert places(placed) == [core]
    assert reasons(placed, "possible") == {2: "declares", 4: "package"}
    assert places(ask("find_references", symbol_name="Kit.Options", path=core[0])) == [core, plug]
    installed = repo.root / "packages/plug/node_modules/@x"
    installed.mkdir(parents=True)
    (installed / "core").symlink_to(repo.root / "packages/core")
    placed = ask("find_references", symbol_name="Options", path="packages/core/index.ts", line=2)
    assert places(placed) == [core, plug]
    placed = ask("find_references", symbol_name="Options", path="packages/plug/index.ts", line=2)
    assert places(placed) == [plug]


def test_a_namespace_of_another_package_has_members_by_assumption(ask: Ask, repo: Repo) -> None:
    for package, name in (("core", "Options"), ("plug", "Other")):
        repo.put(f"packages/{package}/package.json", f'{{ "name": "@x/{package}" }}')
        repo.put(f"packages/{package}/tsconfig.json", "{}")
        repo.put(
            f"packages/{package}/index.ts",
            (GLOBAL % package).replace("interface Options", f"interface {name}"),
        )
    placed = ask("find_references", symbol_name="Options", path="packages/core/index.ts", line=2)
    assert places(placed) == [("packages/core/index.ts", 4)]
    assert [(each["path"], each["why"]) for each in placed["possible"]] == [
        ("packages/plug/index.ts", "package")
    ]


def test_packages_that_one_configuration_governs_are_one_program(ask: Ask, repo: Repo) -> None:
    repo.put("tsconfig.json", "{}")
    for package in ("core", "plug"):
        repo.put(f"packages/{package}/package.json", f'{{ "name": "@x/{package}" }}')
        repo.put(f"packages/{package}/index.ts", GLOBAL % package)
    placed = ask("find_references", symbol_name="Options", path="packages/core/index.ts", line=2)
    assert places(placed) == [("packages/core/index.ts", 4), ("packages/plug/index.ts", 4)]


def test_what_a_package_adds_to_another_one_is_of_its_own_program(ask: Ask, repo: Repo) -> None:
    repo.put("tsconfig.json", "{}")
    for package in ("core", "plug"):
        repo.put(f"packages/{package}/package.json", f'{{ "name": "@x/{package}", "main": "index.ts" }}')
    repo.put("packages/core/index.ts", "export class Room { size = 1 }\n")
    repo.put("packages/core/use.ts", 'import { Room } from "./index"\nexport const room: Room = null!\n')
    repo.put(
        "packages/plug/index.ts", 'declare module "@x/core" {\n  interface Room { wide: 1 }\n}\nexport {}\n'
    )
    added = ask("find_references", symbol_name="Room", path="packages/plug/index.ts", line=2)
    assert places(added) == []
    assert reasons(added, "possible") == {1: "package", 2: "package"}
    core = ask("find_references", symbol_name="Room", path="packages/core/index.ts", line=1)
    assert places(core) == [("packages/core/use.ts", 1), ("packages/core/use.ts", 2)]


def test_a_variable_may_be_asked_about_at_any_line_that_gives_it_a_value(ask: Ask, repo: Repo) -> None:
    repo.put(
        "kit.py",
        "class Kit:\n    size = None\n    def fill(self):\n        self.size = 1\n        return self.size\n"
        "try:\n    import fast\nexcept ImportError:\n    has_fast = False\nelse:\n    has_fast = True\n",
    )
    repo.put("other/use.py", "from kit import Kit\nKit().size\n")
    first = ask("find_references", symbol_name="has_fast", path="kit.py", line=9)
    second = ask("find_references", symbol_name="has_fast", path="kit.py", line=11)
    assert (places(first), places(second)) == ([("kit.py", 11)], [("kit.py", 9)])
    size = ask("find_references", symbol_name="size", path="kit.py", line=4)
    assert places(size) == [("kit.py", 2), ("kit.py", 5), ("other/use.py", 2)]


def test_what_an_interface_passes_on_is_told_apart_and_bounded(
    repo: Repo, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.put(
        "shop/store.go",
        "package shop\n\ntype Store interface{ Get(key string) int }\n\n"
        'func Use(s Store) int { return s.Get("a") }\n',
    )
    repo.put(
        "shop/memory.go",
        "package shop\n\ntype Memory struct{}\n\nfunc (Memory) Get(string) int { return 1 }\n",
    )
    monkeypatch.setattr(uses, "SECONDS", 0.0)
    answer = ask("find_references", symbol_name="Memory.Get")
    assert (answer["references"], answer["metadata"]["result_completeness"]) == ([], "partial")
    assert any("were compared in time" in warning for warning in answer["metadata"]["warnings"])
    monkeypatch.setattr(uses, "SECONDS", 60.0)
    [found] = ask("find_references", symbol_name="Memory.Get")["references"]
    assert (found["path"], found["line_start"], found["why"]) == ("shop/store.go", 5, "dispatch")
    [call] = ask("get_call_graph", symbol_name="Memory.Get", direction="callers")["callers"]
    assert (call["symbol"]["name"], call["why"]) == ("Use", "dispatch")


def test_what_a_file_declares_for_all_is_seen_where_it_is_imported_by_its_path(ask: Ask, repo: Repo) -> None:
    repo.put("core/globals.ts", "declare global { interface Stream {} }\nexport {}\n")
    for package in ("core", "more", "other"):
        repo.put(f"{package}/package.json", f'{{ "name": "{package}" }}')
        repo.put(f"{package}/tsconfig.json", "{}")
        repo.put(f"{package}/use.ts", "export const made: Stream = {}\n")
    repo.put("more/setup.ts", "import '../core/globals.js'\n")
    placed = ask("find_references", symbol_name="Stream", path="core/globals.ts", line=1)
    assert places(placed) == [("core/use.ts", 1), ("more/use.ts", 1)]
    assert places(placed, "possible") == [("other/use.ts", 1)]
    repo.put("more/setup.ts", "export {}\n")
    placed = ask("find_references", symbol_name="Stream", path="core/globals.ts", line=1)
    assert places(placed) == [("core/use.ts", 1)]
