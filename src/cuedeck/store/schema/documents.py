"""The documents index: files, their searchable pieces, tags, links, names, and what happened to them."""

from __future__ import annotations

from cuedeck.store.ddl import Step, index, statement, table, text_index, vector_table
from cuedeck.store.protocol import TextSpec, VectorSpec
from cuedeck.store.schema import migration

DOCUMENT_TEXT = TextSpec("document_text", (("name", 3.0), ("headings", 2.5), ("symbols", 2.5), ("body", 1.0)))
DOCUMENT_VECTORS = VectorSpec("document_vectors", 384)


@migration("index", "documents", 1)
def documents() -> list[Step]:
    return [
        table(
            "documents",
            [
                "path text not null",
                "kind text not null",
                "vault integer not null",
                "size bigint not null",
                "mtime_ns bigint not null",
                "ctime_ns bigint not null",
                "hash text not null",
                "shape text not null",
                "created bigint not null",
                "modified bigint not null",
                "type text",
                "status text",
                "frontmatter text",
                "anchors text not null",
                "problem text",
                "problem_line integer",
                "skipped text",
            ],
            key=["path"],
            rid=True,
        ),
        index("documents", "vault", "kind", "path"),
        table(
            "document_chunks",
            [
                "document bigint not null",
                "ordinal integer not null",
                "anchor integer not null",
                "first_byte bigint not null",
                "last_byte bigint not null",
                "line integer not null",
                "last_line integer not null",
                "digest text not null",
                "model text",
            ],
            key=["document", "ordinal"],
            rid=True,
        ),
        index("document_chunks", "model"),
        table(
            "document_tags",
            ["document bigint not null", "tag text not null", "tag_key text not null"],
            key=["tag_key", "document"],
        ),
        index("document_tags", "document"),
        table(
            "document_links",
            [
                "document bigint not null",
                "ordinal integer not null",
                "kind text not null",
                "target text not null",
                "anchor text",
                "line integer not null",
                "times integer not null",
                "target_key text not null",
                "resolved text",
            ],
            key=["document", "ordinal"],
        ),
        index("document_links", "target_key"),
        index("document_links", "resolved"),
        table(
            "document_names",
            ["document bigint not null", "name_key text not null", "alias integer not null"],
            key=["name_key", "document", "alias"],
        ),
        index("document_names", "document"),
        table(
            "document_events",
            [
                "id text not null",
                "at bigint not null",
                "path text not null",
                "event text not null",
                "hash text",
            ],
            key=["id"],
            rid=True,
        ),
        table("document_meta", ["name text not null", "value text not null"], key=["name"]),
        text_index(DOCUMENT_TEXT),
        vector_table(DOCUMENT_VECTORS),
    ]


@migration("index", "documents", 2)
def larger_batches() -> list[Step]:
    # What this set belonged to another form of the text index; an index that has it is made anew.
    return []


@migration("index", "documents", 3)
def shorter_passages() -> list[Step]:
    # Vectors of longer passages are made again, in the background; their identities are taken over.
    return [statement(sqlite="UPDATE document_chunks SET model = NULL")]


@migration("index", "documents", 4)
def spaces() -> list[Step]:
    # How the passages of a model lie, and of how many that was learnt.
    columns = ["model text not null", "passages bigint not null", "space blob not null"]
    return [table("document_spaces", columns, key=["model"])]


@migration("index", "documents", 5)
def token_counts() -> list[Step]:
    # By content, so that a count never has to be taken back.
    columns = ["hash text not null", "tokens bigint not null"]
    return [table("document_tokens", columns, key=["hash"], rid=True)]
