from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from cuedeck.config import load_config
from cuedeck.model.errors import CueError, ErrorCode


def write(root: Path, text: str) -> Path:
    (root / ".cuedeck").mkdir(exist_ok=True)
    (root / ".cuedeck" / "config.toml").write_text(text)
    return root


def env(tmp_path: Path, **names: str) -> dict[str, str]:
    return {"XDG_CONFIG_HOME": str(tmp_path / "xdg"), **names}


def refused(root: Path, environ: dict[str, str]) -> CueError:
    with pytest.raises(CueError) as caught:
        load_config(root, environ=environ)
    assert caught.value.code is ErrorCode.CONFIGURATION
    return caught.value


def test_defaults_without_any_file(tmp_path: Path) -> None:
    config = load_config(tmp_path, environ=env(tmp_path))
    assert config.core.token_limit == 32000
    assert config.store.url is None
    assert config.limits.tools == {}


def test_a_home_that_is_no_folder_has_no_settings(tmp_path: Path) -> None:
    assert load_config(tmp_path, environ={"HOME": "/dev/null"}).core.token_limit == 32000


@pytest.mark.parametrize("environ", [{"XDG_CONFIG_HOME": "."}, {"XDG_CONFIG_HOME": "", "HOME": "."}])
def test_the_users_file_is_never_one_of_the_current_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, environ: dict[str, str]
) -> None:
    for base in (tmp_path, tmp_path / ".config"):
        (base / "cuedeck").mkdir(parents=True)
        (base / "cuedeck" / "config.toml").write_text("[core]\ntoken_limit = 1000\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert load_config(tmp_path, environ=environ).core.token_limit == 32000


def test_each_layer_wins_over_the_one_below(tmp_path: Path) -> None:
    user = tmp_path / "xdg" / "cuedeck"
    user.mkdir(parents=True)
    (user / "config.toml").write_text("[core]\ntoken_limit = 1000\n[daemon]\nidle_seconds = 7\n")
    write(tmp_path, "[core]\ntoken_limit = 2000\nlock_timeout = 2\n[memory]\nsecrets = 'allow'\n")
    environ = env(tmp_path, CUEDECK_CORE__TOKEN_LIMIT="3000")
    assert load_config(None, environ=env(tmp_path)).core.token_limit == 1000
    assert load_config(tmp_path, environ=env(tmp_path)).core.token_limit == 2000
    config = load_config(tmp_path, environ=environ)
    assert (config.core.token_limit, config.core.lock_timeout) == (3000, 2.0)
    assert (config.daemon.idle_seconds, config.memory.secrets) == (7, "allow")
    flags = {"core": {"token_limit": 4000}}
    assert load_config(tmp_path, environ=environ, flags=flags).core.token_limit == 4000


def test_named_tables_for_tools_and_workflows(tmp_path: Path) -> None:
    text = '[limits.read_context]\nrate = 5\nburst = 9\n[workflows."proof-daily-digest"]\nenabled = false\n'
    config = load_config(write(tmp_path, text), environ=env(tmp_path, CUEDECK_LIMITS__READ_DOC__RATE="3"))
    assert config.limits.tools["read_context"].burst == 9
    assert config.limits.tools["read_doc"].rate == 3
    assert config.workflows.by_id["proof-daily-digest"].enabled is False


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        ("[core]\n# why\ntoken_limt = 5\n", 3, "core.token_limit"),
        ("[core]\ntoken_limit = 'many'\n", 2, "whole number"),
        ("[core]\ntoken_limit = true\n", 2, "whole number"),
        ("[core]\ntoken_limit = 5\n", 2, "at least 100"),
        ("\n[cor]\nx = 1\n", 2, "core"),
        ("core = 3\n", 1, "a table"),
        ("[memory]\nsecrets = 'shout'\n", 2, '"refuse"'),
        ("[documents]\nignore = [1]\n", 2, "list of strings"),
        ("[limits]\nenabled = true\n[limits.read_doc]\nrat = 5\n", 4, "rate"),
    ],
)
def test_a_wrong_key_or_value_is_named_with_its_line(
    tmp_path: Path, text: str, line: int, words: str
) -> None:
    error = refused(write(tmp_path, text), env(tmp_path))
    assert error.data["line"] == line
    assert error.data["file"] == ".cuedeck/config.toml"
    assert words in f"{error.message} {error.hint}"


def test_broken_toml_is_named_with_its_line(tmp_path: Path) -> None:
    assert refused(write(tmp_path, "[core]\ntoken_limit = = 3\n"), env(tmp_path)).data["line"] == 2


@pytest.mark.parametrize("value", ["9" * 5000, "[" * 50_000], ids=["digits", "nesting"])
def test_a_value_beyond_the_parser_is_a_mistake_in_the_file(tmp_path: Path, value: str) -> None:
    error = refused(write(tmp_path, f"[core]\ntoken_limit = {value}\n"), env(tmp_path))
    assert error.data["file"] == ".cuedeck/config.toml"


@pytest.mark.parametrize("key", ["a" + ".a" * 20_000, '"a b"' + " . 'a'" * 20_000])
def test_a_key_of_thousands_of_parts_is_a_mistake_in_the_file(tmp_path: Path, key: str) -> None:
    error = refused(write(tmp_path, f"[core]\n{key} = 1\n"), env(tmp_path))
    assert (error.data["line"], "too many parts" in error.message) == (2, True)


def test_a_wrong_variable_is_named(tmp_path: Path) -> None:
    assert (
        refused(tmp_path, env(tmp_path, CUEDECK_CORE__TOKENLIMIT="5")).data["source"]
        == "CUEDECK_CORE__TOKENLIMIT"
    )
    assert "whole number" in refused(tmp_path, env(tmp_path, CUEDECK_CORE__TOKEN_LIMIT="x")).message


def test_the_user_variable_sets_the_local_user(tmp_path: Path) -> None:
    user = "123e4567-e89b-12d3-a456-426614174000"
    assert load_config(tmp_path, environ=env(tmp_path, CUEDECK_USER=user)).user.id == user


def test_a_file_that_is_not_text_is_refused(tmp_path: Path) -> None:
    root = write(tmp_path, "")
    (root / ".cuedeck" / "config.toml").write_bytes(b"\xff\xfe\x00bad")
    assert "Cannot read" in refused(root, env(tmp_path)).message


def test_a_clone_cannot_decide_where_state_goes_or_who_may_call(tmp_path: Path) -> None:
    write(tmp_path, "[core]\ntoken_limit = 500\n[store]\nurl = 'postgresql://elsewhere.example/x'\n")
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    assert load_config(tmp_path, environ=env(tmp_path)).store.url is not None
    subprocess.run(["git", "add", "-f", ".cuedeck/config.toml"], cwd=tmp_path, check=True)
    error = refused(tmp_path, env(tmp_path))
    assert (error.data["key"], error.data["line"]) == ("store.url", 4)
    assert "CUEDECK_STORE__URL" in (error.hint or "")
    write(tmp_path, "[store]\nworkspace = 'of-another-team'\n")
    assert refused(tmp_path, env(tmp_path)).data["key"] == "store.workspace"
    write(tmp_path, "[user]\nid = '123e4567-e89b-12d3-a456-426614174000'\n")
    assert refused(tmp_path, env(tmp_path)).data["key"] == "user.id"
    write(tmp_path, "[memory]\nsecrets = 'allow'\n")
    assert refused(tmp_path, env(tmp_path)).data["key"] == "memory.secrets"
    write(tmp_path, "[memory]\nsecrets = 'refuse'\n")
    assert load_config(tmp_path, environ=env(tmp_path)).memory.secrets == "refuse"
    write(tmp_path, "[core]\ntoken_limit = 500\n")
    environ = env(tmp_path, CUEDECK_STORE__URL="postgresql://mine.example/x")
    assert load_config(tmp_path, environ=environ).core.token_limit == 500


def test_a_hostile_line_costs_its_length_only(tmp_path: Path) -> None:
    spaces = " " * 100_000
    write(tmp_path, f'[core]\nnote = """\n[{spaces}\n"""\n')
    assert refused(tmp_path, env(tmp_path)).data["line"] == 2


@pytest.mark.parametrize(
    ("content", "reason"), [(None, "Is a directory"), (b"a = '\xff'", "not UTF-8 at byte 5")]
)
def test_a_file_that_cannot_be_read_is_named_by_its_place_in_the_workspace(
    tmp_path: Path, content: bytes | None, reason: str
) -> None:
    file = write(tmp_path, "") / ".cuedeck" / "config.toml"
    file.unlink()
    file.mkdir() if content is None else file.write_bytes(content)
    assert refused(tmp_path, env(tmp_path)).message == f"Cannot read .cuedeck/config.toml: {reason}"
