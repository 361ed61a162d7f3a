"""Constructors that are declared under the name of their class: each has the uses that it fits."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_in_java_by_the_type_of_what_is_given(project: Project) -> None:
    written = project(
        """
        === kit/Box.java
        package kit;
        public class Box {
            public Box(int size) {} // <def sized>
            public Box(String name) {} // <def named>
            static Box make() { return new Box(3); } // <sized>
        }
        === kit/Use.java
        package kit;
        class Use {
            Box held = new Box("a"); // <named>
            Box none = null;
        }
        """
    )
    written.check("sized", "Box")
    written.check("named", "Box")


def test_in_csharp_by_how_much_is_given(project: Project) -> None:
    written = project(
        """
        === Box.cs
        namespace Kit;
        public class Box {
            public Box() {} // <def empty>
            public Box(int size) {} // <def sized>
            static Box Make() => new Box(3); // <sized>
        }
        === Use.cs
        namespace Kit;
        class Use {
            Box none = new Box(); // <empty>
            Box missing = null;
        }
        """
    )
    written.check("sized", "Box")
    written.check("empty", "Box")
