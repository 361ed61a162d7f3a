from __future__ import annotations

import pytest

from cuedeck.documents.markdown import LinkKind
from cuedeck.web.markdown import render


def find(kind: LinkKind, target: str) -> str | None:
    return {"setup.md": "docs/setup.md", "setup": "docs/setup.md"}.get(target)


@pytest.mark.parametrize(
    "text",
    [
        "<script>x</script>",
        "a <img src=x onerror=x> b",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](java\nscript:alert(1))",
        "[x](data:text/html,x)",
        "[x](//evil.example)",
        "<javascript:alert(1)>",
        "[[javascript:alert(1)]]",
        "[x](http://[bad)",
        '![" onerror="x](" onerror="x)',
        "```<script>\n<script>\n```",
        "# <script>\n",
        '# " onclick="x\n',
        "[^<b>]\n\n[^<b>]: <script>",
        "| <b> |\n|---|\n| <i> |",
    ],
)
def test_nothing_hostile_becomes_markup(text):
    shown = render(text, find).lower()
    for word in (
        "<script",
        "<img",
        "<b>",
        "<i>",
        'href="java',
        'href="data',
        'href="//',
        ' onerror="',
        ' onclick="',
    ):
        assert word not in shown


def test_links_lead_into_the_dashboard_or_to_the_web():
    assert 'href="/document?path=docs%2Fsetup.md#a-part"' in render("[x](setup.md#A%20part)", find)
    assert 'href="/document?path=docs%2Fsetup.md"' in render("[[setup]]", find)
    assert 'href="https://a.example/"' in render("<https://a.example/>", find)
    assert 'class="dead"' in render("[x](gone.md)", find)


def test_headings_can_be_linked_to():
    assert render("## A `code` part", find).startswith('<h2 id="a-code-part">')
    twice = render("# Setup\n\n# Setup\n\n[[#Setup]] [x](#setup-1)", find)
    assert 'id="setup"' in twice and 'id="setup-1"' in twice
    assert 'href="#setup"' in twice and 'href="#setup-1"' in twice


def test_tables_lists_and_tasks_are_drawn():
    shown = render("| a |\n|---|\n| 1 |\n\n3. x\n\n- [x] y", find)
    assert "<th>a</th>" in shown and "<td>1</td>" in shown
    assert '<ol start="3">' in shown and "checked" in shown


def test_deep_nesting_is_no_trouble():
    assert render("> " * 3000 + "x", find).count("<blockquote>") > 100
