"""The vault's questions to the documents index: filters, links, statistics."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from cuedeck.store.protocol import Row, Session

_FILE = "d.rid, d.path, d.type, d.status, d.frontmatter, d.created, d.modified, d.size"
_IN_VAULT = "d.vault = 1 AND d.kind = 'markdown'"
_TAGGED = (
    "d.rid IN (SELECT document FROM document_tags WHERE tag_key = :tag "
    "OR (tag_key >= :below AND tag_key < :beyond))"
)


@dataclass(frozen=True, slots=True)
class VaultFilter:
    """Which files; every given part must hold. Folder and tag include what is below them."""

    folder: str | None = None
    type: str | None = None
    status: str | None = None
    tag: str | None = None


@dataclass(frozen=True, slots=True)
class VaultFile:
    """A note as the vault shows it."""

    path: str
    type: str | None
    status: str | None
    frontmatter: dict[str, Any] | None
    tags: tuple[str, ...]
    created: int
    modified: int
    size: int


@dataclass(frozen=True, slots=True)
class VaultLinks:
    """Where a note leads, who leads to it, and targets that are not there."""

    outgoing: tuple[str, ...]
    incoming: tuple[str, ...]
    unresolved: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class VaultStatistics:
    """Counts over the whole vault, and the files that are not searched, each with the reason."""

    files: int
    tags: int
    links: int
    by_type: dict[str, int]
    by_status: dict[str, int]
    top_tags: tuple[tuple[str, int], ...]
    size: int
    updated: int
    left_out: tuple[tuple[str, str], ...]


def vault_files(
    session: Session, chosen: VaultFilter, *, limit: int, offset: int
) -> tuple[list[VaultFile], int]:
    """A page of the files that pass, by path, and how many pass in all."""
    where, params = _where(chosen)
    total = int(session.value(f"SELECT count(*) FROM documents d WHERE {where}", **params))  # noqa: S608
    page = session.rows(
        f"SELECT {_FILE} FROM documents d WHERE {where} ORDER BY d.path LIMIT :limit OFFSET :offset",  # noqa: S608
        **params,
        limit=limit,
        offset=offset,
    )
    return _files(session, page), total


def vault_file(session: Session, path: str) -> VaultFile | None:
    """One file of the vault."""
    sql = f"SELECT {_FILE} FROM documents d WHERE {_IN_VAULT} AND d.path = :path"  # noqa: S608 - constants
    found = _files(session, session.rows(sql, path=path))
    return found[0] if found else None


def vault_links(session: Session, path: str) -> VaultLinks:
    """The links from and to one file, each file once."""
    sql = (
        "SELECT l.resolved, l.target FROM document_links l JOIN documents d ON d.rid = l.document "
        "WHERE d.path = :path AND l.target <> '' ORDER BY l.ordinal"
    )
    own = session.rows(sql, path=path)
    # Order and vault are settled here: asked of the database, they lure it into reading every document.
    sql = (
        "SELECT path, vault FROM documents WHERE rid IN "
        "(SELECT document FROM document_links WHERE resolved = :path AND target <> '')"
    )
    incoming = sorted(row["path"] for row in session.rows(sql, path=path) if row["vault"])
    return VaultLinks(
        outgoing=tuple(sorted({row["resolved"] for row in own if row["resolved"]})),
        incoming=tuple(incoming),
        unresolved=tuple(dict.fromkeys(row["target"] for row in own if not row["resolved"])),
    )


def vault_statistics(session: Session) -> VaultStatistics:
    """Counts over the whole vault; a note without type or status is in neither grouping."""
    totals = session.row(
        f"SELECT count(*) AS files, coalesce(sum(d.size), 0) AS size FROM documents d WHERE {_IN_VAULT}"  # noqa: S608
    )
    assert totals is not None
    tags = session.rows(
        "SELECT min(t.tag) AS tag, count(*) AS times FROM document_tags t "  # noqa: S608 - constants
        f"JOIN documents d ON d.rid = t.document WHERE {_IN_VAULT} GROUP BY t.tag_key "
        "ORDER BY times DESC, min(t.tag)"
    )
    links = session.value(
        "SELECT coalesce(sum(l.times), 0) FROM document_links l "  # noqa: S608 - constants
        f"JOIN documents d ON d.rid = l.document WHERE {_IN_VAULT} AND l.kind IN ('wiki', 'embed')"
    )
    updated = session.value("SELECT value FROM document_meta WHERE name = 'updated'")
    skipped = session.rows(
        "SELECT d.path, d.skipped FROM documents d "  # noqa: S608 - constants
        f"WHERE {_IN_VAULT} AND d.skipped IS NOT NULL ORDER BY d.path"
    )
    return VaultStatistics(
        files=int(totals["files"]),
        tags=len(tags),
        links=int(links),
        by_type=_grouped(session, "type"),
        by_status=_grouped(session, "status"),
        top_tags=tuple((row["tag"], int(row["times"])) for row in tags[:10]),
        size=int(totals["size"]),
        updated=int(updated or 0),
        left_out=tuple((row["path"], row["skipped"]) for row in skipped),
    )


def _where(chosen: VaultFilter) -> tuple[str, dict[str, Any]]:
    conditions, params = [_IN_VAULT], dict[str, Any]()
    if chosen.folder:
        # '0' is the character after '/': everything below the folder, nothing beside it.
        conditions.append("d.path >= :folder AND d.path < :after_folder")
        params |= {"folder": f"{chosen.folder}/", "after_folder": f"{chosen.folder}0"}
    if chosen.type is not None:
        conditions.append("d.type = :type")
        params["type"] = chosen.type
    if chosen.status is not None:
        conditions.append("d.status = :status")
        params["status"] = chosen.status
    if chosen.tag is not None:
        conditions.append(_TAGGED)
        params |= {"tag": chosen.tag, "below": f"{chosen.tag}/", "beyond": f"{chosen.tag}0"}
    return " AND ".join(conditions), params


def _files(session: Session, found: Collection[Row]) -> list[VaultFile]:
    sql = "SELECT document, tag FROM document_tags WHERE document IN :rids ORDER BY document, tag"
    tags: dict[int, list[str]] = {}
    for row in session.rows(sql, rids=[row["rid"] for row in found]) if found else ():
        tags.setdefault(row["document"], []).append(row["tag"])
    return [
        VaultFile(
            path=row["path"],
            type=row["type"],
            status=row["status"],
            frontmatter=None if row["frontmatter"] is None else json.loads(row["frontmatter"]),
            tags=tuple(tags.get(row["rid"], ())),
            created=row["created"],
            modified=row["modified"],
            size=row["size"],
        )
        for row in found
    ]


def _grouped(session: Session, column: str) -> dict[str, int]:
    sql = (
        f"SELECT d.{column} AS name, count(*) AS times FROM documents d "  # noqa: S608 - constants
        f"WHERE {_IN_VAULT} AND d.{column} IS NOT NULL GROUP BY d.{column} ORDER BY d.{column}"
    )
    return {row["name"]: int(row["times"]) for row in session.rows(sql)}
