"""References in C#: records, attributes, namespaces, patterns, and methods that extend types."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_what_a_record_takes_are_its_properties(project: Project) -> None:
    written = project("""
        === Person.cs
        namespace Shop;
        public record Person(string Name, Address Home); // <def Name> <def Home> <Address>
        public record Address(string City); // <def Address> <def City>
        === Use.cs
        namespace Shop;
        class Use {
            string Of(Person p) => p.Name + p.Home.City; // <Name> <Home> <City>
            Person Moved(Person p) => p with { Home = null }; // <Home>
            bool Fits(Person p) => p is { Home: { City: "Ulm" }, Name: var name }; // <Home> <City> <Name>
        }
        """)
    for name in ("Name", "Home", "City", "Address"):
        written.check(name)


def test_a_class_sees_what_its_head_takes_and_gives_it_to_its_parent(project: Project) -> None:
    written = project("""
        === Job.cs
        namespace Shop;
        interface ILog { void Say(string text); } // <def Say>
        class Task(ILog log) { protected void Tell() => log.Say(""); } // <def Task> <Say>
        class Job(ILog log) : Task(log) { void Run() { log.Say("x"); } } // <Task> <Say>
        """)
    written.check("Say")
    written.check("Task")


def test_an_attribute_names_its_class_and_sets_its_properties(project: Project) -> None:
    written = project("""
        === Known.cs
        namespace Shop;
        class KnownAttribute : System.Attribute { // <def KnownAttribute>
            public string Label { get; set; } // <def Label>
        }
        class Known { } // <def Known>
        === Use.cs
        namespace Shop;
        [Known(Label = "x")] // <KnownAttribute> <Label>
        class Use {
            [KnownAttribute] Known one; // <KnownAttribute> <Known>
        }
        """)
    for name in ("KnownAttribute", "Label", "Known"):
        written.check(name)


def test_a_type_is_seen_in_its_namespace_below_it_and_where_it_is_used(project: Project) -> None:
    written = project("""
        === A/List.cs
        namespace Shop.Pages;
        public class List { } // <def List>
        === A/Other.cs
        namespace Shop.Pages.Inner;
        class Other { List list; } // <List>
        === B/Used.cs
        using Shop.Pages;
        namespace Admin;
        class Used { List list; } // <List>
        === B/Foreign.cs
        using System.Collections.Generic;
        namespace Admin;
        class Foreign { List<int> list; }
        """)
    written.check("List")


def test_a_files_own_namespace_comes_before_what_it_uses(project: Project) -> None:
    written = project("""
        === A/Constants.cs
        namespace Shop.Web;
        static class Constants { public const int One = 1; } // <def One>
        === B/Constants.cs
        namespace Shop.Core;
        public static class Constants { public const int Two = 2; } // <def Two>
        === A/Use.cs
        using Shop.Core;
        namespace Shop.Web;
        class Use { int x = Constants.One; } // <One>
        === C/Use.cs
        using Shop.Core;
        namespace Shop.Tests;
        class Use { int x = Constants.Two; } // <Two>
        """)
    written.check("One")
    written.check("Two")


def test_a_global_using_is_for_every_file(project: Project) -> None:
    written = project("""
        === Core/Clock.cs
        namespace Time.Core;
        public class Clock { } // <def Clock>
        === App/Usings.cs
        global using Time.Core;
        === App/Main.cs
        namespace Show;
        class Main { Clock clock; } // <Clock>
        """)
    written.check("Clock")


def test_a_property_is_not_called_but_a_method_that_extends_the_type_is(project: Project) -> None:
    written = project("""
        === Screen.cs
        namespace Show;
        public class Screen {
            public Screen() { }
            public int Width { get; set; } // <def Width>
            public void Draw() { } // <def Draw>
            public void Add(Column column) { }
        }
        public class Column { }
        === Extensions.cs
        namespace Show;
        public static class Extensions {
            public static Screen Width(this Screen screen, int width) { // <def Wide>
                screen.Width = width; // <Width>
                return screen;
            }
            public static void Add(this Screen screen, string name) { } // <def Add>
        }
        === Use.cs
        namespace Show;
        class Use {
            void Run() {
                var screen = new Screen().Width(60); // <Wide>
                screen.Draw(); // <Draw>
                screen.Add("name"); // <Add>
                screen.Add(new Column());
            }
        }
        """)
    written.check("Draw")
    written.check("Width")
    written.check("Wide", "Width")
    written.check("Add")


def test_what_foreign_values_have_is_not_what_extends_another_foreign_type(project: Project) -> None:
    written = project("""
        === Extensions.cs
        namespace Show;
        public static class Extensions {
            public static bool Any(this TokenList list) => true; // <def Any>
        }
        === Use.cs
        namespace Show;
        class Use { void Run(TokenList own, Other other) { own.Any(); other.Items().Any(); } } // <Any>
        class More { void Run(Other other) { other.Items().Any(); } }
        """)
    written.check("Any")


def test_values_pass_through_operators(project: Project) -> None:
    written = project("""
        === Use.cs
        namespace Show;
        class Item { public void Go() { } } // <def Go>
        class Use {
            void Run(Item a, Item b, bool c, int n) {
                var d = a ?? b;
                d.Go(); // <Go>
                var e = c ? a : b;
                e.Go(); // <Go>
                a!.Go(); // <Go>
                var f = n switch { 1 => a, _ => b };
                f.Go(); // <Go>
            }
        }
        """)
    written.check("Go")


def test_what_is_implemented_for_an_interface_alone_is_no_member_of_the_class(project: Project) -> None:
    written = project("""
        === Use.cs
        namespace Show;
        interface IInput { object Input { get; } }
        class Keys { public void Push() { } } // <def Push>
        class Screen : IInput {
            public Keys Input { get; } // <def Input>
            object IInput.Input => Input; // <Input>
        }
        class Use { void Run(Screen screen) { screen.Input.Push(); } } // <Input> <Push>
        """)
    written.check("Input")
    written.check("Push")
