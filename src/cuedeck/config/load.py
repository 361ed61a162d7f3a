"""Layers merged into one validated configuration: defaults, user, workspace, environment, flags."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

from cuedeck.config.sections import Config
from cuedeck.config.setting import Rule
from cuedeck.config.source import Layer, read_layer
from cuedeck.discovery import FOLDER
from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.tracking import tracked_by_git

S = TypeVar("S")
WORKSPACE_FILE = Path(FOLDER) / "config.toml"


def load_config(
    root: Path | None,
    *,
    environ: Mapping[str, str] | None = None,
    flags: Mapping[str, Mapping[str, Any]] | None = None,
) -> Config:
    """The configuration of a workspace; a wrong key or value is a CONFIGURATION error with its place."""
    environ = os.environ if environ is None else environ
    layers = [layer for layer in _layers(root, environ, flags or {}) if layer is not None]
    merged: dict[str, Any] = {}
    for layer in layers:
        _check_section(Config, layer.values, (), layer)
        _merge(merged, layer.values)
    return _build(Config, merged)


def user_config_path(environ: Mapping[str, str]) -> Path:
    """The user's own file, below every workspace's."""
    return user_folder("XDG_CONFIG_HOME", ".config", environ) / "config.toml"


def user_folder(variable: str, usual: str, environ: Mapping[str, str]) -> Path:
    """CueDeck's folder in one of the XDG folders; a relative one does not count, as that standard says."""
    base = environ.get(variable, "")
    if not os.path.isabs(base):  # noqa: PTH117
        base = os.path.join(environ.get("HOME") or os.path.expanduser("~"), usual)  # noqa: PTH111, PTH118
    # Anchored: a user without a home must not be given the files of the current folder.
    return Path("/", base, "cuedeck")


Signature = tuple[tuple[int, int, int] | None, ...]


def files_signature(root: Path, environ: Mapping[str, str]) -> Signature:
    """What tells whether a configuration file has changed, come or gone."""
    return _stamp(user_config_path(environ)), _stamp(root / WORKSPACE_FILE)


def _stamp(path: Path) -> tuple[int, int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino


def _layers(
    root: Path | None, environ: Mapping[str, str], flags: Mapping[str, Mapping[str, Any]]
) -> Iterator[Layer | None]:
    user_path = user_config_path(environ)
    yield read_layer(user_path, str(user_path))
    if root is not None:
        path = root / WORKSPACE_FILE
        yield read_layer(path, WORKSPACE_FILE.as_posix(), lambda: tracked_by_git(root, path))
    yield from _environment_layers(environ)
    yield Layer("command line", {name: dict(values) for name, values in flags.items()})


def _environment_layers(environ: Mapping[str, str]) -> Iterator[Layer]:
    if user := environ.get("CUEDECK_USER"):
        yield Layer("CUEDECK_USER", {"user": {"id": user}})
    for name in sorted(environ):
        if name.startswith("CUEDECK_") and "__" in name:
            path = tuple(part.lower() for part in name.removeprefix("CUEDECK_").split("__"))
            value: Any = _from_text(environ[name], _rule_at(path))
            for key in reversed(path):
                value = {key: value}
            yield Layer(name, value)


_NO_SETTINGS = ("CUEDECK_USER", "CUEDECK_NATIVE")


def variables_without_setting(environ: Mapping[str, str]) -> dict[str, str | None]:
    """Variables that look like ours and set nothing, each with the one that was probably meant."""
    meant = {_variable(path).replace("__", "_"): _variable(path) for path in _paths(Config)}
    return {
        name: meant.get(name)
        for name in sorted(environ)
        if name.startswith("CUEDECK_") and "__" not in name and name not in _NO_SETTINGS
    }


def _paths(section: type) -> Iterator[tuple[str, ...]]:
    for key, found in _rules(section)[0].items():
        if isinstance(found, Rule):
            yield (key,)
        else:
            yield from ((key, *below) for below in _paths(found))


def _variable(path: tuple[str, ...]) -> str:
    return "CUEDECK_" + "__".join(path).upper()


def _from_text(text: str, rule: Rule | None) -> Any:
    kind = rule.kind if rule else str
    if kind is bool and text.lower() in ("true", "1", "yes", "on", "false", "0", "no", "off"):
        return text.lower() in ("true", "1", "yes", "on")
    if kind is tuple:
        return [item.strip() for item in text.split(",") if item.strip()]
    if kind in (int, float):
        try:
            return kind(text)
        except ValueError:
            return text
    return text


def _rule_at(path: tuple[str, ...]) -> Rule | None:
    section: type = Config
    for position, key in enumerate(path):
        rules, rest = _rules(section)
        found = rules.get(key)
        if found is None:
            if rest is None:
                return None
            section = rest.kind
        elif isinstance(found, Rule):
            return found if position == len(path) - 1 else None
        else:
            section = found
    return None


def _rules(section: type) -> tuple[dict[str, Rule | type], Rule | None]:
    named: dict[str, Rule | type] = {}
    rest: Rule | None = None
    for item in fields(section):
        rule = item.metadata.get("rule")
        if rule is None:
            named[item.name] = item.default_factory  # type: ignore[assignment]
        elif rule.rest:
            rest = rule
        else:
            named[item.name] = rule
    return named, rest


def _check_section(section: type, values: Mapping[str, Any], path: tuple[str, ...], layer: Layer) -> None:
    rules, rest = _rules(section)
    for key, value in values.items():
        here = (*path, key)
        found: Rule | type | None = rules.get(key)
        if found is None and rest is not None and isinstance(value, dict):
            found = rest.kind
        if found is None:
            raise _unknown_key(here, list(rules), layer)
        if isinstance(found, Rule):
            if not found.accepts(value):
                raise _wrong_value(here, found.expected(), value, layer)
            if found.is_private(value) and layer.brought_by_git():
                raise _brought_along(here, layer)
        elif isinstance(value, dict):
            _check_section(found, value, here, layer)
        else:
            raise _wrong_value(here, "a table", value, layer)


def _unknown_key(path: tuple[str, ...], known: list[str], layer: Layer) -> CueError:
    from difflib import get_close_matches

    name = ".".join(path)
    close = get_close_matches(path[-1], known, 1)
    hint = (
        f"Did you mean '{'.'.join((*path[:-1], close[0]))}'?" if close else f"Known here: {', '.join(known)}."
    )
    return CueError(
        ErrorCode.CONFIGURATION,
        f"Unknown setting '{name}' in {_place(layer, path)}",
        data={"key": name, **layer.where(path)},
        hint=hint,
    )


def _brought_along(path: tuple[str, ...], layer: Layer) -> CueError:
    name = ".".join(path)
    variable = _variable(path)
    return CueError(
        ErrorCode.CONFIGURATION,
        f"'{name}' is not taken from {_place(layer, path)}, because git tracks that file",
        data={"key": name, **layer.where(path)},
        hint=f"A clone must not decide this. Set it in your own config.toml or as {variable}, "
        "or stop tracking the file.",
    )


def _wrong_value(path: tuple[str, ...], expected: str, value: Any, layer: Layer) -> CueError:
    name = ".".join(path)
    return CueError(
        ErrorCode.CONFIGURATION,
        f"Wrong value for '{name}' in {_place(layer, path)}: expected {expected}",
        data={"key": name, "expected": expected, **layer.where(path)},
        hint=f"Set it to {expected}, or remove it to use the default.",
    )


def _place(layer: Layer, path: tuple[str, ...]) -> str:
    where = layer.where(path)
    return f"{where['file']}, line {where['line']}" if "line" in where else layer.name


def _merge(into: dict[str, Any], values: Mapping[str, Any]) -> None:
    for key, value in values.items():
        if isinstance(value, dict):
            nested = into.setdefault(key, {})
            _merge(nested, value)
        else:
            into[key] = value


def _build(section: type[S], values: Mapping[str, Any]) -> S:
    rules, _ = _rules(section)
    arguments: dict[str, Any] = {}
    leftover: dict[str, Any] = {}
    for key, value in values.items():
        found = rules.get(key)
        if found is None:
            leftover[key] = value
        elif isinstance(found, Rule):
            arguments[key] = _typed(found, value)
        else:
            arguments[key] = _build(found, value)
    for item in fields(section):  # type: ignore[arg-type]
        rule = item.metadata.get("rule")
        if rule is not None and rule.rest:
            arguments[item.name] = {name: _build(rule.kind, table) for name, table in leftover.items()}
    return section(**arguments)


def _typed(rule: Rule, value: Any) -> Any:
    if rule.kind is tuple:
        return tuple(value)
    return float(value) if rule.kind is float else value
