"""References in Java: overloads, constructors, packages across source roots, nested and static imports."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_overloads_are_told_apart_by_number_and_type(project: Project) -> None:
    written = project(
        """
        === Options.java
        class Group {}
        class Options {
            Options add(String name) { return this; } // <def text>
            Options add(char name) { return this; } // <def letter>
            Options add(Group group) { return this; } // <def group>
            Options add(String name, int count) { return this; } // <def both>
            Options add(Class<?> kind) { return this; } // <def kind>
            void use(Group g, String s) {
                add("a").add('b'); // <text> <letter>
                add(g); // <group>
                add(s); // <text>
                add("a", 2); // <both>
                add(Group.class); // <kind>
            }
        }
        """
    )
    for mark in ("text", "letter", "group", "both", "kind"):
        written.check(mark, "add")


def test_a_class_is_meant_where_its_constructor_has_the_name(project: Project) -> None:
    written = project(
        """
        === Maker.java
        class Base { // <def Base>
            Base() {}
        }
        class Maker extends Base { // <Base>
            static class Builder {
                Builder() {}
                Builder name(String n) { return this; }
                Maker build() { return null; } // <def build>
            }
            static Builder builder() { return new Builder(); }
            void use() { Maker.builder().name("x").build(); } // <build>
        }
        """
    )
    written.check("Base")
    written.check("build")


def test_a_field_and_a_method_of_one_name(project: Project) -> None:
    written = project(
        """
        === Shape.java
        class Shape {
            int size; // <def field>
            Shape size(int s) { this.size = s; return this; } // <def method> <field>
            void use(Shape other) {
                other.size(1).size(other.size); // <method> <field>
            }
        }
        """
    )
    written.check("field", "size")
    written.check("method", "size")


def test_a_test_sees_its_own_package_and_imports_nested_classes(project: Project) -> None:
    written = project(
        """
        === src/main/java/app/Helper.java
        class Helper {}
        === src/main/java/app/help/Helper.java
        public class Helper { // <def Helper>
            public static class Part { public void run() {} } // <def Part> <def run>
            public static final int MAX = 1; // <def MAX>
        }
        === src/test/java/app/help/HelperTest.java
        class HelperTest { Helper made; } // <Helper>
        === src/test/java/other/Uses.java
        import app.help.Helper.Part; // <Part>
        import static app.help.Helper.MAX; // <MAX>
        class Uses {
            int most = MAX; // <MAX>
            void f(Part part) { part.run(); } // <Part> <run>
        }
        """
    )
    for mark in ("Helper", "Part", "run", "MAX"):
        written.check(mark)
