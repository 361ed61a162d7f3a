from __future__ import annotations

from cuedeck.web.html import Html, el, join, url


def test_text_and_attributes_are_escaped_and_markup_is_not():
    shown = el("a", "<b>", el("i", "x & y"), href='"><script>', title="it's")
    assert shown == '<a href="&quot;&gt;&lt;script&gt;" title="it&#x27;s">&lt;b&gt;<i>x &amp; y</i></a>'


def test_only_what_was_built_here_counts_as_markup():
    assert join([str(Html("<b>")), 3, None, ["<", ("i",)]]) == "&lt;b&gt;3&lt;i"
    assert not isinstance(Html("<b>") + "<i>", Html)


def test_attributes_that_are_not_set_are_left_out():
    assert (
        el("input", disabled=True, checked=False, value=None, data_key="k") == '<input disabled data-key="k">'
    )


def test_an_address_carries_any_text():
    assert url("/cards/a?b#c", q="ä &<", n=2, none=None) == "/cards/a%3Fb%23c?q=%C3%A4+%26%3C&n=2"
