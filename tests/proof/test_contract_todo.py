"""The todo deck from outside: one person's list, matched by id or title, closed to everybody else."""

from __future__ import annotations

import re
import uuid
from typing import Any

import pytest
from ground import Ground
from outside import USER, Deck

OTHER = "123e4567-e89b-12d3-a456-426614174999"
TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


class TodoDeck(Deck):
    """Asks as the user it was started for."""

    def good(self, name: str, /, **arguments: Any) -> Any:
        value = super().good(name, **{"user_id": USER, **arguments})
        assert value["success"] is True
        return value

    def bad(self, name: str, /, **arguments: Any) -> Any:
        value = super().bad(name, **{"user_id": USER, **arguments})
        assert value["success"] is False
        assert list(value)[:3] == ["success", "error", "message"]
        return value


@pytest.fixture(scope="module")
def deck(ground: Ground) -> TodoDeck:
    return TodoDeck(ground.door("daemon", "--decks", "todo"))


def test_a_task_from_birth_to_death(deck: TodoDeck) -> None:
    task = deck.good("add_task", title="  buy groceries ", due_date="2028-02-29")["task"]
    assert uuid.UUID(task["id"])
    assert TIME.fullmatch(task.pop("created_at"))
    assert task == {
        "id": task["id"],
        "title": "buy groceries",
        "description": None,
        "due_date": "2028-02-29",
        "status": "incomplete",
    }
    listed = deck.good("list_tasks", status="incomplete")
    assert listed["count"] == len(listed["tasks"]) >= 1
    (entry,) = [entry for entry in listed["tasks"] if entry["id"] == task["id"]]
    assert entry["completed_at"] is None
    done = deck.good("complete_task", task_title="GROCER")["task"]
    assert done.keys() == {"id", "title", "status", "completed_at"}
    assert (done["status"], bool(TIME.fullmatch(done["completed_at"]))) == ("complete", True)
    assert deck.good("complete_task", task_id=task["id"].upper())["task"] == done
    undone = deck.good("complete_task", task_id=task["id"], mark_complete=False)["task"]
    assert (undone["status"], undone["completed_at"]) == ("incomplete", None)
    changed = deck.good("update_task", task_id=task["id"], new_title="buy bread", new_description="rye")[
        "task"
    ]
    assert changed.keys() == {"id", "title", "description", "due_date", "status", "updated_at"}
    assert (changed["title"], changed["description"], changed["due_date"]) == (
        "buy bread",
        "rye",
        "2028-02-29",
    )
    cleared = deck.good("update_task", task_id=task["id"], new_description=None, new_due_date=None)["task"]
    assert (cleared["description"], cleared["due_date"]) == (None, None)
    gone = deck.good("delete_task", task_title="bread")
    assert (gone["deleted_count"], gone["message"]) == (1, "Task 'buy bread' deleted successfully")
    assert deck.bad("delete_task", task_id=task["id"])["error"] == "not_found"


def test_newest_first_and_limits(deck: TodoDeck) -> None:
    for number in range(3):
        deck.good("add_task", title=f"row {number}")
    page = deck.good("list_tasks", limit=2)
    assert [task["title"] for task in page["tasks"]] == ["row 2", "row 1"]
    assert page["count"] == 2
    assert page["total"] >= 3
    assert deck.good("list_tasks", limit=100)["count"] <= 100


def test_an_exact_title_wins_and_several_matches_are_shown(deck: TodoDeck) -> None:
    for title in ("meeting", "meeting one", "meeting two"):
        deck.good("add_task", title=title)
    assert deck.good("complete_task", task_title="MEETING")["task"]["title"] == "meeting"
    error = deck.bad("update_task", task_title="eting", new_title="x")
    assert error["error"] == "multiple_matches"
    assert error["message"] == "Multiple tasks match 'eting'. Please be more specific."
    assert {match["title"] for match in error["matches"]} == {"meeting", "meeting one", "meeting two"}
    assert all(match.keys() == {"id", "title"} for match in error["matches"])


def test_at_most_ten_candidates(deck: TodoDeck) -> None:
    for number in range(12):
        deck.good("add_task", title=f"candidate {number}")
    assert len(deck.bad("delete_task", task_title="candidate")["matches"]) == 10


@pytest.mark.parametrize("wild", ["%", "_", "\\", "100%_x\\y"])
def test_wild_cards_are_letters(deck: TodoDeck, wild: str) -> None:
    assert deck.bad("complete_task", task_title=wild)["error"] == "not_found"
    task = deck.good("add_task", title=f"literal {wild} here")["task"]
    assert (
        deck.good("delete_task", task_title=wild)["message"] == f"Task '{task['title']}' deleted successfully"
    )


def test_all_completed_at_once(deck: TodoDeck) -> None:
    deck.good("delete_task", delete_all_completed=True)
    for title in ("finished a", "finished b"):
        deck.good("complete_task", task_id=deck.good("add_task", title=title)["task"]["id"])
    gone = deck.good("delete_task", delete_all_completed=True, task_title="ignored")
    assert (gone["deleted_count"], gone["message"]) == (2, "2 completed tasks deleted successfully")
    assert deck.good("list_tasks", status="complete")["tasks"] == []


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("add_task", {}),
        ("add_task", {"title": ""}),
        ("add_task", {"title": " \n "}),
        ("add_task", {"title": "x" * 201}),
        ("add_task", {"title": "x", "description": "x" * 2001}),
        ("add_task", {"title": "x", "due_date": "2027-02-29"}),
        ("add_task", {"title": "x", "due_date": "tomorrow"}),
        ("add_task", {"title": "x", "due_date": "2027-02-01T00:00:00Z"}),
        ("add_task", {"title": "x", "user_id": "me"}),
        ("add_task", {"title": "x", "user_id": 7}),
        ("list_tasks", {"status": "open"}),
        ("list_tasks", {"limit": 0}),
        ("list_tasks", {"limit": 101}),
        ("complete_task", {}),
        ("complete_task", {"task_id": OTHER, "task_title": "x"}),
        ("complete_task", {"task_id": "7"}),
        ("complete_task", {"task_title": " "}),
        ("complete_task", {"task_title": "row 1", "mark_complete": "yes"}),
        ("update_task", {"task_title": "row 1"}),
        ("update_task", {"task_title": "row 1", "new_title": " "}),
        ("update_task", {"task_title": "row 1", "new_title": "x" * 201}),
        ("update_task", {"task_title": "row 1", "new_due_date": "soon"}),
        ("delete_task", {}),
        ("delete_task", {"task_title": "row 1", "force": True}),
    ],
)
def test_invalid_parameters(deck: TodoDeck, tool: str, arguments: dict[str, Any]) -> None:
    before = deck.good("list_tasks")
    assert deck.bad(tool, **arguments)["error"] == "validation_error"
    assert deck.good("list_tasks") == before


def test_limits_hold_at_their_edges(deck: TodoDeck) -> None:
    task = deck.good("add_task", title="é" * 200, description="d" * 2000)["task"]
    assert (len(task["title"]), len(task["description"])) == (200, 2000)
    deck.good("delete_task", task_id=task["id"])


def test_what_is_not_there(deck: TodoDeck) -> None:
    for tool, extra in (("complete_task", {}), ("update_task", {"new_title": "x"}), ("delete_task", {})):
        assert deck.bad(tool, task_id=OTHER, **extra)["error"] == "not_found"
        error = deck.bad(tool, task_title="nonexistent", **extra)
        assert (error["error"], error["message"]) == ("not_found", "Task 'nonexistent' not found")


def test_nobody_acts_for_somebody_else(deck: TodoDeck, ground: Ground) -> None:
    task = deck.good("add_task", title="mine alone")["task"]
    for tool in ("add_task", "list_tasks", "delete_task"):
        extra = {"title": "x"} if tool == "add_task" else {}
        assert deck.bad(tool, user_id=OTHER, **extra)["error"] == "unauthorized"
    stranger = Deck(ground.door("daemon", "--decks", "todo", "--user", OTHER))
    assert stranger.good("list_tasks", user_id=OTHER)["tasks"] == []
    theirs = stranger.bad("delete_task", user_id=OTHER, task_id=task["id"])
    assert theirs == stranger.bad("delete_task", user_id=OTHER, task_id=str(uuid.uuid4()))
    assert theirs["error"] == "not_found"


def test_without_a_user_every_call_says_how_to_set_one(ground: Ground) -> None:
    deck = Deck(ground.door("process", "--decks", "todo", CUEDECK_USER=""))
    error = deck.bad("list_tasks", user_id=USER)
    assert error["error"] == "unauthorized"
    assert "--user" in error["message"]
