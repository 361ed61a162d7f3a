"""One person's list: what they see, what they find, what they can take back."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cuedeck.model.errors import CueError, ErrorCode
from cuedeck.store.protocol import Store
from cuedeck.tasks.todos import TodoList, Todos, Which

UNKNOWN = "550e8400-e29b-41d4-a716-446655440000"
HOSTILE = [
    "%",
    "_",
    "\\",
    "100% _done_ \\o/",
    "'; DROP TABLE todos; --",
    '" OR 1=1 --',
    "${jndi:ldap://x} {{7*7}} <script>alert(1)</script>",
    "🙂‮ مرحبا 漢字",
    "line\nbreak\ttab",
    "x" * 200,
    "NULL",
]


@pytest.fixture
def mine(store: Store) -> TodoList:
    return Todos(store).of("user-1")


def titles(todos: TodoList, **wanted: object) -> list[str]:
    return [todo.title for todo in todos.list(**wanted).todos]  # type: ignore[arg-type]


def test_add_and_list_newest_first(mine: TodoList) -> None:
    for title in ("first", "second", "third"):
        mine.add(title)
    assert titles(mine) == ["third", "second", "first"]
    page = mine.list(limit=1, offset=1)
    assert ([todo.title for todo in page.todos], page.total) == (["second"], 3)
    places = [(2, 0), (3, 0), (4, 0), (2, 2), (2, 3), (2, 9)]
    assert [mine.list(limit=limit, offset=offset).total for limit, offset in places] == [3] * 6


@pytest.mark.parametrize("title", HOSTILE)
def test_hostile_text_comes_back_and_matches_only_itself(mine: TodoList, title: str) -> None:
    mine.add("something else entirely")
    made = mine.add(title, description=title, due_date="2026-02-12")
    assert (made.title, made.description) == (title, title)
    assert mine.complete(Which(title=title)).id == made.id
    mine.delete(Which(id=made.id))
    with pytest.raises(CueError) as refusal:
        mine.complete(Which(title=title))
    assert refusal.value.code is ErrorCode.NOT_FOUND


def test_titles_are_trimmed(mine: TodoList) -> None:
    assert mine.add("  buy milk \n").title == "buy milk"


@pytest.mark.parametrize(
    ("field", "values"),
    [
        ("title", {"title": " \t "}),
        ("title", {"title": "x" * 201}),
        ("title", {"title": "nul\0"}),
        ("title", {"title": "\udfff"}),
        ("description", {"title": "x", "description": "x" * 2001}),
        ("due_date", {"title": "x", "due_date": "tomorrow"}),
        ("due_date", {"title": "x", "due_date": "2026-02-30"}),
        ("due_date", {"title": "x", "due_date": "20260212"}),
        ("due_date", {"title": "x", "due_date": "2026-W07-4"}),
        ("due_date", {"title": "x", "due_date": ""}),
    ],
)
def test_what_cannot_be_a_todo_is_refused(mine: TodoList, field: str, values: dict[str, str]) -> None:
    with pytest.raises(CueError) as refusal:
        mine.add(**values)  # type: ignore[arg-type]
    assert refusal.value.data["field"] == field
    assert mine.list().total == 0


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("title", " "),
        ("title", "nul\0"),
        ("description", "nul\0"),
        ("description", "x" * 2001),
        ("due_date", "x"),
    ],
)
def test_a_refused_update_names_the_argument_as_it_was_given(mine: TodoList, field: str, value: str) -> None:
    todo = mine.add("kept")
    with pytest.raises(CueError) as refusal:
        mine.update(Which(id=todo.id), **{field: value})  # type: ignore[arg-type]
    assert refusal.value.data["field"] == f"new_{field}"
    assert mine.list().todos == (todo,)


def test_an_exact_title_wins_over_part_of_another(mine: TodoList) -> None:
    mine.add("Report 2")
    exact = mine.add("REPORT")
    assert mine.complete(Which(title="report")).id == exact.id


@pytest.mark.parametrize(("stored", "asked"), [("Straße", "STRASSE"), ("ÉCOLE", "école"), ("Ωmega", "ωMEGA")])
def test_case_does_not_matter_in_any_alphabet(mine: TodoList, stored: str, asked: str) -> None:
    made = mine.add(f"go to {stored} now")
    assert mine.complete(Which(title=asked)).id == made.id


def test_an_ambiguous_title_lists_at_most_ten(mine: TodoList) -> None:
    for number in range(12):
        mine.add(f"meeting {number}")
    with pytest.raises(CueError) as refusal:
        mine.delete(Which(title="Meeting"))
    assert refusal.value.code is ErrorCode.MULTIPLE_MATCHES
    assert refusal.value.message == "Multiple tasks match 'Meeting'. Please be more specific."
    matches = refusal.value.data["matches"]
    assert [match["title"] for match in matches] == [f"meeting {number}" for number in range(11, 1, -1)]
    assert mine.list().total == 12


def test_exactly_one_of_id_and_title() -> None:
    for values in ({}, {"id": "x", "title": "y"}, {"title": "  "}):
        with pytest.raises(CueError) as refusal:
            Which(**values)  # type: ignore[arg-type]
        assert refusal.value.code is ErrorCode.VALIDATION


@pytest.mark.parametrize("todo_id", [UNKNOWN, "", "%", "nul\0", "\ud800", "x" * 9999])
def test_an_unknown_id_is_not_found(mine: TodoList, todo_id: str) -> None:
    mine.add("x")
    with pytest.raises(CueError) as refusal:
        mine.delete(Which(id=todo_id))
    assert (refusal.value.code, refusal.value.message, refusal.value.data) == (
        ErrorCode.NOT_FOUND,
        "Task not found",
        {},
    )


@pytest.mark.parametrize("title", ["nul\0", "\ud800", "x" * 9999])
def test_a_title_nothing_can_have_is_not_found(mine: TodoList, title: str) -> None:
    mine.add("x")
    with pytest.raises(CueError) as refusal:
        mine.delete(Which(title=title))
    assert refusal.value.code is ErrorCode.NOT_FOUND


def test_completing_twice_and_reopening(mine: TodoList) -> None:
    made = mine.add("x")
    first = mine.complete(Which(id=made.id))
    assert first.status == "complete"
    assert mine.complete(Which(id=made.id)) == first
    reopened = mine.complete(Which(id=made.id), complete=False)
    assert (reopened.status, reopened.completed_at) == ("incomplete", None)


def test_status_filters(mine: TodoList) -> None:
    mine.complete(Which(id=mine.add("done").id))
    mine.add("open")
    assert titles(mine, status="complete") == ["done"]
    assert titles(mine, status="incomplete") == ["open"]
    assert mine.list("complete").total == 1


def test_update_changes_what_is_given_and_null_clears(mine: TodoList) -> None:
    made = mine.add("x", description="why", due_date="2026-02-12")
    changed = mine.update(Which(id=made.id), title="y")
    assert (changed.title, changed.description, changed.due_date) == ("y", "why", "2026-02-12")
    cleared = mine.update(Which(title="y"), description=None, due_date=None)
    assert (cleared.description, cleared.due_date) == (None, None)
    with pytest.raises(CueError) as refusal:
        mine.update(Which(title="y"))
    assert refusal.value.code is ErrorCode.VALIDATION


def test_a_new_title_is_found_at_once(mine: TodoList) -> None:
    made = mine.add("old name")
    mine.update(Which(title="old"), title="New Name")
    assert mine.complete(Which(title="new name")).id == made.id
    with pytest.raises(CueError):
        mine.complete(Which(title="old"))


def test_delete_completed_counts_and_may_find_nothing(mine: TodoList) -> None:
    assert mine.delete_completed() == 0
    for title in ("a", "b"):
        mine.complete(Which(id=mine.add(title).id))
    mine.add("open")
    assert mine.delete_completed() == 2
    assert titles(mine) == ["open"]


def test_undo_takes_back_one_change_at_a_time(mine: TodoList) -> None:
    made = mine.add("x", due_date="2026-02-12")
    mine.update(Which(id=made.id), title="y", due_date=None)
    mine.complete(Which(id=made.id))
    mine.delete_completed()
    assert mine.undo() == "deleting 1 completed tasks"
    assert mine.list("complete").todos[0].id == made.id
    assert mine.undo() == "completing 'y'"
    assert mine.undo() == "changing 'x'"
    assert mine.list().todos == (made,)
    assert mine.undo() == "adding 'x'"
    assert mine.list().total == 0
    assert mine.undo() is None


def test_somebody_elses_list_is_untouched_by_anything(store: Store) -> None:
    mine, yours = Todos(store).of("user-1"), Todos(store).of("user-2")
    secret = yours.add("secret plan")
    yours.complete(Which(id=secret.id))
    before = yours.list().todos
    attempts = [
        lambda: mine.complete(Which(id=secret.id)),
        lambda: mine.complete(Which(title="secret plan")),
        lambda: mine.update(Which(id=secret.id), title="mine now"),
        lambda: mine.delete(Which(id=secret.id)),
        lambda: mine.delete(Which(title="secret")),
    ]
    for attempt in attempts:
        with pytest.raises(CueError) as refusal:
            attempt()
        assert refusal.value.code is ErrorCode.NOT_FOUND
    assert mine.delete_completed() == 0
    assert mine.undo() is None
    assert mine.list().total == 0
    assert yours.list().todos == before


def test_todos_are_not_in_the_change_log_that_others_read(store: Store) -> None:
    Todos(store).of("user-1").add("secret plan")
    assert [change for change in store.state.changes(after=0) if "todo" in change.table] == []


@settings(deadline=None, max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=200))
def test_any_text_is_kept_or_refused(store: Store, title: str) -> None:
    mine = Todos(store).of("any")
    try:
        made = mine.add(title)
    except CueError as refusal:
        assert refusal.code is ErrorCode.VALIDATION
        assert not title.strip()
        return
    assert made.title == title.strip()
    assert mine.delete(Which(title=title)).title == made.title
