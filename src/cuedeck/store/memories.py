"""The statements of the memory engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cuedeck.store.protocol import Row, Session

_FIELDS = (
    "rid, id, type, title, content, metadata, tags, project, confidence, source_task, "
    "created_at, updated_at, deleted_at"
)
_LINK = ("from_id", "to_id", "strength", "reason", "origin", "created_at")
_LINKS = f"SELECT {', '.join(_LINK)} FROM memory_links"  # noqa: S608


def find(session: Session, id: str, *, deleted: bool = False) -> Row | None:
    """A living memory, or with ``deleted`` one in any state."""
    living = "" if deleted else "AND deleted_at IS NULL"
    return session.row(f"SELECT {_FIELDS} FROM memories WHERE id = :id {living}", id=id)  # noqa: S608


def found(session: Session, id: str) -> Row:
    """A memory that is known to be there, in any state."""
    row = find(session, id, deleted=True)
    assert row is not None, id
    return row


def twin_of(session: Session, id: str) -> str | None:
    """The living memory that says what a deleted one said."""
    found = session.value(
        "SELECT other.id FROM memories AS own "
        "JOIN memories AS other ON other.duplicate_key = own.duplicate_key "
        "AND other.deleted_at IS NULL AND other.id <> own.id WHERE own.id = :id",
        id=id,
    )
    return str(found) if found is not None else None


def by_ids(session: Session, ids: Iterable[str]) -> list[Row]:
    """The living memories among these."""
    return session.rows(
        f"SELECT {_FIELDS} FROM memories WHERE id IN :ids AND deleted_at IS NULL",  # noqa: S608
        ids=list(ids),
    )


def of_task(session: Session, task_id: str) -> list[str]:
    """Memories that were made while working on a task."""
    rows = session.rows(
        "SELECT id FROM memories WHERE source_task = :task AND deleted_at IS NULL ORDER BY rid", task=task_id
    )
    return [row["id"] for row in rows]


def by_rids(session: Session, rids: Iterable[int]) -> list[Row]:
    """The living memories with these identities."""
    return session.rows(
        f"SELECT {_FIELDS} FROM memories WHERE rid IN :rids AND deleted_at IS NULL",  # noqa: S608
        rids=list(rids),
    )


def rids_of(session: Session, ids: Iterable[str]) -> set[int]:
    """The identities of these memories, in any state."""
    return {row["rid"] for row in session.rows("SELECT rid FROM memories WHERE id IN :ids", ids=list(ids))}


def ids_of(session: Session, rids: Iterable[int]) -> dict[int, str]:
    """The ids of living memories by identity."""
    found = session.rows(
        "SELECT rid, id FROM memories WHERE rid IN :rids AND deleted_at IS NULL", rids=list(rids)
    )
    return {row["rid"]: row["id"] for row in found}


def tie_breakers(session: Session, rids: Iterable[int]) -> dict[int, tuple[float, int, str]]:
    """What orders memories of equal score: confidence, age, id."""
    found = session.rows(
        "SELECT rid, id, confidence, updated_at FROM memories WHERE rid IN :rids AND deleted_at IS NULL",
        rids=list(rids),
    )
    return {row["rid"]: (-row["confidence"], -row["updated_at"], row["id"]) for row in found}


def with_duplicate_key(session: Session, key: str) -> Row | None:
    """The living memory that already says this."""
    return session.row(
        f"SELECT {_FIELDS} FROM memories WHERE duplicate_key = :key AND deleted_at IS NULL",  # noqa: S608
        key=key,
    )


def insert(session: Session, row: Mapping[str, Any]) -> int:
    """A new memory; its identity."""
    return session.insert("memories", row)


def change(session: Session, id: str, values: Mapping[str, Any]) -> None:
    """Set these columns and leave the others."""
    assigned = ", ".join(f"{column} = :{column}" for column in values)
    session.run(f"UPDATE memories SET {assigned} WHERE id = :memory_id", memory_id=id, **values)  # noqa: S608


def remove(session: Session, id: str) -> int:
    """Take the row away for good; what refers to it goes with it."""
    return session.run("DELETE FROM memories WHERE id = :id", id=id)


def deleted_before(session: Session, at: int, limit: int) -> list[Row]:
    """Memories that were deleted before a time."""
    return session.rows(
        "SELECT rid, id FROM memories WHERE deleted_at IS NOT NULL AND deleted_at < :at "
        "ORDER BY id LIMIT :limit",
        at=at,
        limit=limit,
    )


def listed(
    session: Session,
    *,
    after: str,
    limit: int,
    deleted: bool = False,
    type: str = "",
    project: str | None = None,
) -> list[Row]:
    """A page of memories in order of id."""
    state = "IS NOT NULL" if deleted else "IS NULL"
    narrowed, params = _narrowed(type, project)
    return session.rows(
        f"SELECT {_FIELDS} FROM memories WHERE deleted_at {state} AND id > :after {narrowed}"  # noqa: S608
        "ORDER BY id LIMIT :limit",
        after=after,
        limit=limit,
        **params,
    )


def newest(
    session: Session, *, limit: int, offset: int = 0, type: str = "", project: str | None = None
) -> list[Row]:
    """Living memories, the one changed last first."""
    narrowed, params = _narrowed(type, project)
    return session.rows(
        f"SELECT {_FIELDS} FROM memories WHERE deleted_at IS NULL {narrowed}"  # noqa: S608
        "ORDER BY updated_at DESC, id DESC LIMIT :limit OFFSET :offset",
        limit=limit,
        offset=offset,
        **params,
    )


def links_of(session: Session, ids: Iterable[str]) -> list[Row]:
    """Every edge that touches one of these, both ends living, strongest first."""
    wanted = list(ids)
    return session.rows(
        "SELECT l.from_id, l.to_id, l.strength, l.reason, l.origin, l.created_at FROM memory_links AS l "
        "JOIN memories AS a ON a.id = l.from_id AND a.deleted_at IS NULL "
        "JOIN memories AS b ON b.id = l.to_id AND b.deleted_at IS NULL "
        "WHERE l.from_id IN :wanted OR l.to_id IN :wanted "
        "ORDER BY l.strength DESC, l.from_id, l.to_id",
        wanted=wanted,
    )


def edges_of(session: Session, ids: Iterable[str]) -> list[Row]:
    """Every edge that touches one of these, whatever became of the other end."""
    sql = f"{_LINKS} WHERE from_id IN :wanted OR to_id IN :wanted"
    return session.rows(sql, wanted=list(ids))


def first_changes(session: Session, *, at: int, near: int, after: str, limit: int) -> list[Row]:
    """The first change after a time of each memory beyond one; what became of it up to ``near`` only."""
    return session.rows(
        """SELECT c.id, c.at, c.op, c.before, CASE WHEN c.at <= :near THEN c.after END AS after
           FROM change_log AS c JOIN (
               SELECT id, min(seq) AS seq FROM change_log
               WHERE tbl = 'memories' AND at > :at AND id > :after
               GROUP BY id ORDER BY id LIMIT :limit) AS f ON f.seq = c.seq ORDER BY c.id""",
        at=at,
        near=near,
        after=after,
        limit=limit,
    )


def links_changed_after(session: Session, at: int) -> dict[str, int]:
    """The first change of each edge after a time, by the edge's name in the log."""
    rows = session.rows(
        "SELECT id, min(seq) AS seq FROM change_log WHERE tbl = 'memory_links' AND at > :at GROUP BY id",
        at=at,
    )
    return {row["id"]: row["seq"] for row in rows}


def changes(session: Session, seqs: Iterable[int]) -> list[Row]:
    """These entries of the change log."""
    return session.rows("SELECT at, op, before, after FROM change_log WHERE seq IN :seqs", seqs=list(seqs))


def link_between(session: Session, one: str, other: str) -> Row | None:
    """The edge of a pair, whichever way it points."""
    return session.row(
        f"{_LINKS} WHERE (from_id = :one AND to_id = :other) OR (from_id = :other AND to_id = :one)",
        one=one,
        other=other,
    )


def put_link(session: Session, row: Mapping[str, Any]) -> None:
    """Write the one edge of a pair."""
    session.run(
        "DELETE FROM memory_links WHERE from_id = :other AND to_id = :one",
        one=row["from_id"],
        other=row["to_id"],
    )
    session.upsert("memory_links", row, key=["from_id", "to_id"])


def add_links(session: Session, rows: Sequence[Mapping[str, Any]]) -> None:
    """Edges of pairs that have none."""
    session.insert_many("memory_links", _LINK, ([row[name] for name in _LINK] for row in rows))


def drop_auto_links(session: Session, ids: Sequence[str]) -> None:
    """Forget what similarity had linked, because the texts are others now."""
    session.run(
        "DELETE FROM memory_links WHERE origin = 'auto' AND (from_id IN :ids OR to_id IN :ids)",
        ids=list(ids),
    )


def count_access(session: Session, id: str, at: int) -> Row:
    """One more reading of a memory."""
    session.run(
        "INSERT INTO memory_access(memory_id, count, last_at) VALUES (:id, 1, :at) "
        "ON CONFLICT (memory_id) DO UPDATE SET count = memory_access.count + 1, last_at = excluded.last_at",
        id=id,
        at=at,
    )
    return access(session, id) or {"count": 1, "last_at": at}


def access(session: Session, id: str) -> Row | None:
    """How often and when a memory was read."""
    return session.row("SELECT count, last_at FROM memory_access WHERE memory_id = :id", id=id)


def put_signatures(session: Session, id: str, pairs: Sequence[tuple[str, str]]) -> None:
    """Replace the failures that an episode is about."""
    session.run("DELETE FROM memory_signatures WHERE memory_id = :id", id=id)
    rows = ((id, signature, shape) for signature, shape in dict(pairs).items())
    session.insert_many("memory_signatures", ("memory_id", "signature", "shape"), rows)


def about_failures(session: Session, *, column: str, values: Iterable[str], limit: int) -> list[str]:
    """Ids of living memories about these signatures or shapes, newest first."""
    assert column in ("signature", "shape")
    found = session.rows(
        f"SELECT DISTINCT m.id, m.updated_at FROM memory_signatures AS s "  # noqa: S608
        "JOIN memories AS m ON m.id = s.memory_id AND m.deleted_at IS NULL "
        f"WHERE s.{column} IN :values ORDER BY m.updated_at DESC, m.id LIMIT :limit",
        values=list(values),
        limit=limit,
    )
    return [row["id"] for row in found]


def put_episode(session: Session, id: str, task_key: str | None, outcome: str) -> None:
    """What an episode was about and how it ended."""
    session.upsert(
        "memory_episodes", {"memory_id": id, "task_key": task_key, "outcome": outcome}, key=["memory_id"]
    )


def open_failures(session: Session, task_key: str, *, solution: str, at: int) -> list[tuple[str, str]]:
    """The failures a task met until a time, since an earlier episode solved what it had met before."""
    found = session.rows(
        "SELECT DISTINCT s.signature, s.shape FROM memory_episodes AS e "
        "JOIN memories AS m ON m.id = e.memory_id AND m.deleted_at IS NULL "
        "JOIN memory_signatures AS s ON s.memory_id = e.memory_id "
        "WHERE e.task_key = :task_key AND e.outcome = 'failure' AND m.created_at <= :at "
        "AND m.created_at > (SELECT coalesce(max(o.created_at), 0) FROM memory_episodes AS d "
        "JOIN memories AS o ON o.id = d.memory_id AND o.deleted_at IS NULL "
        "WHERE d.task_key = :task_key AND d.outcome = 'success' AND d.memory_id <> :solution "
        "AND o.created_at <= :at) ORDER BY s.signature LIMIT 50",
        task_key=task_key,
        solution=solution,
        at=at,
    )
    return [(row["signature"], row["shape"]) for row in found]


def count_episodes(session: Session, task_key: str) -> int:
    """How many living episodes a task has."""
    return int(
        session.value(
            "SELECT count(*) FROM memory_episodes AS e "
            "JOIN memories AS m ON m.id = e.memory_id AND m.deleted_at IS NULL WHERE e.task_key = :task_key",
            task_key=task_key,
        )
    )


def set_embedded(session: Session, model: str, hashes: Mapping[str, str]) -> None:
    """These texts of the memories have their vectors and links now; hashes by memory."""
    rows = ((id, model, text) for id, text in hashes.items())
    session.insert_many("memory_embedded", ("memory_id", "model", "content_hash"), rows, key=("memory_id",))


_INCOMPLETE = (
    "SELECT m.id FROM memories AS m LEFT JOIN memory_embedded AS e "
    "ON e.memory_id = m.id AND e.model = :model AND e.content_hash = m.content_hash "
    "WHERE m.deleted_at IS NULL AND e.memory_id IS NULL"
)


def incomplete(session: Session, model: str, *, after: str = "", limit: int = 1000) -> list[str]:
    """Living memories whose current text has no vector of this model."""
    sql = f"{_INCOMPLETE} AND m.id > :after ORDER BY m.id LIMIT :limit"
    return [row["id"] for row in session.rows(sql, model=model, after=after, limit=limit)]


def incomplete_among(session: Session, ids: Sequence[str], model: str) -> list[str]:
    """Those of these living memories whose current text has no vector of this model."""
    found = session.rows(f"{_INCOMPLETE} AND m.id IN :ids", model=model, ids=list(ids))
    return [row["id"] for row in found]


def incomplete_one(session: Session, id: str, model: str) -> bool:
    """Whether a memory still waits for its vector."""
    return bool(incomplete_among(session, [id], model))


def forget_embedded(session: Session, id: str) -> None:
    """The memory has no vector any more."""
    session.run("DELETE FROM memory_embedded WHERE memory_id = :id", id=id)


def in_log(session: Session, id: str) -> bool:
    """Whether the change log still tells of a memory."""
    found = session.value("SELECT count(*) FROM change_log WHERE tbl = 'memories' AND id = :id", id=id)
    return bool(found)


def forget_links_in_log(session: Session, id: str) -> None:
    """Remove what the change log says about the edges of a memory."""
    session.run(
        "DELETE FROM change_log WHERE tbl = 'memory_links' AND (id LIKE :first OR id LIKE :second)",
        first=f"{id}/%",
        second=f"%/{id}",
    )


def count_incomplete(session: Session, model: str) -> int:
    """How many living memories still wait for a vector of this model.

    Whoever deletes a memory or changes its text drops its ``memory_embedded`` row, so a difference is enough.
    """
    return int(
        session.value(
            "SELECT (SELECT count(*) FROM memories WHERE deleted_at IS NULL) "
            "- (SELECT count(*) FROM memory_embedded WHERE model = :model)",
            model=model,
        )
    )


def content_hashes(session: Session, ids: Iterable[str]) -> dict[str, str]:
    """The hash of each living memory's current text."""
    found = session.rows(
        "SELECT id, content_hash FROM memories WHERE id IN :ids AND deleted_at IS NULL", ids=list(ids)
    )
    return {row["id"]: row["content_hash"] for row in found}


def counts(session: Session, type: str, project: str | None) -> list[Row]:
    """Numbers and summed confidence by type and project."""
    where, params = _narrowed(type, project)
    return session.rows(
        "SELECT type, project, count(*) AS number, sum(confidence) AS confidence "  # noqa: S608
        f"FROM memories WHERE deleted_at IS NULL {where} GROUP BY type, project ORDER BY type, project",
        **params,
    )


def tag_lists(session: Session, type: str, project: str | None) -> list[Row]:
    """The distinct tag lists and how many memories carry each."""
    where, params = _narrowed(type, project)
    return session.rows(
        "SELECT tags, count(*) AS number FROM memories "  # noqa: S608
        f"WHERE deleted_at IS NULL AND tags <> '[]' {where} GROUP BY tags",
        **params,
    )


def count_links(session: Session, type: str, project: str | None) -> int:
    """Edges between living memories with an end inside the filter."""
    chosen = " AND ".join(
        ["{0}.type = :type"] * bool(type) + ["{0}.project = :project"] * (project is not None)
    )
    params = ({"type": type} if type else {}) | ({"project": project} if project is not None else {})
    where = f"WHERE ({chosen.format('a')}) OR ({chosen.format('b')})" if chosen else ""
    return int(
        session.value(
            "SELECT count(*) FROM memory_links AS l "  # noqa: S608
            "JOIN memories AS a ON a.id = l.from_id AND a.deleted_at IS NULL "
            f"JOIN memories AS b ON b.id = l.to_id AND b.deleted_at IS NULL {where}",
            **params,
        )
    )


def _narrowed(type: str, project: str | None) -> tuple[str, dict[str, str]]:
    where = ("AND type = :type " if type else "") + ("AND project = :project " if project is not None else "")
    params = ({"type": type} if type else {}) | ({"project": project} if project is not None else {})
    return where, params


def file_hash(session: Session, project: str, path: str) -> str | None:
    """The content that was last indexed of a file."""
    found = session.value(
        "SELECT file_hash FROM memory_files WHERE project = :project AND path = :path",
        project=project,
        path=path,
    )
    return str(found) if found is not None else None


def put_file(session: Session, project: str, path: str, digest: str) -> None:
    """Remember which content of a file is indexed."""
    session.upsert(
        "memory_files", {"project": project, "path": path, "file_hash": digest}, key=["project", "path"]
    )


def chunks_of(session: Session, project: str, path: str) -> list[str]:
    """The living chunks of a file."""
    found = session.rows(
        "SELECT m.id FROM memory_chunks AS c JOIN memories AS m ON m.id = c.memory_id "
        "WHERE c.project = :project AND c.path = :path AND m.deleted_at IS NULL ORDER BY m.id",
        project=project,
        path=path,
    )
    return [row["id"] for row in found]


def files_of_chunks(session: Session, ids: Sequence[str]) -> dict[str, str]:
    """Which file each of these is a chunk of."""
    rows = session.rows("SELECT memory_id, path FROM memory_chunks WHERE memory_id IN :ids", ids=list(ids))
    return {row["memory_id"]: row["path"] for row in rows}


def put_chunk(session: Session, id: str, project: str, path: str) -> None:
    """Say which file a chunk is of."""
    session.upsert("memory_chunks", {"memory_id": id, "project": project, "path": path}, key=["memory_id"])
