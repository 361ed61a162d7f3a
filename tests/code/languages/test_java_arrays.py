"""Overloads of Java that take arrays."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_arrays_are_nothing_else_and_fill_what_takes_any_number(project: Project) -> None:
    written = project(
        """
        === Sums.java
        class Money implements Provider {}
        interface Provider {}
        class Sums {
            static void total(Provider... all) {} // <def many>
            static void total(Iterable<? extends Provider> all) {}
            static void told(Object[] all, Object[] none) {}
            static void told(Object one, Object none) {} // <def one>
            void use(String name, Money[] list) {
                total(list); // <many>
                var made = new Money[] {null};
                total(made); // <many>
                told(name, name); // <one>
            }
        }
        """
    )
    written.check("many", "total")
    written.check("one", "told")
