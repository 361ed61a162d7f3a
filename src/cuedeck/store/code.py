"""The code domain's statements."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from cuedeck.store.code_names import BlobNames, drop_names, merge_segments, put_names
from cuedeck.store.code_words import BlobWords, drop_words, fold_all, put_words

if TYPE_CHECKING:
    from cuedeck.store.protocol import Row, Session


class BlobRow(NamedTuple):
    """One blob's facts as stored."""

    rid: int
    oid: str
    language: str
    symbols: int
    problem: str | None
    searchable: bool


class NewBlob(NamedTuple):
    """Facts to store, with what makes them searchable."""

    oid: str
    language: str
    version: int
    size: int
    symbols: int
    problem: str | None
    facts: bytes
    uses: Collection[str]
    defines: Collection[str]
    words: BlobWords


class RefRow(NamedTuple):
    """One indexed ref."""

    rid: int
    name: str
    kind: str
    commit_id: str | None
    base: str | None
    merge_base: str | None
    status: str
    files: int
    symbols: int
    version: int
    indexed_at: int
    accessed_at: int
    problems: tuple[tuple[str, str], ...]


def _ref(row: Row) -> RefRow:
    problems = tuple((path, reason) for path, reason in json.loads(row.pop("problems")))
    return RefRow(problems=problems, **row)


_REF = (
    "SELECT rid, name, kind, commit_id, base, merge_base, status, files, symbols, version, indexed_at, "
    "accessed_at, problems FROM code_refs"
)


def refs(session: Session) -> list[RefRow]:
    """Every ref, by name."""
    return [_ref(row) for row in session.rows(f"{_REF} ORDER BY name")]


def ref(session: Session, name: str) -> RefRow | None:
    """One ref."""
    row = session.row(f"{_REF} WHERE name = :name", name=name)
    return None if row is None else _ref(row)


def put_ref(session: Session, name: str, **fields: Any) -> int:
    """Add or change a ref; its identity."""
    known = session.value("SELECT rid FROM code_refs WHERE name = :name", name=name)
    if "problems" in fields:
        fields["problems"] = json.dumps(fields["problems"])
    if known is None:
        row = {
            "name": name,
            "kind": "branch",
            "commit_id": None,
            "base": None,
            "merge_base": None,
            "status": "active",
            "files": 0,
            "symbols": 0,
            "version": 0,
            "indexed_at": 0,
            "accessed_at": 0,
            "problems": "[]",
            **fields,
        }
        session.insert("code_refs", row)
        return int(session.value("SELECT rid FROM code_refs WHERE name = :name", name=name))
    changes = ", ".join(f"{column} = :{column}" for column in fields)
    session.run(f"UPDATE code_refs SET {changes} WHERE name = :name", name=name, **fields)  # noqa: S608
    return int(known)


def touch_ref(session: Session, name: str, at: int) -> None:
    """Remember that a ref was asked for."""
    session.run("UPDATE code_refs SET accessed_at = :at WHERE name = :name", name=name, at=at)


def manifest(session: Session, layer: int) -> dict[str, tuple[int | None, bool]]:
    """A layer's paths, each with its blob and whether the ref itself changed it."""
    rows = session.rows("SELECT path, blob, own FROM code_manifest WHERE layer = :layer", layer=layer)
    return {row["path"]: (row["blob"], bool(row["own"])) for row in rows}


def manifest_blobs(
    session: Session, layer: int, *, most: bool
) -> list[tuple[str, int | None, bool, tuple[str, str]]]:
    """A layer's paths in order, each with its blob, whether the ref itself changed it, object and language.

    ``most`` says that the layer holds most of the blobs there are: then all are read, from the index over
    objects alone, which is far less than their rows with the facts.
    """
    rows = session.rows(
        "SELECT path, blob, own FROM code_manifest WHERE layer = :layer ORDER BY path", layer=layer
    )
    sql = "SELECT rid, oid, language FROM code_blobs"
    if most:
        blobs = session.rows(sql)
    else:
        wanted = sorted({row["blob"] for row in rows if row["blob"] is not None})
        blobs = session.rows(f"{sql} WHERE rid IN :rids", rids=wanted)
    known = {row["rid"]: (row["oid"], row["language"]) for row in blobs}
    none = ("", "")
    return [(row["path"], row["blob"], bool(row["own"]), known.get(row["blob"], none)) for row in rows]


def write_manifest(
    session: Session, layer: int, put: Mapping[str, tuple[int | None, bool]], drop: Collection[str]
) -> None:
    """Change some paths of a layer."""
    session.run_many(
        "DELETE FROM code_manifest WHERE layer = :layer AND path = :path",
        ({"layer": layer, "path": path} for path in drop),
    )
    session.insert_many(
        "code_manifest",
        ("layer", "path", "blob", "own"),
        ((layer, path, blob, int(own)) for path, (blob, own) in sorted(put.items())),
        key=("layer", "path"),
    )


def outdate(session: Session, names: Collection[str]) -> None:
    """Have what some refs hold read anew, and every ref looked at again, as any may share their blobs."""
    session.run(
        "UPDATE code_blobs SET version = 0 WHERE rid IN (SELECT blob FROM code_manifest JOIN code_refs "
        "ON code_refs.rid = code_manifest.layer WHERE code_refs.name IN :names)",
        names=sorted(names),
    )
    session.run("UPDATE code_refs SET version = 0")


def outdate_blobs(session: Session, oids: Collection[str]) -> None:
    """Have some blobs read anew, and every ref looked at again, as any may hold them."""
    session.run("UPDATE code_blobs SET version = 0 WHERE oid IN :oids", oids=list(oids))
    session.run("UPDATE code_refs SET version = 0")


def drop_ref(session: Session, name: str) -> None:
    """Forget a ref and its layer."""
    layer = "(SELECT rid FROM code_refs WHERE name = :name)"
    session.run(f"DELETE FROM code_manifest WHERE layer = {layer}", name=name)  # noqa: S608
    session.run("DELETE FROM code_refs WHERE name = :name", name=name)


# -- blobs


def known_blobs(session: Session, version: int, oids: Collection[str]) -> dict[tuple[str, str], BlobRow]:
    """Those of the blobs whose facts are stored in this version."""
    rows = session.rows(
        "SELECT rid, oid, language, symbols, problem, searchable FROM code_blobs "
        "WHERE oid IN :oids AND version = :version",
        oids=list(oids),
        version=version,
    )
    return {
        (row["oid"], row["language"]): BlobRow(**{**row, "searchable": bool(row["searchable"])})
        for row in rows
    }


def facts(session: Session, rids: Collection[int]) -> dict[int, bytes]:
    """Packed facts by blob."""
    rows = session.rows("SELECT rid, facts FROM code_blobs WHERE rid IN :rids", rids=list(rids))
    return {row["rid"]: bytes(row["facts"]) for row in rows}


def put_blobs(
    session: Session, blobs: Sequence[NewBlob], *, searchable: bool
) -> dict[tuple[str, str], BlobRow]:
    """Store facts; names and text too when they are to be searched."""
    made: dict[tuple[str, str], BlobRow] = {}
    blobs = list({(blob.oid, blob.language): blob for blob in blobs}.values())
    drop_blobs(session, _of_other_versions(session, blobs))
    for blob in blobs:
        rid = session.insert(
            "code_blobs",
            {
                "oid": blob.oid,
                "language": blob.language,
                "version": blob.version,
                "size": blob.size,
                "symbols": blob.symbols,
                "problem": blob.problem,
                "searchable": int(searchable),
                "facts": blob.facts,
            },
        )
        made[blob.oid, blob.language] = BlobRow(
            rid, blob.oid, blob.language, blob.symbols, blob.problem, searchable
        )
    if searchable:
        _put_text(session, [(made[blob.oid, blob.language].rid, blob) for blob in blobs])
    return made


def _of_other_versions(session: Session, blobs: Sequence[NewBlob]) -> list[int]:
    """What is stored of the same blobs, in whatever version."""
    keys = {(blob.oid, blob.language) for blob in blobs}
    sql = "SELECT rid, oid, language FROM code_blobs WHERE oid IN :oids"
    rows = session.rows(sql, oids=[oid for oid, _ in keys])
    return [row["rid"] for row in rows if (row["oid"], row["language"]) in keys]


def index_blobs(session: Session, blobs: Sequence[tuple[int, NewBlob]]) -> None:
    """Make blobs findable by name and text whose facts are stored."""
    _put_text(session, blobs)
    session.run("UPDATE code_blobs SET searchable = 1 WHERE rid IN :rids", rids=[rid for rid, _ in blobs])


def _put_text(session: Session, blobs: Sequence[tuple[int, NewBlob]]) -> None:
    if not blobs:
        return
    put_names(session, [BlobNames(rid, blob.uses, blob.defines) for rid, blob in blobs])
    put_words(session, [(rid, blob.words) for rid, blob in blobs])


def drop_unused(session: Session, rids: Collection[int]) -> None:
    """Forget those of the blobs that no manifest holds."""
    rows = session.rows("SELECT DISTINCT blob FROM code_manifest WHERE blob IN :rids", rids=list(rids))
    drop_blobs(session, set(rids).difference(row["blob"] for row in rows))


def unreferenced(session: Session) -> list[int]:
    """Blobs that no manifest holds."""
    rows = session.rows(
        "SELECT rid FROM code_blobs WHERE NOT EXISTS "
        "(SELECT 1 FROM code_manifest WHERE code_manifest.blob = code_blobs.rid) ORDER BY rid"
    )
    return [row["rid"] for row in rows]


def drop_blobs(session: Session, rids: Collection[int]) -> None:
    """Forget blobs with their names and text; name rows that still list them are cleaned when merged."""
    if rids:
        session.run("DELETE FROM code_blobs WHERE rid IN :rids", rids=list(rids))
        drop_names(session, rids)
        drop_words(session, rids)


def compact(session: Session) -> None:
    """Write the lists of names and words anew, without blobs that are gone."""
    merge_segments(session, most=0)
    fold_all(session)


# -- choices


def chosen_ref(session: Session, principal: str) -> str | None:
    """The ref a caller switched to."""
    found = session.value("SELECT ref FROM code_choices WHERE principal = :principal", principal=principal)
    return None if found is None else str(found)


def choose_ref(session: Session, principal: str, name: str | None) -> None:
    """Remember or forget the ref a caller switched to."""
    if name is None:
        session.run("DELETE FROM code_choices WHERE principal = :principal", principal=principal)
    else:
        session.upsert("code_choices", {"principal": principal, "ref": name}, key=["principal"])
