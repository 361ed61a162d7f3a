"""What takes too much memory goes, the oldest first."""

from __future__ import annotations

from cuedeck.code.held import Held


def test_the_oldest_go_when_all_take_too_much() -> None:
    held: Held[str, int] = Held(100)
    for number, key in enumerate("abc"):
        held.put(key, number, 40)
    assert list(held) == ["b", "c"]
    assert held.weight == 80


def test_a_value_put_again_is_the_newest_and_weighs_what_it_weighs_now() -> None:
    held: Held[str, int] = Held(100)
    held.put("a", 1, 40)
    held.put("b", 2, 40)
    held.put("a", 3, 60)
    assert (list(held), held.values["a"], held.weight) == (["b", "a"], 3, 100)


def test_the_newest_stays_however_large_it_is() -> None:
    held: Held[str, int] = Held(100)
    held.put("a", 1, 40)
    held.put("b", 2, 400)
    assert list(held) == ["b"]
    held.drop(["b", "unknown"])
    assert (list(held), held.weight) == ([], 0)
