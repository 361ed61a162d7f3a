"""Functions without a name take what is handed to them, in C#, Java and Rust."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_csharp_lambdas_and_queries(project: Project) -> None:
    written = project(
        """
        === User.cs
        namespace Shop;
        public class User {
            public string Name { get; set; }  // <def Name>
            public List<Order> Orders { get; set; }
        }
        public class Order {
            public int Total { get; set; }  // <def Total>
        }
        === Report.cs
        namespace Shop;
        public class Report {
            private readonly DbSet<User> known;
            public void Run(IEnumerable<User> users) {
                var names = users.Where(u => u.Name != null)  // <Name>
                    .OrderBy(u => u.Name)  // <Name>
                    .Select(u => u.Orders.Sum(o => o.Total));  // <Total>
                var first = known.FirstOrDefault(u => u.Name == "a");  // <Name>
                users.Select(u => { return u.Orders.First(); }).Any(o => o.Total > 1);  // <Total>
                Each(users, u => u.Name.Trim());  // <Name>
                Each(users, delegate(User u) { u.Name.Trim(); });  // <Name>
                var query = from u in users
                            from o in u.Orders
                            where o.Total > 3  // <Total>
                            select u.Name;  // <Name>
                Other(u => u.Name);
            }
            private void Each<T>(IEnumerable<T> all, Action<T> act) { }
        }
        """
    )
    written.check("Name")
    written.check("Total")


def test_java_lambdas(project: Project) -> None:
    written = project(
        """
        === src/main/java/shop/User.java
        package shop;
        public class User {
            public String name() { return ""; }  // <def name>
        }
        === src/main/java/shop/Report.java
        package shop;
        import java.util.List;
        import java.util.function.Consumer;
        public class Report {
            void run(List<User> users, Consumer<User> other) {
                users.stream().filter(u -> u.name() != null)  // <name>
                    .forEach(u -> {
                        u.name();  // <name>
                    });
                users.sort((a, b) ->
                    a.name().compareTo(  // <name>
                        b.name()));  // <name>
                each(u -> u.name());  // <name>
                foreign(u -> u.name());
            }
            void each(Consumer<User> act) { }
        }
        """
    )
    written.check("name")


def test_rust_closures(project: Project) -> None:
    written = project(
        """
        === src/lib.rs
        pub struct User {
            pub name: String,  // <def name>
        }
        pub fn run(users: Vec<User>, one: Option<User>) {
            let all = users.iter().filter(|u| u.name.is_empty());  // <name>
            one.map(|u| u.name);  // <name>
            users.iter().any(|&u| u.name == "a");  // <name>
            other(|u| u.name);
        }
        """
    )
    written.check("name")


def test_items_of_lists_and_dictionaries_by_their_index(project: Project) -> None:
    written = project(
        """
        === User.cs
        class User { public string Name; } // <def Name>
        === Report.cs
        using System.Collections.Generic;
        class Report {
            List<User> users; Dictionary<string, User> byName; User[] all;
            string First() { return users[0].Name + byName["a"].Name; } // <Name>
            string Last() => all[^1].Name; // <Name>
        }
        """
    )
    written.check("Name")


def test_type_parameters_of_classes_and_what_constructors_are_given(project: Project) -> None:
    written = project(
        """
        === Rules.cs
        using System;
        public class Person {
            public string Name; // <def Name>
            public Address Address { get; set; } // <def at> <type>
        }
        public class Address { public string Line; } // <def Line> <def type>
        public interface INamed { string Label { get; } } // <def Label>
        public abstract class Base<T> {
            public void RuleFor<P>(Expression<Func<T, P>> what) { }
        }
        public class Inline<T> : Base<T> {
            public Inline(params Action<Inline<T>>[] all) { }
        }
        public class Config { public Config(Action<IConfig> configure) { } }
        public interface IConfig { void Map(); } // <def Map>
        public class Uses {
            void All(Inline<Person> inline) {
                inline.RuleFor(x => x.Name); // <Name>
                inline.RuleFor(x => x.Address.Line); // <at> <Line>
                new Inline<Person>(one => one.RuleFor(x => x.Name)); // <Name>
                var config = new Config(c => c.Map()); // <Map>
            }
            string Say<T>(T named) where T : INamed { return named.Label; } // <Label>
            Config Make() => new(c => c.Map()); // <Map>
            Config Again() { return new(c => c.Map()); } // <Map>
        }
        """
    )
    for name in ("Name", "Line", "Label", "Map"):
        written.check(name)
    written.check("at", "Address")
    written.check("type", "Address")
