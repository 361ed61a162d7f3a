"""What is released: versions agree, wheels are whole, licences allow it, no network is needed."""

from __future__ import annotations

import importlib
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

import cuedeck
from cuedeck.config.sections import Config

ROOT = Path(__file__).parents[1]
sys.path.append(str(ROOT / "scripts"))


def script(name: str) -> Any:
    return importlib.import_module(name)


def project(folder: str = ".") -> dict[str, Any]:
    return tomllib.loads((ROOT / folder / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def server() -> dict[str, Any]:
    return json.loads((ROOT / "server.json").read_text(encoding="utf-8"))


def test_every_version_is_the_same() -> None:
    (package,) = server()["packages"]
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    said = {
        "pyproject.toml": project()["version"],
        "cuedeck.__version__": cuedeck.__version__,
        "server.json": server()["version"],
        "server.json package": package["version"],
        "CHANGELOG.md": re.findall(r"^## (\S+)", changelog, re.MULTILINE)[0],
    }
    assert set(said.values()) == {cuedeck.__version__}, said


# The fields of the registry's schema of 2025-12-11 that a local package can use.
INPUT = {"description", "isRequired", "format", "value", "isSecret", "default", "placeholder", "choices"}
ARGUMENT = {*INPUT, "type", "name", "valueHint", "isRepeated", "variables"}
SERVER = {"$schema", "name", "title", "description", "version", "repository", "websiteUrl", "packages"}
PACKAGE = {"registryType", "registryBaseUrl", "identifier", "version", "runtimeHint", "transport"}
LISTS = {"packageArguments", "runtimeArguments", "environmentVariables"}


def test_the_registry_would_take_server_json() -> None:
    said = server()
    (package,) = said["packages"]
    assert said["$schema"].endswith("/schemas/2025-12-11/server.schema.json")
    assert said.keys() <= SERVER
    assert package.keys() <= PACKAGE | LISTS
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", said["name"])
    assert 3 <= len(said["name"]) <= 200
    assert 1 <= len(said["title"]) <= 100
    assert 1 <= len(said["description"]) <= 100
    assert re.fullmatch(r"\d+\.\d+\.\d+", said["version"]), "a range or `latest` is refused"
    assert package["registryType"] == "pypi"
    assert package["identifier"] == project()["name"]
    assert package["transport"] == {"type": "stdio"}
    # Its proof of ownership: the name in the README, which the package index shows.
    assert f"mcp-name: {said['name']}" in (ROOT / "README.md").read_text(encoding="utf-8")


def test_the_inputs_of_server_json_are_of_the_schema_and_ours() -> None:
    (package,) = server()["packages"]
    for argument in package["packageArguments"]:
        assert argument.keys() <= ARGUMENT
        named = argument["type"] == "named"
        assert argument["name"].startswith("--") if named else {"value", "valueHint"} & argument.keys()
    for variable in package["environmentVariables"]:
        assert variable.keys() <= {*INPUT, "name", "variables"}
        section, _, setting = variable["name"].removeprefix("CUEDECK_").lower().partition("__")
        assert hasattr(getattr(Config(), section), setting)
    for given in (*package["packageArguments"], *package["environmentVariables"]):
        assert all(isinstance(given.get(flag, False), bool) for flag in ("isRequired", "isSecret"))


def test_server_json_and_the_example_start_a_command_that_exists() -> None:
    (package,) = server()["packages"]
    assert package["packageArguments"][0]["value"] == "mcp"
    assert package["identifier"] in project()["scripts"]
    entry = json.loads((ROOT / "examples" / ".mcp.json").read_text())["mcpServers"]["cuedeck"]
    assert entry["command"] in project()["scripts"]
    command = [str(Path(sys.executable).with_name(entry["command"])), *entry["args"], "--help"]
    shown = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert shown.returncode == 0
    named = [argument["name"] for argument in package["packageArguments"] if argument["type"] == "named"]
    assert [name for name in named if name not in shown.stdout] == []


def test_nothing_forbidden_is_installed_with_us() -> None:
    assert script("licences").forbidden(script("components").runtime()) == []


@pytest.mark.parametrize("licence", ["GPL-3.0-only", "AGPL-3.0-or-later", "unknown", "SSPL-1.0", "GPLv3"])
def test_a_forbidden_licence_is_noticed(licence: str) -> None:
    one = script("components").Component("new-thing", "1", licence, "", ())
    assert script("licences").forbidden([one]) == [one]


@pytest.mark.parametrize("licence", ["LGPL-3.0-only", "MPL-2.0", "MIT", "Apache-2.0 OR BSD-3-Clause"])
def test_an_allowed_licence_is_not(licence: str) -> None:
    one = script("components").Component("new-thing", "1", licence, "", ())
    assert script("licences").forbidden([one]) == []


def test_every_declared_dependency_is_in_the_licence_report() -> None:
    page = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
    ours = next(one for one in script("components").runtime() if one.name == "cuedeck")
    assert [name for name in ours.requires if f"| {name} |" not in page] == []


def test_the_bill_of_materials_is_closed() -> None:
    bill = script("sbom").bill(script("components").runtime())
    assert bill["metadata"]["component"]["version"] == cuedeck.__version__
    known = {one["bom-ref"] for one in bill["components"]} | {bill["metadata"]["component"]["bom-ref"]}
    named = {ref for entry in bill["dependencies"] for ref in (entry["ref"], *entry["dependsOn"])}
    assert named == known
    assert len(bill["components"]) > len(project()["dependencies"])
    assert all(one["licenses"][0]["license"]["name"] for one in bill["components"])


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("hatchling", reason="building without a network needs hatchling installed")
    made: Path = script("release").build(ROOT, tmp_path_factory.mktemp("dist"), isolated=False)
    return made


def test_the_wheel_is_whole(wheel: Path) -> None:
    assert script("release").check_package(wheel) == []


@pytest.mark.timeout(300)
def test_it_installs_as_a_tool_from_a_folder_of_wheels(wheel: Path, tmp_path: Path) -> None:
    assert cuedeck.__version__ in script("release").prove_install([wheel], tmp_path)
    workspace = tmp_path / "project"
    (workspace / ".git").mkdir(parents=True)
    hello = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-11-25",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    answered = subprocess.run(
        [str(tmp_path / "bin" / "cue"), "mcp", "--no-daemon"],
        cwd=workspace,
        input=json.dumps(hello) + "\n",
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert (
        json.loads(answered.stdout.splitlines()[0])["result"]["serverInfo"]["version"] == cuedeck.__version__
    )
