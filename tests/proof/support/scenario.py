"""The scenario over all five decks, its golden answers, and how an answer is made comparable."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from outside import USER

GOLDEN = Path(__file__).parents[1] / "transcripts" / "all_decks.json"
SCENARIO: tuple[tuple[str, dict[str, Any]], ...] = (
    ("context_read_doc", {"path": "docs/auth.md", "anchor": "Error Codes"}),
    ("context_read_doc", {"path": "docs/auht.md"}),
    ("context_read_context", {"query": "login flow", "mode": "keyword", "limit": 1}),
    ("code_index_repo", {}),
    ("code_find_references", {"symbol_name": "shout"}),
    ("code_diff_context", {"base_ref": "main", "head_ref": "feat/oauth2", "path_filter": "src/auth/o"}),
    ("code_find_references", {"symbol_name": "unheard_of"}),
    ("todo_list_tasks", {"user_id": USER, "status": "complete"}),
    ("todo_complete_task", {"user_id": USER, "task_title": "nothing like it"}),
    ("memory_search", {"query": "nothing stored yet"}),
    ("memory_read", {"id": "memory:none"}),
    ("vault_search_links", {"path": "docs/tokens.md"}),
    ("vault_get_file", {"path": "none.md"}),
    ("vault_query_files", {"limit": 0, "type": "concept"}),
)
VOLATILE = (
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "TIME"),
    (r"\b[0-9a-f]{40}\b", "COMMIT"),
    (r'"(executionTime|duration_ms|created|modified|lastUpdated)":[\d.]+', r'"\1":0'),
    (r'"(mode)":"(full|incremental|overlay)"', r'"\1":"MODE"'),
    (r'"(changed_files)":\d+', r'"\1":0'),
    (r'"cached":(true|false)', '"cached":false'),
)
Call = Callable[[str, dict[str, Any]], dict[str, Any]]


def told(call: Call) -> list[Any]:
    """The scenario with every answer as this client saw it, but for what differs each time."""
    return [[name, arguments, seen(call(name, arguments))] for name, arguments in SCENARIO]


def seen(answer: dict[str, Any]) -> Any:
    """What of an answer is the same every time."""
    if "error" in answer:
        return {"error": json.loads(normal(json.dumps(answer["error"], separators=(",", ":"))))}
    result = answer["result"]
    text = result["content"][0]["text"]
    return {"isError": result.get("isError", False), "text": json.loads(normal(text))}


def normal(text: str) -> str:
    """A text without times, ids and measurements."""
    for pattern, plain in VOLATILE:
        text = re.sub(pattern, plain, text)
    return text


def compare(transcript: list[Any]) -> None:
    """Every answer must be the golden one."""
    if os.environ.get("CUEDECK_REFRESH_TRANSCRIPTS"):
        GOLDEN.parent.mkdir(exist_ok=True)
        GOLDEN.write_text(json.dumps(transcript, indent=1, ensure_ascii=False) + "\n")
    for expected, found in zip(json.loads(GOLDEN.read_text()), transcript, strict=True):
        assert found == expected
