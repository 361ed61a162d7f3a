"""One SQL text, spelt for each engine."""

from __future__ import annotations

import pytest

from cuedeck.store.portable import for_postgres, for_sqlite


@pytest.mark.parametrize(
    ("sql", "sqlite", "postgres"),
    [
        ("SELECT :a", "SELECT :a", "SELECT %(a)s"),
        ("x IN :ids", "x IN (SELECT value FROM json_each(:ids))", "x = ANY(%(ids)s)"),
        ("x not in :ids", "x not IN (SELECT value FROM json_each(:ids))", "x <> ALL(%(ids)s)"),
        ("SELECT ':a' || '%'", "SELECT ':a' || '%'", "SELECT ':a' || '%%'"),
        ('SELECT ":a"', 'SELECT ":a"', 'SELECT ":a"'),
        ("SELECT 'it''s :a' || :b", "SELECT 'it''s :a' || :b", "SELECT 'it''s :a' || %(b)s"),
        ("a % 2", "a % 2", "a %% 2"),
        ("CAST(:a AS text)::int", "CAST(:a AS text)::int", "CAST(%(a)s AS text)::int"),
        ("-- :a\n:b /* :c */", "-- :a\n:b /* :c */", "-- :a\n%(b)s /* :c */"),
        (
            "on conflict (a, b) DO NOTHING",
            "on conflict (a, b) DO NOTHING",
            "ON CONFLICT (workspace_id, a, b) DO NOTHING",
        ),
        ("ON CONFLICT DO NOTHING", "ON CONFLICT DO NOTHING", "ON CONFLICT DO NOTHING"),
        (":a IS NULL OR :a IS NOT NULL", ":a IS NULL OR :a IS NOT NULL", "%(a__null)s OR NOT %(a__null)s"),
    ],
)
def test_portable_sql(sql: str, sqlite: str, postgres: str) -> None:
    assert for_sqlite(sql) == sqlite
    assert for_postgres(sql) == postgres
