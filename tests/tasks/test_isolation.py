"""Many users at random, crossing ids and titles: the tools answer as if everybody were alone.

`CUEDECK_ISOLATION=100x1000` runs that many users and operations each; the default is short.
"""

from __future__ import annotations

import os
import random
import unicodedata
import uuid
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import psycopg
import pytest

from cuedeck.mcp.decks.todo import TOOLS
from cuedeck.mcp.tool import Call
from cuedeck.mcp.validation import validated
from cuedeck.model.errors import CueError
from cuedeck.model.principal import ANONYMOUS, Principal
from cuedeck.store import open_store
from cuedeck.store.postgres.ddl import SCHEMA
from cuedeck.store.postgres.migrate import APP_ROLE
from cuedeck.store.protocol import Store
from cuedeck.tasks.todos import Todos, Which

USERS, OPERATIONS = map(int, os.environ.get("CUEDECK_ISOLATION", "12x20").split("x"))
WORDS = [
    "Report",
    "report",
    "REPORT 2",
    "buy milk",
    "100%",
    "a_b",
    "a%b",
    "\\",
    "straße",
    "Strasse",
    "📎",
    "x",
]
BY_NAME = {tool.name: tool for tool in TOOLS}


def call(store: Store, who: Principal, name: str, **arguments: Any) -> dict[str, Any]:
    """A tool's answer, or its error as the caller sees it."""
    tool = BY_NAME[name]
    workspace: Any = SimpleNamespace(todos=Todos(store))
    try:
        asked = validated(tool.arguments, arguments)
        value: dict[str, Any] = tool.handler(Call(workspace, who, asked)).value
    except CueError as error:
        return {"error": error.code.value, "message": error.message, **error.data}
    return value


def folded(title: str) -> str:
    return unicodedata.normalize("NFC", title.strip().casefold())


@dataclass
class Entry:
    """A todo as the model remembers it."""

    id: str
    title: str
    complete: bool = False


@dataclass
class Person:
    """One user, and the list this user must see: newest last."""

    id: str
    entries: list[Entry] = field(default_factory=list)

    def choose(self, title: str) -> list[Entry]:
        wanted = folded(title)
        exact = [entry for entry in self.entries if folded(entry.title) == wanted]
        return exact or [entry for entry in self.entries if wanted in folded(entry.title)]

    def expected_list(self, status: str, limit: int) -> tuple[list[tuple[str, str, str]], int]:
        shown = [
            (entry.id, entry.title, "complete" if entry.complete else "incomplete")
            for entry in reversed(self.entries)
            if status == "all" or entry.complete == (status == "complete")
        ]
        return shown[:limit], len(shown)


class World:
    """Everybody, doing random things on one store while the model watches."""

    def __init__(self, store: Store, users: int, seed: int) -> None:
        self.store = store
        self.chance = random.Random(seed)
        self.people = [
            Person(str(uuid.UUID(int=self.chance.getrandbits(128), version=4))) for _ in range(users)
        ]

    def act(self, person: Person) -> None:
        act = self.chance.choice(
            [self.add, self.add, self.look, self.complete, self.update, self.delete, self.pose]
        )
        act(person)

    def ask(self, person: Person, name: str, **arguments: Any) -> dict[str, Any]:
        return call(self.store, Principal(person.id), name, user_id=person.id, **arguments)

    def title(self) -> str:
        return " ".join(self.chance.choices(WORDS, k=self.chance.randint(1, 2)))

    def add(self, person: Person) -> None:
        title = self.title()
        answer = self.ask(person, "add_task", title=title, description="of " + person.id)
        assert answer["task"]["title"] == title
        person.entries.append(Entry(answer["task"]["id"], title))

    def look(self, person: Person) -> None:
        status, limit = self.chance.choice(["all", "complete", "incomplete"]), self.chance.randint(1, 100)
        answer = self.ask(person, "list_tasks", status=status, limit=limit)
        shown, total = person.expected_list(status, limit)
        assert [(task["id"], task["title"], task["status"]) for task in answer["tasks"]] == shown
        assert (answer["count"], answer["total"]) == (len(shown), total)
        assert {task["description"] for task in answer["tasks"]} <= {"of " + person.id}

    def target(self, person: Person) -> tuple[dict[str, str], list[Entry], dict[str, Any]]:
        """How a todo is named, which entries that means, and the error if it is not just one."""
        if self.chance.random() < 0.5:
            everyone = [entry.id for somebody in self.people for entry in somebody.entries]
            wanted = self.chance.choice([*everyone[-200:], str(uuid.uuid4())])
            found = [entry for entry in person.entries if entry.id == wanted]
            return {"task_id": wanted}, found, {"error": "not_found", "message": "Task not found"}
        title = (
            self.title()
            if self.chance.random() < 0.8
            else self.chance.choice(["%", "_", "e", "nothing such"])
        )
        found = person.choose(title)
        if not found:
            return {"task_title": title}, [], {"error": "not_found", "message": f"Task '{title}' not found"}
        matches = [{"id": entry.id, "title": entry.title} for entry in reversed(found)][:10]
        message = f"Multiple tasks match '{title}'. Please be more specific."
        error = {"error": "multiple_matches", "message": message, "matches": matches}
        return {"task_title": title}, found, error

    def complete(self, person: Person) -> None:
        named, found, error = self.target(person)
        mark = self.chance.random() < 0.7
        answer = self.ask(person, "complete_task", **named, mark_complete=mark)
        if len(found) == 1:
            found[0].complete = mark
            assert (answer["task"]["id"], answer["task"]["status"] == "complete") == (found[0].id, mark)
        else:
            assert answer == error

    def update(self, person: Person) -> None:
        named, found, error = self.target(person)
        title = self.title()
        answer = self.ask(person, "update_task", **named, new_title=title)
        if len(found) == 1:
            found[0].title = title
            assert (answer["task"]["id"], answer["task"]["title"]) == (found[0].id, title)
        else:
            assert answer == error

    def delete(self, person: Person) -> None:
        if self.chance.random() < 0.1:
            done = [entry for entry in person.entries if entry.complete]
            answer = self.ask(person, "delete_task", delete_all_completed=True)
            assert answer["deleted_count"] == len(done)
            person.entries = [entry for entry in person.entries if not entry.complete]
            return
        named, found, error = self.target(person)
        answer = self.ask(person, "delete_task", **named)
        if len(found) == 1:
            person.entries.remove(found[0])
            assert answer["deleted_count"] == 1
        else:
            assert answer == error

    def pose(self, person: Person) -> None:
        """Claim to be somebody else, or be nobody."""
        other = self.chance.choice([somebody for somebody in self.people if somebody is not person])
        name = self.chance.choice(list(BY_NAME))
        arguments = (
            {"title": "planted"}
            if name == "add_task"
            else {}
            if name == "list_tasks"
            else {"task_title": "x"}
        )
        for who in (Principal(person.id), ANONYMOUS):
            answer = call(self.store, who, name, user_id=other.id, **arguments)
            assert answer["error"] == "unauthorized"
            assert other.id not in str(answer)


def test_everybody_sees_only_their_own(store: Store) -> None:
    world = World(store, USERS, seed=20260315)
    schedule = [person for person in world.people for _ in range(OPERATIONS)]
    world.chance.shuffle(schedule)
    for person in schedule:
        world.act(person)
    for person in world.people:
        world.look(person)


def test_a_foreign_id_and_an_unknown_one_get_the_same_answer(store: Store) -> None:
    mine, yours = Principal(str(uuid.uuid4())), Principal(str(uuid.uuid4()))
    foreign = call(store, yours, "add_task", user_id=yours.subject, title="secret")["task"]["id"]
    for name, more in (("complete_task", {}), ("update_task", {"new_title": "y"}), ("delete_task", {})):
        answers = [
            call(store, mine, name, user_id=mine.subject, task_id=task_id, **more)
            for task_id in (foreign, str(uuid.uuid4()))
        ]
        assert answers[0] == answers[1] == {"error": "not_found", "message": "Task not found"}


@pytest.fixture
def application(postgres_url: str, workspace_id: str, tmp_path: Any) -> Iterator[psycopg.Connection[Any]]:
    """A bare connection in the application's role, inside a workspace with two users' todos."""
    opened = open_store(postgres_url, root=tmp_path, workspace_id=workspace_id)
    for user in ("ann", "bob"):
        Todos(opened).of(user).add(f"secret of {user}")
        Todos(opened).of(user).complete(Which(title="secret"))
    opened.close()
    with psycopg.connect(postgres_url) as connection:
        connection.execute(f"SET ROLE {APP_ROLE}")
        connection.execute(f"SET search_path = {SCHEMA}")
        connection.execute("SELECT set_config('cuedeck.workspace', %s, false)", (workspace_id,))
        connection.commit()
        yield connection
        connection.rollback()


def act_as(connection: psycopg.Connection[Any], user: str) -> None:
    connection.execute("SELECT set_config('cuedeck.user', %s, false)", (user,))


@pytest.mark.parametrize("table", ["todos", "todo_changes"])
def test_the_application_role_sees_one_users_rows_whatever_it_asks(
    application: psycopg.Connection[Any], table: str
) -> None:
    for user in ("ann", "bob"):
        act_as(application, user)
        rows = application.execute(f"SELECT DISTINCT user_id FROM {table}").fetchall()
        assert rows == [(user,)]
        assert application.execute(f"UPDATE {table} SET id = id WHERE user_id <> '{user}'").rowcount == 0
        assert application.execute(f"DELETE FROM {table} WHERE user_id <> '{user}'").rowcount == 0
    for nobody in ("", "' OR true --", "carl"):
        act_as(application, nobody)
        assert application.execute(f"SELECT count(*) FROM {table}").fetchone() == (0,)


def test_the_application_role_cannot_plant_or_give_away_rows(application: psycopg.Connection[Any]) -> None:
    act_as(application, "ann")
    application.commit()
    plant = (
        "INSERT INTO todos(user_id, id, title, title_key, created_at, updated_at) "
        "VALUES ('bob', 'x', 't', 't', 0, 0)"
    )
    for attempt in (plant, "UPDATE todos SET user_id = 'bob'"):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            application.execute(attempt)
        application.rollback()
        act_as(application, "ann")


@pytest.mark.parametrize(
    "attempt",
    [
        "SET ROLE postgres",
        "ALTER TABLE todos DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE todos NO FORCE ROW LEVEL SECURITY",
        "CREATE POLICY open ON todos USING (true)",
        "DROP TABLE todos",
        "SET row_security = off; SELECT * FROM todos",
        "ALTER ROLE cuedeck_app BYPASSRLS",
    ],
)
def test_the_application_role_cannot_lift_the_rule(postgres_url: str, attempt: str, application: Any) -> None:
    """A login that is only the application's role, as a deployment would have."""
    with psycopg.connect(postgres_url, autocommit=True) as admin:
        name = f"login_{uuid.uuid4().hex[:12]}"
        admin.execute(f"CREATE ROLE {name} LOGIN IN ROLE {APP_ROLE}")
        try:
            admin.execute(f"SET SESSION AUTHORIZATION {name}")
            admin.execute(f"SET search_path = {SCHEMA}")
            with pytest.raises((psycopg.errors.InsufficientPrivilege, psycopg.errors.UndefinedObject)):
                admin.execute(attempt)
        finally:
            admin.execute("RESET SESSION AUTHORIZATION")
            admin.execute(f"DROP ROLE {name}")
