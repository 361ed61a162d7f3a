"""Links, tags and tasks as a reader of the rendered document sees them."""

from __future__ import annotations

import time

import pytest
from markdown_it import MarkdownIt

from cuedeck.documents.markdown import parse_markdown


def targets(text: str) -> list[tuple[str, str, str | None]]:
    return [(link.kind.value, link.target, link.anchor) for link in parse_markdown(text).links]


def tags(text: str) -> list[str]:
    return [tag.name for tag in parse_markdown(text).tags]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[[note]]", [("wiki", "note", None)]),
        ("[[folder/note#Head ing|text]]", [("wiki", "folder/note", "Head ing")]),
        ("![[image.png|100]]", [("embed", "image.png", None)]),
        ("[a](b%20c.md#x 'title')", [("markdown", "b c.md", "x")]),
        ("[a](b%23c.md#x%20y)", [("markdown", "b#c.md", "x y")]),
        ("![a](<b c.png>)", [("image", "b c.png", None)]),
        ("[a][r]\n\n[r]: ../x.md", [("markdown", "../x.md", None)]),
        ("[[#Here]]", [("wiki", "", "Here")]),
        ("| a |\n|--|\n| [[n\\|t]] |", [("wiki", "n", None)]),
        ("[a](https://x.y) <https://x.y> <me@x.y> [m](mailto:a@b.c) [p](//x.y)", []),
        ("`[[n]]` \\[[n]] <!-- [[n]] -->", []),
        ("```\n[[n]]\n```\n\n    [[n]]\n\n~~~md\n[a](b.md)\n~~~", []),
        ("---\nup: '[[n]]'\n---\n", []),
        ("[[a\nb]] [[]]", []),
    ],
)
def test_links(text: str, expected: list[tuple[str, str, str | None]]) -> None:
    assert targets(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("#one and #two/three, #four.", ["one", "two/three", "four"]),
        ("# Heading #tag", ["tag"]),
        ("#日本 #тег #é-x_1 #🎉", ["日本", "тег", "é-x_1", "🎉"]),
        ("#123 #1a # x #", ["1a"]),
        ("a#b &#35;c \\#d http://x/#e [f](#f) [[n#g]] (#h)", []),
        ("`#a` <b title='x #b'>#c</b> <!-- #d -->\n```\n#e\n```", []),
        ("- #a\n> #b\n\n| #c |\n|--|\n| #d |", ["a", "b", "c", "d"]),
        ("---\ntags: x # no #y\n---\n#z", ["z"]),
        ("全角\u3000#a nbsp\u00a0#b #c\u2019s", ["a", "b", "c"]),
        ("%% #commented %% #shown", ["commented", "shown"]),
        ("`%%` #a `%%` #b\n```\n%%\n```\n#c", ["a", "b", "c"]),
    ],
)
def test_tags(text: str, expected: list[str]) -> None:
    assert tags(text) == expected


def test_tasks_and_lines() -> None:
    parsed = parse_markdown("---\na: 1\n---\n# T\r\n- [ ] one **x**\r\n  - [x] two\n\n[[l]] #t")
    assert [(task.text, task.done, task.line) for task in parsed.tasks] == [
        ("one **x**", False, 5),
        ("two", True, 6),
    ]
    assert (parsed.headings[0].line, parsed.links[0].line, parsed.tags[0].line) == (4, 8, 8)


def test_what_stands_in_a_formula_is_neither_link_nor_tag_nor_heading() -> None:
    inline = "costs $5, [[x]], $6; $[a](b)$ and $$[[y]] #tag$$\n"
    assert (targets(inline), tags(inline)) == ([("wiki", "x", None)], [])
    broken = "so\n$$\na\n=\n[b](c)\n=\nd\n$$\n\nReal [e](f)\n=\n"
    assert [(each.text, each.line) for each in parse_markdown(broken).headings] == [("Real e", 10)]
    assert targets(broken) == [("markdown", "f", None)]


def test_dollars_that_close_nothing_are_text() -> None:
    text = "$$ is the shell\n=\n\n# The $x_1$ of $$y$$\n\n## $$\n\n[[a]] $$\n"
    assert [each.text for each in parse_markdown(text).headings] == [
        "$$ is the shell",
        "The $x_1$ of $$y$$",
        "$$",
    ]
    assert targets(text) == [("wiki", "a", None)]


def test_headings_are_what_is_read() -> None:
    parsed = parse_markdown("## A `c` [[L|d]] *e* &amp; ##\n\nSet\next\n---\n\n> # no\n\n- # no\n")
    assert [(heading.text, heading.level) for heading in parsed.headings] == [
        ("A c d e &", 2),
        ("Set ext", 2),
    ]


HARD = [
    "#\n##\n### \n#5\n\\# x\n",
    "> a\n# b\n",
    "- a\n\n  # in\n# out\n",
    "a\n# b\n===\n",
    "<div>\n# no\n</div>\n\n# yes\n",
    "<!-- \n# no\n-->\n# yes\n",
    "    # no\n\n   # yes\n",
    "1. a\n   ```\n# closes\n",
    "```\n# no\n",
    "`````\n```\n# no\n`````\n# yes\n",
    "[a]: b\n# yes\n",
    "| a |\n|--|\n# yes\n",
    "a\n\t# no\n",
    "Foo\n= =\n--- -\n",
    "\ta\n===\n",
]


@pytest.mark.parametrize("text", HARD)
def test_headings_equal_those_of_a_second_parser(text: str) -> None:
    tokens = MarkdownIt("commonmark").parse(text)
    expected = [
        (int(token.tag[1]), token.map[0] + 1)
        for token in tokens
        if token.type == "heading_open" and token.level == 0 and token.map
    ]
    assert [(heading.level, heading.line) for heading in parse_markdown(text).headings] == expected


@pytest.mark.parametrize(
    "unit",
    [
        "[[",
        "[",
        "![[",
        "*",
        "`",
        "> ",
        "- ",
        "#a ",
        "%%",
        "<!--",
        "[a](",
        "\\",
        "&#",
        "|",
        "$",
        "$a{",
        "$$\n=\n",
    ],
)
def test_hostile_repetition_is_quick(unit: str) -> None:
    started = time.process_time()
    parse_markdown(unit * (200_000 // len(unit)))
    parse_markdown((unit + "\n") * 20_000)
    assert time.process_time() - started < 5


def test_nothing_crashes_on_any_byte_soup() -> None:
    for seed in range(200):
        parse_markdown("".join(chr((seed * 7919 + n * n * 31) % 0x2FF) for n in range(300)))


def test_a_page_in_place_of_an_address_is_a_link_to_it() -> None:
    links = parse_markdown("[x]([[Page]]) [y]([[A b]]) [z]([[P#H|name]]) ![i]([[pic.png]])\n").links
    assert [(link.kind.value, link.target, link.anchor) for link in links] == [
        ("wiki", "Page", None),
        ("wiki", "A b", None),
        ("wiki", "P", "H"),
        ("embed", "pic.png", None),
    ]


def test_a_comment_hides_tasks_and_neither_links_nor_tags() -> None:
    text = (
        "%%\n- [ ] #task hidden [[a]]\n%%\n\n- [ ] seen %% #tag [[b]] %% more\n\n`%%`\n- [x] seen too\n`%%`\n"
    )
    found = parse_markdown(text)
    assert [(task.line, task.done) for task in found.tasks] == [(5, False), (8, True)]
    assert [link.target for link in found.links] == ["a", "b"]
    assert [tag.name for tag in found.tags] == ["task", "tag"]
