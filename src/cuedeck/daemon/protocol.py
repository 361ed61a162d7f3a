"""What a client and the daemon say to each other before MCP begins.

A client sends one line ``cuedeck/1 <verb> <length>`` and a body of ``name=value`` fields separated by NUL;
the daemon answers with one line: ``ok <json>``, ``drain`` (it is going away, start another) or
``error <json>``. After ``ok`` to a ``session`` both sides speak MCP lines.
"""

from __future__ import annotations

import os
import sys

from cuedeck import __version__

SESSION, STATUS, STOP = "session", "status", "stop"
VERBS = (SESSION, STATUS, STOP)
MAGIC = b"cuedeck/1"
LONGEST_BODY = 1024 * 1024

# What of the environment a client's choices depend on; it travels, the rest is the daemon's own.
_TRAVELLING = ("HOME", "XDG_CONFIG_HOME")
_ENVIRONMENT = "env:"


class BadHello(Exception):
    """The other side does not speak this protocol."""


def identity() -> dict[str, str]:
    """What must be equal for a client and a daemon to work together."""
    package = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    return {"version": __version__, "executable": sys.executable, "package": package}


def travels(name: str) -> bool:
    """Whether an environment variable belongs to the client's choices."""
    return name.startswith("CUEDECK_") or name in _TRAVELLING


def travelling_environment() -> dict[str, str]:
    """The environment variables that belong to the client's choices."""
    return {name: value for name, value in os.environ.items() if travels(name)}


def encode_hello(verb: str, fields: dict[str, str], environment: dict[str, str] | None = None) -> bytes:
    """The client's first bytes."""
    named = {**fields, **{_ENVIRONMENT + name: value for name, value in (environment or {}).items()}}
    body = b"\0".join(os.fsencode(f"{name}={value}") for name, value in named.items())
    return b"%s %s %d\n%s" % (MAGIC, verb.encode(), len(body), body)


def decode_head(line: bytes) -> tuple[str, int]:
    """Verb and body length of a hello's first line."""
    parts = line.split()
    if len(parts) != 3 or parts[0] != MAGIC or not parts[2].isdigit():
        raise BadHello(f"not a hello: {line[:40]!r}")
    verb, length = parts[1].decode("ascii", "replace"), int(parts[2])
    if verb not in VERBS or length > LONGEST_BODY:
        raise BadHello(f"not a hello: {line[:40]!r}")
    return verb, length


def decode_body(body: bytes) -> tuple[dict[str, str], dict[str, str]]:
    """The fields of a hello, and the client's environment."""
    fields: dict[str, str] = {}
    environment: dict[str, str] = {}
    for item in body.split(b"\0") if body else ():
        name, equals, value = os.fsdecode(item).partition("=")
        if not equals:
            raise BadHello("a field without a value")
        if name.startswith(_ENVIRONMENT):
            environment[name.removeprefix(_ENVIRONMENT)] = value
        else:
            fields[name] = value
    return fields, environment
