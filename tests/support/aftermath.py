"""After a fault: is the store sound, is every promise kept, does the change log replay to the state?"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mixed_load import USER, Promises

from cuedeck.store import open_store
from cuedeck.store.ddl import Table
from cuedeck.store.protocol import Database, Store
from cuedeck.store.schema import migrations
from cuedeck.tasks.cards import Cards


def aftermath(root: Path, promised: Promises, *, url: str | None = None, workspace: str = "") -> list[str]:
    """Everything that is wrong, in words."""
    store = open_store(url, root=root, workspace_id=workspace or "w")
    try:
        problems = store.state.check() + store.index.check()
        return problems + lost(store, root, promised) + replay(store.state)
    finally:
        store.close()


def lost(store: Store, root: Path, promised: Promises) -> list[str]:
    """What was acknowledged and is not there."""
    with store.state.read(user=USER) as session:
        there = {
            "memory": {row["id"] for row in session.rows("SELECT id FROM memories")},
            "todo": {row["id"] for row in session.rows("SELECT id FROM todos WHERE user_id = :u", u=USER)},
            "task": {row["id"] for row in session.rows("SELECT id FROM agent_tasks")},
            "run": {row["id"] for row in session.rows("SELECT id FROM runs")},
        }
    there["card"] = {card.id for card in Cards(root, lock_timeout=10).list()}
    kinds = {
        "memory": promised.memories,
        "todo": promised.todos,
        "task": promised.tasks,
        "run": promised.runs,
        "card": promised.cards,
    }
    return [
        f"{kind} {id} was acknowledged and is lost"
        for kind in kinds
        for id in kinds[kind]
        if id not in there[kind]
    ]


def replay(state: Database) -> list[str]:
    """Where the change log, applied from its beginning, does not give the rows that are there."""
    told: dict[str, dict[str, Any]] = {}
    after = 0
    while batch := state.changes(after=after, limit=5000):
        for change in batch:
            rows = told.setdefault(change.table, {})
            if change.after is None:
                rows.pop(change.id, None)
            else:
                rows[change.id] = change.after
        after = batch[-1].seq
    problems = []
    for step in (step for made in migrations("state") for step in made.steps):
        if isinstance(step, Table) and step.audited:
            problems += _differences(state, step, told.get(step.name, {}))
    return problems


def _differences(state: Database, table: Table, told: dict[str, Any]) -> list[str]:
    with state.read() as session:
        rows = session.rows(f"SELECT * FROM {table.name}")
    real = {"/".join(str(row[part]) for part in table.key): row for row in rows}
    problems = [f"{table.name} {id}: in the log only" for id in told.keys() - real.keys()]
    problems += [f"{table.name} {id}: not in the log" for id in real.keys() - told.keys()]
    for id in told.keys() & real.keys():
        wrong = [
            name for name, value in told[id].items() if name in real[id] and not _same(value, real[id][name])
        ]
        problems += [f"{table.name} {id}: {name} differs from the log" for name in wrong]
    return problems


def _same(one: Any, other: Any) -> bool:
    if isinstance(one, float) or isinstance(other, float):
        return one is not None and other is not None and abs(one - other) < 1e-9
    return bool(one == other)
