"""Java: overloads for what is boxed."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_what_is_boxed_is_taken_as_an_object_before_it_is_unboxed(project: Project) -> None:
    written = project(
        """
        === a/List.java
        package a;
        class List {
            void put(double value) { put(Double.valueOf(value)); } // <def double> <object>
            void put(int value) { put(Integer.valueOf(value)); } // <def int> <object>
            void put(Object value) { } // <def object>
            void get(int value) { } // <def get>
            void get(String value) { }
            void use(Boolean flag) {
                put(1); // <int>
                put(1.5); // <double>
                put(flag); // <object>
                get(Integer.valueOf(1)); // <get>
            }
        }
        """
    )
    for mark in ("double", "int", "object"):
        written.check(mark, "put")
    written.check("get")
