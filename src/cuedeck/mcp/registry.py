"""Which tools there are, which of them a client sees, and under which names."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib import import_module
from typing import Any

from cuedeck.mcp.options import ConnectionOptions
from cuedeck.mcp.resource import Resource
from cuedeck.mcp.schema import input_schema, output_schema
from cuedeck.mcp.tool import Tool
from cuedeck.model.deck import Deck
from cuedeck.model.errors import CueError, ErrorCode

MODULES = (
    "context_documents",
    "context_cards",
    "code",
    "todo",
    "memory",
    "memory_tasks",
    "vault_files",
    "vault_workflows",
    "vault_health",
)
DEFAULT = "default"
ALL = "all"
_LIKE = 60


@dataclass(frozen=True)
class Registry:
    """Every tool and resource there is."""

    tools: tuple[Tool, ...]
    resources: tuple[Resource, ...] = ()

    def select(self, options: ConnectionOptions) -> Selection:
        """The part of it that one client sees; unknown decks and tools are refused by name."""
        decks = _chosen_decks(options.decks)
        default_set = DEFAULT in options.decks
        in_order = sorted(self.tools, key=lambda tool: list(Deck).index(tool.deck))
        enabled = [tool for tool in in_order if tool.deck in decks and not _hidden(tool, options)]
        prefixed = default_set or len(decks) > 1
        listed = [tool for tool in enabled if tool.in_default_set or not default_set]
        if options.tools:
            listed = enabled = _chosen_tools(enabled, options.tools, in_order)
        return Selection(
            entries=tuple(Entry(_listed_name(tool, prefixed), tool) for tool in listed),
            bare={tool.name: tool for tool in enabled if tool.deck is Deck.CONTEXT},
            resources=tuple(resource for resource in self.resources if resource.deck in decks),
            known=frozenset(_listed_name(tool, prefix) for tool in self.tools for prefix in (True, False)),
        )


@dataclass(frozen=True)
class Entry:
    """One tool under the name its client calls it by."""

    name: str
    tool: Tool

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """What the client may send."""
        return input_schema(self.tool.arguments)

    @cached_property
    def output_schema(self) -> dict[str, Any]:
        """What ``structuredContent`` will be."""
        return output_schema(self.tool.deck, self.tool.output)

    @cached_property
    def describes(self) -> Callable[[Any], bool]:
        """Whether the output schema has room for a value."""
        from jsonschema import Draft202012Validator  # type: ignore[import-untyped]

        is_valid: Callable[[Any], bool] = Draft202012Validator(self.output_schema).is_valid
        return is_valid

    def to_json(self) -> dict[str, Any]:
        """The tool as ``tools/list`` shows it."""
        effects = self.tool.effects
        return {
            "name": self.name,
            "title": self.tool.title,
            "description": self.tool.description,
            "inputSchema": self.input_schema,
            "outputSchema": self.output_schema,
            "annotations": {
                "title": self.tool.title,
                "readOnlyHint": effects.read_only,
                "destructiveHint": effects.destructive,
                "idempotentHint": effects.idempotent,
                "openWorldHint": False,
            },
        }


@dataclass(frozen=True)
class Selection:
    """The tools of one connection, in listing order, and how a called name finds one."""

    entries: tuple[Entry, ...]
    bare: Mapping[str, Tool]
    resources: tuple[Resource, ...] = ()
    known: frozenset[str] = frozenset()

    @cached_property
    def by_name(self) -> Mapping[str, Entry]:
        """Entries by their listed names."""
        return {entry.name: entry for entry in self.entries}

    @cached_property
    def listing(self) -> list[dict[str, Any]]:
        """The answer to ``tools/list``."""
        return [entry.to_json() for entry in self.entries]

    def bare_tool(self, message: Any) -> Tool | None:
        """The tool of the context deck that a JSON-RPC message calls directly by its contract name."""
        method = message.get("method") if isinstance(message, Mapping) else None
        return self.bare.get(method) if isinstance(method, str) else None

    def find(self, name: str) -> Entry:
        """The tool a client means by a listed name or an unambiguous bare one."""
        if entry := self.by_name.get(name):
            return entry
        matches = [entry for entry in self.entries if entry.tool.name == name]
        if len(matches) == 1:
            return matches[0]
        if matches:
            candidates = [entry.name for entry in matches]
            raise UnknownTool(f"Ambiguous tool name: {name!r} is {', '.join(candidates)}", candidates)
        near = nearest(name, [entry.name for entry in self.entries])
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        if name in self.known:
            hint = " is not among the tools served here (--decks, --tools and --read-only choose them)"
        raise UnknownTool(f"Unknown tool: {name[:200]!r}{hint}", near)


class UnknownTool(Exception):
    """A called name that is no tool of this connection, and the names that come nearest."""

    def __init__(self, message: str, names: Sequence[str]) -> None:
        super().__init__(message)
        self.message = message
        self.names = list(names)


@lru_cache(maxsize=1)
def product() -> Registry:
    """The registry of everything CueDeck ships."""
    loaded = [import_module(f"cuedeck.mcp.decks.{name}") for name in MODULES]
    tools = tuple(tool for module in loaded for tool in module.TOOLS)
    resources = tuple(resource for module in loaded for resource in getattr(module, "RESOURCES", ()))
    return Registry(tools, resources)


def nearest(name: str, known: Iterable[str], limit: int = 3) -> list[str]:
    """The known names most like this one, best first."""
    from rapidfuzz import fuzz, process, utils

    asked, plain = name[:200], utils.default_process
    found = process.extract(
        asked, list(known), scorer=fuzz.WRatio, processor=plain, limit=5 * limit, score_cutoff=60
    )
    words = plain(asked).split()
    # Letters strewn over a long name are no likeness: one word has to be like one of its words.
    found = [
        one
        for one in found
        if fuzz.ratio(asked, one[0]) >= _LIKE
        or any(fuzz.ratio(word, own) >= _LIKE for word in words for own in plain(one[0]).split())
    ]
    # One word in common makes names look alike; which is nearest their letters decide.
    alike = sorted(found, key=lambda one: -fuzz.token_sort_ratio(asked, one[0], processor=plain))
    return [match for match, _score, _index in alike[:limit]]


def _chosen_decks(wanted: Sequence[str]) -> frozenset[Deck]:
    known = [DEFAULT, ALL, *Deck]
    for name in wanted:
        if name not in known:
            raise _unknown("deck", name, nearest(name, known) or list(Deck), "--decks")
    if not wanted:
        raise CueError(
            ErrorCode.CONFIGURATION,
            "No deck selected",
            data={"option": "--decks"},
            hint=f"Choose from {', '.join(known)}.",
        )
    if DEFAULT in wanted or ALL in wanted:
        return frozenset(Deck)
    return frozenset(Deck(name) for name in wanted)


def _chosen_tools(enabled: Sequence[Tool], wanted: Sequence[str], every: Sequence[Tool]) -> list[Tool]:
    chosen = []
    for name in wanted:
        matches = [tool for tool in every if name in (tool.name, _listed_name(tool, True))]
        if not matches:
            known = [_listed_name(tool, True) for tool in enabled]
            raise _unknown("tool", name, nearest(name, known), "--tools")
        if not any(tool in enabled for tool in matches):
            raise CueError(
                ErrorCode.CONFIGURATION,
                f"The tool {name!r} is left out by --decks or --read-only",
                data={"tool": name, "option": "--tools"},
                hint=f"It belongs to the deck {' and '.join(tool.deck for tool in matches)}.",
            )
        chosen += matches
    return [tool for tool in enabled if tool in chosen]


def _hidden(tool: Tool, options: ConnectionOptions) -> bool:
    return options.read_only and not tool.effects.read_only


def _listed_name(tool: Tool, prefixed: bool) -> str:
    return f"{tool.deck}_{tool.name}" if prefixed else tool.name


def _unknown(kind: str, name: str, near: Sequence[str], flag: str) -> CueError:
    return CueError(
        ErrorCode.CONFIGURATION,
        f"There is no {kind} {name!r}",
        data={kind: name, "nearest": list(near), "option": flag},
        hint=f"Did you mean {' or '.join(near)}? ({flag})" if near else f"Check {flag}.",
    )
