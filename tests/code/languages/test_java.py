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


def test_overloads_that_take_any_number_of_arguments(project: Project) -> None:
    written = project(
        """
        === Code.java
        import outside.Mark;
        class Block {}
        class Code {
            Code add(String format, Object... values) { return this; } // <def format>
            Code add(Block block) { return this; } // <def block>
            Code add(String format, String value) { return this; } // <def pair>
            Code mark(Iterable<Mark> marks) { return this; } // <def marks>
            Code mark(Mark... marks) { return this; } // <def each>
            void use(Block b) {
                mark(Mark.FINAL); // <each>
                add("a").add(b); // <format> <block>
                add("a", 1, 2); // <format>
                add("a", "b"); // <pair>
            }
        }
        """
    )
    for mark in ("format", "block", "pair"):
        written.check(mark, "add")
    for mark in ("marks", "each"):
        written.check(mark, "mark")


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
        import app.help.Helper.Part; // <Part> <Helper>
        import static app.help.Helper.MAX; // <MAX> <Helper>
        class Uses {
            int most = MAX; // <MAX>
            void f(Part part) { part.run(); } // <Part> <run>
        }
        """
    )
    for mark in ("Helper", "Part", "run", "MAX"):
        written.check(mark)


def test_heirs_of_foreign_containers_hold_what_those_hold(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Row.java
        package a;
        class Row { String text() { return ""; } } // <def text>
        === src/main/java/a/Nodes.java
        package a;
        import java.util.ArrayList;
        class Nodes<T> extends ArrayList<T> { }
        === src/main/java/a/Rows.java
        package a;
        class Rows extends Nodes<Row> { }
        === src/main/java/a/Use.java
        package a;
        class Use {
            void use(Rows rows) {
                rows.get(1).text(); // <text>
                for (var row : rows) row.text(); // <text>
            }
        }
        """
    )
    written.check("text")


def test_an_heir_that_overloads_a_method_does_not_hide_the_others(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Element.java
        package a;
        class Element {
            String text() { return ""; } // <def none>
            Element text(String given) { return this; } // <def one>
        }
        === src/main/java/a/Document.java
        package a;
        class Document extends Element {
            Element text(String given) { return null; } // <def own>
        }
        === src/main/java/a/Use.java
        package a;
        class Use {
            void use(Document doc, Element element) {
                doc.text(); // <none>
                doc.text("x"); // <own>
                element.text("x" + element.text()); // <one> <none>
            }
        }
        """
    )
    written.check("none", "text")
    written.check("one", "text")
    written.check("own", "text")


def test_constants_with_bodies_and_anonymous_classes_have_members_of_their_own(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/State.java
        package a;
        enum State {
            First {
                void read() { rest(); } // <first>
                private void rest() { } // <def first>
            },
            Second {
                void read() { rest(); } // <second>
                private void rest() { } // <def second>
            };
            abstract void read(); // <def read>
        }
        class Use {
            void rest() { } // <def outer>
            void use(State state) {
                state.read(); // <read>
                new Runnable() {
                    public void run() { rest(); other(); } // <outer> <other>
                    void other() { } // <def other>
                };
            }
        }
        """
    )
    for mark in ("first", "second", "outer"):
        written.check(mark, "rest")
    written.check("read")
    written.check("other")


def test_a_type_a_field_a_local_and_a_method_may_share_a_name(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Server.java
        package a;
        class Server {
            static final Origin Origin = new Origin(); // <Type>
            static Origin origin() { return Origin; } // <Type> <Field>
            static class Origin { void url() { } } // <def url>
            Origin client() { return null; } // <def client> <Type>
            void use() {
                Origin client = client(); // <client> <Type>
                origin().url(); // <url>
                client.url(); // <url>
            }
        }
        """
    )
    written.check("url")
    written.check("client")


def test_imports_name_the_classes_around_and_types_may_name_their_package(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/b/Outer.java
        package a.b;
        public class Outer { // <def Outer>
            public static class Inner { }
            public static void help() { } // <def help>
        }
        === src/main/java/c/Use.java
        package c;
        import a.b.Outer.Inner; // <Outer>
        import static a.b.Outer.help; // <Outer> <help>
        class Use {
            a.b.Outer full; // <Outer>
            void use() { help(); } // <help>
        }
        """
    )
    written.check("Outer")
    written.check("help")


def test_overloads_are_chosen_by_what_a_value_can_be(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Json.java
        package a;
        import java.math.BigInteger;
        import java.util.Date;
        class Json { }
        class Text extends Json { }
        class Other { }
        class Writer {
            void put(Object any) { } // <def any>
            void put(Json json) { } // <def json>
            void value(long number) { } // <def long>
            void value(double number) { } // <def double>
            void value(Number number) { } // <def number>
            void value(boolean flag) { } // <def flag>
            void value(String text) { } // <def text>
            void use(Date date, Text text) {
                put(date); // <any>
                put(new Other()); // <any>
                put(unknown()); // <any>
                put(text); // <json>
                value(1); // <long>
                value(1.5); // <double>
                value(2L); // <long>
                value(new BigInteger("7")); // <number>
                value((Boolean) null); // <flag>
                value("a" + 1); // <text>
            }
        }
        """
    )
    for mark in ("any", "json"):
        written.check(mark, "put")
    for mark in ("long", "double", "number", "flag", "text"):
        written.check(mark, "value")


def test_kotlin_and_java_name_each_other_by_their_imports(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Outer.java
        package a;
        import k.Helper; // <Helper>
        public class Outer {
            public static class Spec { // <def Spec>
                public void run() { } // <def run>
            }
            void use(Helper helper) { helper.assist(); } // <Helper> <assist>
        }
        === src/main/kotlin/k/Helper.kt
        package k
        import a.Outer.Spec // <Spec>
        import other.lib.Spec as Foreign
        class Helper(val spec: Spec) { // <def Helper> <Spec>
            fun assist() { spec.run() } // <def assist> <run>
            fun foreign(it: Foreign) { }
        }
        """
    )
    for name in ("Spec", "run", "Helper", "assist"):
        written.check(name)


def test_what_is_of_another_kind_of_language_is_not_even_possible(project: Project) -> None:
    written = project(
        """
        === src/main/java/a/Made.java
        package a;
        interface Made { void create(); } // <def create>
        === web/widget.js
        function begin(widget) { widget.create(); }
        """
    )
    written.check("create")
    assert written.possible("create") == set()


def test_overloads_are_told_apart_by_what_their_arrays_hold(project: Project) -> None:
    written = project(
        """
        === Tools.java
        class Tools {
            static int size(byte[] many) { return many.length; } // <def bytes>
            static int size(int[] many) { return many.length; } // <def ints>
            static int size(Object[] many) { return many.length; } // <def objects>
            static int size(int one) { return one; } // <def one>
            static int all(byte... many) { return 1; } // <def all_bytes>
            static int all(int... many) { return 2; } // <def all_ints>
            int use(byte[] b, int[] i, String[] s, int n) {
                return size(b) // <bytes>
                    + size(i) // <ints>
                    + size(s) // <objects>
                    + size(n) // <one>
                    + all(b) // <all_bytes>
                    + all(i); // <all_ints>
            }
        }
        """
    )
    for mark in ("bytes", "ints", "objects", "one"):
        written.check(mark, "size")
    for mark in ("all_bytes", "all_ints"):
        written.check(mark, "all")


def test_items_of_arrays_the_instance_around_and_fields_beside_methods(project: Project) -> None:
    written = project(
        """
        === src/main/java/p/Base.java
        package p;
        class Base { byte[] table; } // <def field>
        === src/main/java/p/Coder.java
        package p;
        class Coder extends Base {
            static byte[] table(boolean hex) { return null; } // <def method>
            byte first() { return table[0]; } // <field>
            byte second() { return this.table[1]; } // <field>
            byte third() { return table(true)[1]; } // <method>
            void stop() {} // <def stop>
            class Inner { void stop() { Coder.this.stop(); } } // <stop>
            int weight(Edge[] edges, Edge[][] all) { return edges[0].weight + all[0][1].weight; } // <weight>
        }
        === src/main/java/p/Edge.java
        package p;
        class Edge { int weight; } // <def weight>
        """
    )
    written.check("field", "table")
    written.check("method", "table")
    written.check("stop")
    written.check("weight")


def test_overloads_by_the_function_that_they_are_given(project: Project) -> None:
    written = project(
        """
        === a/Task.java
        package a;
        public interface Task {
            void run() throws Exception;
            default Task twice() { return this; }
        }
        === a/Source.java
        package a;
        public interface Source<T> { T get() throws Exception; }
        === a/Policy.java
        package a;
        import java.util.function.Function;
        import java.util.function.Supplier;
        import java.time.Duration;
        public class Policy {
            static <R> void on(Task task) {} // <def task>
            static <R> void on(Source<R> source) {} // <def source>
            static <R> void on(Function<String, R> function) {} // <def function>
            static <R> void on(R value) {} // <def value>
            static <T> void later(Supplier<T> supplier) {} // <def supplier>
            static <T> void later(Runnable action) {} // <def action>
            static <T> void later(T plain) {}
            static void wait(Duration time) {} // <def time>
            static void wait(Policy like) {} // <def like>
            static void silent() {}
            static int told() { return 1; }
        }
        === a/Use.java
        package a;
        import java.time.Duration;
        class Use {
            void use(Policy policy) {
                Policy.on(() -> { System.out.println(); }); // <task>
                Policy.on(() -> Policy.silent()); // <task>
                Policy.on(() -> Policy.told()); // <source>
                Policy.on(() -> { return 1 > 2; }); // <source>
                Policy.on(() -> { throw new IllegalStateException(); }); // <source>
                Policy.on(() -> true); // <source>
                Policy.on(x -> x.length()); // <function>
                Policy.on(Policy::silent); // <task>
                Policy.on(true); // <value>
                Policy.on("text"); // <value>
                Policy.later(() -> 1); // <supplier>
                Policy.later(() -> {}); // <action>
                Policy.wait(Duration.ofMillis(5)); // <time>
                Policy.wait(policy); // <like>
            }
        }
        """
    )
    for mark in ("task", "source", "function", "value"):
        written.check(mark, "on")
    for mark in ("time", "like"):
        written.check(mark, "wait")
    for mark in ("supplier", "action"):
        written.check(mark, "later")


def test_patterns_and_cases(project: Project) -> None:
    written = project(
        """
        === a/Shape.java
        package a;
        public sealed interface Shape {
            record Circle(int radius) implements Shape {} // <def radius>
            record Square(int side) implements Shape {} // <def side>
            enum Colour { RED, GREEN } // <def RED>
            Colour colour();
        }
        === a/Use.java
        package a;
        class Use {
            int use(Shape shape, Object other) {
                if (shape instanceof Shape.Circle it) {
                    return it.radius(); // <radius>
                } else if (other instanceof Shape.Square it && it.side() > 1) { // <side>
                    return it.side(); // <side>
                }
                if (!(other instanceof Shape.Circle found)) {
                    return 0;
                }
                switch (shape.colour()) {
                    case RED: // <RED>
                        return found.radius(); // <radius>
                }
                return switch (shape) {
                    case Shape.Circle(int size) -> size;
                    case Shape.Square square -> square.side(); // <side>
                };
            }
        }
        """
    )
    written.check("radius")
    written.check("side")
    written.check("RED")


def test_members_of_annotations_nested_parents_and_what_is_not_called(project: Project) -> None:
    written = project(
        """
        === a/Column.java
        package a;
        public @interface Column {
            String name(); // <def name>
        }
        === a/Outer.java
        package a;
        class Outer { // <def Outer>
            static int made() { return 1; }
            static class Owned {
                protected int segment; // <def segment>
                private String name; // <def field>
            }
        }
        === a/Listener.java
        package a;
        interface Listener { void heard(Event event); }
        === a/Event.java
        package a;
        class Event {
            boolean complete; // <def complete>
            int count() { return 1; } // <def count>
        }
        === a/Use.java
        package a;
        import java.util.concurrent.CompletableFuture;
        import static a.Outer.*; // <Outer>
        class Use extends Outer.Owned { // <Outer>
            @Column(name = "x") // <name>
            int use(CompletableFuture<Event> later) {
                Listener listener = event -> event.count(); // <count>
                later.complete(null);
                return segment; // <segment>
            }
        }
        """
    )
    for mark in ("name", "Outer", "segment", "complete", "count"):
        written.check(mark)
    written.check("field", "name")


def test_values_of_the_project_given_for_foreign_types_choose_overloads(project: Project) -> None:
    written = project(
        """
        === a/Key.java
        package a;
        import java.lang.annotation.Annotation;
        public class Key {
            static Key get(Class<?> type, Class<?> mark) { return null; } // <def byClass>
            static Key get(Class<?> type, Annotation mark) { return null; } // <def byMark>
            static Key get(Class<?> type, Runnable mark) { return null; } // <def byTask>
        }
        @interface Name { String value(); }
        class Task implements Runnable { public void run() {} }
        class Use {
            Name name() { return null; }
            void use(Task task) {
                Key.get(String.class, name()); // <byMark>
                Key.get(String.class, task); // <byTask>
                Key.get(String.class, Use.class); // <byClass>
            }
        }
        """
    )
    for mark in ("byClass", "byMark", "byTask"):
        written.check(mark, "get")


def test_a_package_that_ends_like_one_of_the_project_is_another(project: Project) -> None:
    written = project(
        """
        === src/com/shop/inject/Provider.java
        package com.shop.inject;
        public interface Provider<T> extends jakarta.inject.Provider<T> { // <def Provider>
            void use(javax.inject.Provider<T> other, Provider<T> own); // <Provider>
        }
        === src/com/shop/Use.java
        package com.shop;
        import jakarta.inject.Provider;
        class Use { Provider<String> held; com.shop.inject.Provider<String> own; } // <Provider>
        """
    )
    written.check("Provider")
