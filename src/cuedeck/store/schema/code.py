"""The code index: facts per blob, names, refs and their manifests."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, statement, table, vector_table
from cuedeck.store.protocol import VectorSpec
from cuedeck.store.schema import migration

CODE_VECTORS = VectorSpec("code_vectors", 384)


@migration("index", "code", 1)
def code() -> list[Step]:
    return [
        table(
            "code_blobs",
            [
                "oid text not null",
                "language text not null",
                "version integer not null",
                "size bigint not null",
                "symbols integer not null",
                "problem text",
                # 1 when its names and text are indexed: blobs read only for a comparison are not.
                "searchable integer not null",
                "facts blob not null",
            ],
            key=["oid", "language"],
            rid=True,
        ),
        # For each name the blobs that use it and those that define it, packed; one row per writing batch.
        table(
            "code_names",
            ["name text not null", "segment bigint not null", "uses blob not null", "defines blob not null"],
            key=["name", "segment"],
        ),
        table(
            "code_refs",
            [
                "name text not null",
                "kind text not null",
                "commit_id text",
                "base text",
                "merge_base text",
                "status text not null",
                "files bigint not null",
                "symbols bigint not null",
                "version integer not null",
                "indexed_at bigint not null",
                "accessed_at bigint not null",
                "problems text not null",
            ],
            key=["name"],
            rid=True,
        ),
        # A null blob hides the base's path; own is 0 where only the base has moved on.
        table(
            "code_manifest",
            ["layer bigint not null", "path text not null", "blob bigint", "own integer not null"],
            key=["layer", "path"],
        ),
        index("code_manifest", "blob"),
        table("code_choices", ["principal text not null", "ref text not null"], key=["principal"]),
        vector_table(CODE_VECTORS),
    ]


@migration("index", "code", 2)
def code_name_segments() -> list[Step]:
    return [
        # The writing batches of names: looking through all names for them takes longer than some batches.
        table("code_name_segments", ["segment bigint not null"], key=["segment"]),
        # Batches that are not known here are only folded later.
        statement(
            sqlite="INSERT INTO code_name_segments(segment) "
            "SELECT DISTINCT segment FROM code_names WHERE name <> ''"
        ),
    ]
