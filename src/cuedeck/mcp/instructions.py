"""What a client's model is told at the start: the decks it has, by the names it can call."""

from __future__ import annotations

from cuedeck.mcp.registry import Selection
from cuedeck.model.deck import Deck

OPENING = "CueDeck knows this workspace. Search before you read, then open only what you need."
CLOSING = "Paths are relative to the workspace. An error's hint says what to do next."

# What a deck is for, and the tools to begin with; a tool that is not listed is not mentioned.
DECKS = {
    Deck.CONTEXT: ("Documents and task cards", ("read_context", "read_doc", "list_tasks", "update_task")),
    Deck.CODE: (
        "Code on every branch and uncommitted",
        ("search_code", "locate_symbol", "find_references", "diff_context"),
    ),
    Deck.TODO: ("One user's to-do list", ("list_tasks", "add_task", "complete_task")),
    Deck.MEMORY: (
        "What was learned before: search it first, store what was hard to find out, reflect on failures",
        ("search", "store", "reflect", "get_next_task"),
    ),
    Deck.VAULT: ("Notes, their links, and workflows", ("query_files", "search_links", "trigger_workflow")),
}


def instructions(selection: Selection) -> str:
    """A few lines for the model behind a connection."""
    listed = {(entry.tool.deck, entry.tool.name): entry.name for entry in selection.entries}
    lines = [OPENING]
    for deck, (purpose, tools) in DECKS.items():
        names = [listed[deck, tool] for tool in tools if (deck, tool) in listed]
        if names:
            lines.append(f"- {purpose}: {', '.join(names)}.")
    return "\n".join([*lines, CLOSING])
