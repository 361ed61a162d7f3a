"""What configurations of TypeScript say about the names of modules."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.code.conftest import Ask, Repo
from tests.code.test_tiers import places

from cuedeck.code.languages.ecmascript_configurations import Configurations

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821
_KIT = '"paths": { "@kit/*": ["./kit/*"] }'
_OTHER = '"paths": { "@kit/*": ["./other/*"] }'


@pytest.mark.parametrize(
    "files",
    [
        pytest.param(
            {
                "tsconfig.json": '{ "files": [], "references": [{ "path": "./tsconfig.app.json" }] }',
                "tsconfig.app.json": f'{{ "compilerOptions": {{ {_KIT} }} }}',
            },
            id="one that only lists another beside it",
        ),
        pytest.param(
            {
                "tsconfig.json": '{ "extends": ["./one", "./two.json"] }',
                "one.json": f'{{ "compilerOptions": {{ {_OTHER} }} }}',
                "two.json": f'{{ "compilerOptions": {{ {_KIT} }} }}',
            },
            id="the last of those that are extended",
        ),
        pytest.param(
            {
                "tsconfig.json": '{ "extends": "@scope/settings/base" }',
                "settings/package.json": '{ "name": "@scope/settings" }',
                "settings/base.json": '{ "compilerOptions": { "paths": { "@kit/*": ["../kit/*"] } } }',
            },
            id="of a package of the project",
        ),
        pytest.param(
            {
                "tsconfig.json": '{ "extends": "./tools/base.json" }',
                "tools/base.json": '{ "compilerOptions": { "paths": { "@kit/*": ["${configDir}/kit/*"] } } }',
            },
            id="from the folder that extends",
        ),
        pytest.param(
            {
                "tsconfig.json": '{ "extends": "./tools/base.json", "compilerOptions": { "baseUrl": "." } }',
                "tools/base.json": f'{{ "compilerOptions": {{ {_KIT} }} }}',
            },
            id="under the base of the one that extends",
        ),
        pytest.param(
            {
                "tsconfig.json": '{ "extends": "./again" }',
                "again.json": f'{{ "extends": "./tsconfig", "compilerOptions": {{ {_KIT} }} }}',
            },
            id="in a circle",
        ),
    ],
)
def test_names_are_mapped_by_all_that_a_configuration_extends(
    project: Project, files: dict[str, str]
) -> None:
    configured = "\n".join(f"=== {path}\n{text}" for path, text in files.items())
    sources = """
=== other/files.ts
export function read() {}
=== kit/files.ts
export function read() {} // <def read>
=== src/app.ts
import { read } from '@kit/files' // <read>
read() // <read>
"""
    project(f"{configured}{sources}").check("read")


def test_what_a_listed_project_in_another_folder_maps_is_for_its_own_files(project: Project) -> None:
    written = project(
        """
        === tsconfig.json
        { "files": [], "references": [{ "path": "./one" }] }
        === one/tsconfig.json
        { "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }
        === one/src/files.ts
        export function read() {} // <def read>
        === one/src/app.ts
        import { read } from '@/files' // <read>
        === two/src/app.ts
        import { read } from '@/files'
        """
    )
    written.check("read")


@pytest.mark.parametrize(
    ("made", "file", "name"),
    [
        (".svelte-kit/tsconfig.json", "src/lib/files.ts", "$lib/files"),
        (".nuxt/tsconfig.json", "app/files.ts", "~/files"),
        (".nuxt/tsconfig.json", "files.ts", "@/files"),
        (".nuxt/tsconfig.json", "shared/files.ts", "~~/shared/files"),
    ],
)
def test_names_that_a_framework_writes_into_a_configuration_nobody_commits(
    project: Project, made: str, file: str, name: str
) -> None:
    written = project(
        f"""
        === web/tsconfig.json
        {{ "extends": "./{made}" }}
        === web/{file}
        export function read() {{}} // <def read>
        === web/src/app.ts
        import {{ read }} from '{name}' // <read>
        read() // <read>
        """
    )
    written.check("read")


def test_configurations_that_extend_each_other_many_times_end() -> None:
    names = [f"./c{number}.json" for number in range(200)]
    text = f'{{"extends": {names}, "compilerOptions": {{"strict": true}}}}'.replace("'", '"')
    reads = []

    def read(path: str) -> str | None:
        reads.append(path)
        return text if path == "tsconfig.json" or f"./{path}" in names else None

    assert Configurations(read, {}.get).counts_nothing("src") == (True, True)
    assert len(reads) < 10_000


def test_a_folder_that_is_named_where_a_file_is_expected(ask: Ask, repo: Repo) -> None:
    repo.put("tsconfig.json", '{ "extends": "./base", "files": [], "references": [{ "path": "./one" }] }')
    repo.put("base/other.txt", "")
    repo.put("one/tsconfig.json", '{ "compilerOptions": { "paths": { "@/*": ["./src/*"] } } }')
    repo.put("one/package.json/inside.txt", "")
    repo.put("one/src/files.ts", "export function read() {}\n")
    repo.put("one/src/app.ts", "import { read } from '@/files'\nread()\n")
    expected = [("one/src/app.ts", 1), ("one/src/app.ts", 2)]
    assert places(ask("find_references", symbol_name="read")) == expected
    repo.commit()
    repo.git("checkout", "-q", "-b", "other")
    assert places(ask("find_references", symbol_name="read", ref="main")) == expected
