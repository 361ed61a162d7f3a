"""Columns of facts and what is looked up in them."""

from __future__ import annotations

import random
from array import array

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.facts import Import, Imports, Lists, Occurrences, Scope, ScopeNames, Scopes
from cuedeck.code.languages import language_named


@pytest.mark.parametrize("code", ["B", "H", "I", "i"])
def test_a_number_is_found_in_every_row_that_holds_it_whatever_the_width(code: str) -> None:
    random.seed(code)
    # Bytes that repeat: a find between two rows must not count.
    values = [
        random.choice([0, 1, 7, 255]) if code == "B" else random.choice([0, 1, 256, 257]) for _ in range(400)
    ]
    rows = Occurrences(array(code, values))
    for number in {*values, 5}:
        assert rows.get(number) == tuple(row for row, value in enumerate(values) if value == number)
        assert rows.get(number) == rows.get(number)


def test_only_rows_that_are_kept_count_and_strange_numbers_are_nowhere() -> None:
    rows = Occurrences(array("B", [3, 3, 4]), bytes([1, 0, 1]))
    assert rows.get(3) == (0,)
    assert rows.get(-1) == rows.get(None) == rows.get(300) == ()
    assert rows.get(9, (1,)) == (1,)


def test_lists_are_cut_out_of_their_columns() -> None:
    lists = Lists(array("I", [0, 2, 2, 5]), array("I", [9, 8, 7, 6, 5]))
    assert tuple(lists) == ((), (9, 8), (), (7, 6, 5))
    assert len(lists) == 4 and lists[0] == () and lists[3] == (7, 6, 5)


def test_a_scope_lists_its_names_in_the_order_they_were_bound() -> None:
    names = ScopeNames(array("i", [0, 1, 0, 0]), array("i", [5, 6, 7, 5]))
    assert names[0] == {5: (0, 3), 7: (2,)} and list(names[0]) == [5, 7]
    assert names[1] == {6: (1,)}
    assert names[2] == {}


def test_scopes_are_made_when_they_are_asked_for() -> None:
    rows = [Scope(*range(number, number + 11)) for number in range(3)]
    scopes = Scopes(array("B", [value for column in zip(*rows, strict=True) for value in column]))
    assert scopes.count == 3 and not scopes
    assert scopes[1] == rows[1] and scopes[1] is scopes[1]
    assert [scopes[number] for number in range(3)] == rows
    for number in (-1, 3):
        with pytest.raises(IndexError):
            scopes[number]


def test_imports_are_pairs_of_their_columns() -> None:
    imports = Imports(("a", "b.c"), array("B", [0, 2]))
    assert tuple(imports) == (Import("a", 0), Import("b.c", 2))
    assert len(imports) == 2 and imports[1] == Import("b.c", 2)


def test_a_place_belongs_to_the_narrowest_definition_around_it() -> None:
    language = language_named("python")
    assert language is not None
    source = (
        b"x = 1\nclass A:\n    def f(self):\n        def g(): pass\n        g()\n    y = 2\ndef h(): pass\n"
    )
    outline = extract(source, language).outline
    for offset in range(len(source) + 1):
        around = [d for d in outline.definitions if d.start <= offset < d.end]
        found = outline.enclosing(offset)
        narrowest = min(around, key=lambda d: d.end - d.start, default=None)
        assert (outline.definitions[found] if found >= 0 else None) == narrowest
