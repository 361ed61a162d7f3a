"""Throws arguments at every tool of a server and holds each answer against what was promised."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from hostile import Inventor, one_by_one
from outside import USER, Door

ERRORS = {
    "context": {1001, 1002, 1003, 1006, 1007, 1008, 1010, 429},
    "code": {
        "invalid_input",
        "not_found",
        "project_not_found",
        "ref_not_indexed",
        "merge_base_failed",
        "symbol_not_found",
        "no_edges_available",
        "result_not_found",
        "overlay_not_ready",
    },
    "todo": {"not_found", "multiple_matches", "unauthorized", "validation_error"},
    "memory": {"NOT_FOUND", "VALIDATION_ERROR"},
}
LEAKS = re.compile(r"Traceback|\.py\", line|site-packages|sqlite|psycopg|pydantic", re.IGNORECASE)


class Broken(AssertionError):
    """A promise that did not hold, with the call that broke it."""


class Attack:
    """One server, all decks, everything it was asked and what may not change around it."""

    def __init__(self, door: Door, root: Path) -> None:
        self.door = door
        self.root = root
        self.calls = 0
        self.refused = 0
        self.tools = {tool["name"]: tool for tool in door.ask("tools/list")["result"]["tools"]}
        self.around = fingerprint(root.parent, root)

    def call(self, name: str, arguments: Any) -> Any:
        answer = self.door.ask("tools/call", {"name": name, "arguments": arguments})
        self.calls += 1
        self.refused += "error" in answer or answer["result"]["isError"]
        problem = contract_problem(name, answer)
        if problem:
            raise Broken(f"{problem}: {name} {json.dumps(arguments)[:2000]} -> {json.dumps(answer)[:2000]}")
        return answer

    def systematic(self, names: Iterable[str], *, every: int = 1) -> None:
        """Each argument of each tool in turn; with ``every`` only one value in so many."""
        place = 0
        for name in names:
            for arguments in one_by_one(self.tools[name]["inputSchema"], GOOD.get(name, {})):
                place += 1
                if place % every == 0:
                    self.call(name, arguments)

    def random(self, names: Iterable[str], rounds: int, seed: int) -> None:
        """Arguments invented from the schemas, some right, some wrong, most of them odd."""
        chosen = sorted(names)
        for number in range(rounds):
            inventor = Inventor(seed * 1_000_003 + number, KNOWN)
            name = inventor.random.choice(chosen)
            self.call(name, inventor.arguments(self.tools[name]["inputSchema"]))

    def check(self) -> None:
        """The server answers as before, and nothing around the workspace changed."""
        assert "result" in self.door.ask("tools/list")
        health = self.call("vault_health_check", {})["result"]["structuredContent"]["data"]
        assert health["status"] == "healthy", health
        assert fingerprint(self.root.parent, self.root) == self.around


def contract_problem(name: str, answer: dict[str, Any]) -> str:
    """What in a tool's answer its deck's contract does not allow."""
    deck = name.partition("_")[0]
    if "error" in answer:
        code = answer["error"]["code"]
        return "" if deck == "context" and code in ERRORS["context"] else f"unexpected error {code}"
    result = answer["result"]
    value = json.loads(result["content"][0]["text"])
    if not result["isError"]:
        expected = {"result": value} if isinstance(value, list) else value
        return "" if result["structuredContent"] == expected else "structure is not the text"
    if deck == "vault":
        fine = value["success"] is False and not value["error"].startswith(("Internal", "Database"))
        return "" if fine else "unexpected failure"
    code = {
        "code": lambda: value["error"]["code"],
        "todo": lambda: value["error"],
        "memory": lambda: value["code"],
    }[deck]()
    if code not in ERRORS[deck]:
        return f"unexpected error {code}"
    said = value["error"]["message"] if deck == "code" else value.get("message", value["error"])
    return "a message shows what is inside" if LEAKS.search(str(said)) else ""


def fingerprint(folder: Path, but: Path) -> dict[str, str]:
    """Every file in a folder and its content, but for what the server may write."""
    own = (but, folder / "run", folder / "home")
    return {
        str(path): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not any(path.is_relative_to(one) for one in own)
    }


KNOWN: dict[str, list[Any]] = {
    "user_id": [USER],
    "path": ["docs/auth.md", "docs/tokens.md", "src/lib.rs", "tools/report.py"],
    "file_path": ["tools/report.py", "src/auth/jwt.rs"],
    "result_path": ["tools/report.py"],
    "symbol_name": ["shout", "validate_token", "Report"],
    "ref": ["main", "feat/oauth2", "HEAD"],
    "base_ref": ["main", "HEAD~0"],
    "head_ref": ["feat/oauth2", "main"],
    "workflowId": ["markdown-analyzer", "concept-tracker", "proof-spec-kit-review"],
    "project": ["CA", "x"],
    "task_id": ["CA-TASK-001", USER],
    "due_date": ["2027-01-31"],
    "anchor": ["Login Flow"],
}
GOOD: dict[str, dict[str, Any]] = {
    "context_read_context": {"query": "login", "mode": "keyword"},
    "context_read_doc": {"path": "docs/auth.md"},
    "context_create_task": {"title": "x"},
    "context_get_task_dependencies": {"id": "abcdef"},
    "context_update_task": {"id": "abcdef", "updates": {"status": "done"}},
    "code_search_code": {"query": "shout", "mode": "keyword"},
    "code_locate_symbol": {"name": "shout"},
    "code_get_file_outline": {"path": "tools/report.py"},
    "code_get_call_graph": {"symbol_name": "shout"},
    "code_find_references": {"symbol_name": "shout"},
    "code_explain_ranking": {"query": "shout", "result_path": "tools/report.py", "result_line_start": 8},
    "code_switch_ref": {"ref": "main"},
    "todo_add_task": {"user_id": USER, "title": "x"},
    "todo_list_tasks": {"user_id": USER},
    "todo_complete_task": {"user_id": USER, "task_title": "x"},
    "todo_update_task": {"user_id": USER, "task_title": "x", "new_title": "y"},
    "todo_delete_task": {"user_id": USER, "task_title": "x"},
    "memory_store": {"type": "knowledge", "content": "x"},
    "memory_search": {"query": "x"},
    "memory_read": {"id": "memory:x"},
    "memory_update": {"id": "memory:x", "title": "x"},
    "memory_delete": {"id": "memory:x"},
    "memory_link": {"from_id": "memory:x", "to_id": "memory:y"},
    "memory_create_task": {"project": "CA", "name": "x"},
    "memory_complete_task": {"task_id": "CA-TASK-001"},
    "memory_reflect": {"output": "x", "feedback": "Error: x"},
    "memory_improved_attempt": {"task": "x", "original_output": "y"},
    "memory_model_effectiveness": {"task_pattern": "x"},
    "memory_index_file": {"file_path": "tools/report.py"},
    "vault_get_file": {"path": "docs/auth.md"},
    "vault_get_file_content": {"path": "docs/auth.md"},
    "vault_search_tags": {"tag": "auth"},
    "vault_search_links": {"path": "docs/auth.md"},
    "vault_trigger_workflow": {"workflowId": "markdown-analyzer", "input": {"path": "docs/auth.md"}},
    "vault_get_workflow_status": {"executionId": "wf_exec_0"},
}
