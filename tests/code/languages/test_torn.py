"""What somebody is still typing keeps all that stands above the place where it ends."""

from __future__ import annotations

import pytest

from cuedeck.code.extraction.extract import extract
from cuedeck.code.languages import language_named

_SOURCES = {
    "java": """
        package a;
        class Store {
            int size;
            /* } */ String text = "{";
            int first() { return 1; }
            int second() {
                char c = '{';
                for (int i = 0; i < 3; i++) {
                    call(i, () -> {
    """,
    "kotlin": """
        class Store {
            val text = "{"
            fun first() = 1
            fun second() {
                val c = '{'
                listOf(1).forEach { x ->
    """,
    "swift": """
        class Store {
            let text = "{"
            func first() -> Int { 1 }
            func second() {
                if let x = find( /* half
    """,
    "php": """<?php
        class Store {
            public $text = 'it\\'s {';
            function first() { return 1; } # don't
            function second() {
                foreach ($all as $one) {
                    $x = [
    """,
    "rust": """
        struct Store<'a> { text: &'a str }
        impl<'a> Store<'a> {
            fn first(&self) -> char { '{' }
            fn second(&self) {
                match self.text {
                    "{" => {
    """,
    "c": """
        struct Store { int text; };
        int first(void) { return '{'; }
        int second(struct Store *store)
        {
            for (int i = 0; i < 3; i++) {
                call(i, "{
    """,
    "cpp": """
        namespace shop {
        class Store {
            int text;
            int first() { return 1; }
            void second() {
                if (text) {
                    call([](int x) {
    """,
    "csharp": """
        class Store {
            string text = "{";
            int first() { return 1; }
            void second() {
                foreach (var one in all) {
                    call(one, x => {
    """,
    "go": """
        package shop
        type Store struct { text string }
        func first() int { return 1 }
        func second() {
            for _, one := range all {
                call(one, func() {
    """,
    "ruby": """
        module Shop
        class Store
          def first = 1
          def text
            return "x" if first
            [1].each do |one|
              one
            end
          rescue
            nil
          end
          def second
            value = if first
              call [
    """,
}


@pytest.mark.parametrize("name", _SOURCES)
def test_a_source_that_ends_within_a_body_keeps_what_stands_above(name: str) -> None:
    language = language_named(name)
    assert language is not None
    source = _SOURCES[name].encode()
    outline = extract(source, language).outline
    found = {definition.name: definition for definition in outline.definitions}
    assert {"Store", "text", "first"} <= found.keys()
    store = next(n for n, d in enumerate(outline.definitions) if d.name == "Store")
    if name not in ("rust", "c", "go"):
        assert found["first"].parent == store
    assert name == "ruby" or "second" in found
    assert all(definition.end <= len(source) for definition in outline.definitions)
    assert source[found["first"].start : found["first"].end].strip().endswith((b"}", b"1"))


@pytest.mark.parametrize("name", _SOURCES)
def test_what_is_closed_is_left_as_it_is(name: str) -> None:
    language = language_named(name)
    assert language is not None and language.close is not None
    text = (
        b"def a\n  [1].map do |x|\n    x\n  end\nend\n"
        if name == "ruby"
        else b"class A { int b; }\n/* { */\n"
    )
    assert language.close(text) == text


def test_lua_and_bash_that_end_within_a_function_keep_it() -> None:
    lua = """
        local text = [[end]]
        function first() return {1} end
        function second(a)
            if a then
                x(function()
                    repeat
    """
    bash = """
first() {
  echo 1
}
second() {
  if [ -n x ]; then
    echo "$(cat
"""
    for name, source in (("lua", lua), ("bash", bash)):
        found = [d.name for d in extract(source.encode(), language_named(name)).outline.definitions]
        assert found[-2:] == ["first", "second"], name


def test_a_text_of_several_lines_that_is_not_ended_hides_nothing() -> None:
    source = b"""
class Store {
  val text = "{"
  fun first() {
    try { a() } catch (e: B) {
      x(\"\"\"
  } {{
"""
    found = [d.name for d in extract(source, language_named("kotlin")).outline.definitions]
    assert found == ["Store", "text", "first"]


def test_kotlin_that_ends_in_an_annotation_is_read() -> None:
    for end in (b"@", b"@get", b"@get:Named(", b'@Named("x'):
        facts = extract(b"class Box {\n    val size = 1\n    " + end, language_named("kotlin"))
        assert [d.name for d in facts.outline.definitions] == ["Box", "size"], end
