"""What a state database was made with never changes: an edited migration would lock its owner out."""

from __future__ import annotations

from cuedeck.store.schema import migrations

# To change a table, register another number and add its line.
KEPT = {
    ("changes", 1): "99164d7bdd291523",
    ("memories", 1): "9891ad69c5a328c7",
    ("memory_citations", 1): "42bdf2f19b05961d",
    ("runs", 1): "6c694dca3727c0f0",
    ("tasks", 1): "44d9c7aa171480d7",
    ("tasks", 2): "124cde8e0c461bfb",
    ("todos", 1): "ce38e1301d6cd948",
    ("workflow_records", 1): "e3a9b788d04e80ec",
}


def test_migrations_of_the_state_stay_as_they_were() -> None:
    assert {(made.domain, made.number): made.digest for made in migrations("state")} == KEPT
