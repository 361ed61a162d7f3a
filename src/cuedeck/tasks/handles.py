"""``@name`` without quotes: YAML forbids it, people write it, so it is read as if it were quoted."""

from __future__ import annotations

import re

from cuedeck.documents.frontmatter import Frontmatter, locate_frontmatter, read_frontmatter

_VALUE = re.compile(
    r"^(?P<lead>[ \t]*(?:-[ \t]+)?(?:[A-Za-z_][\w-]*:[ \t]+)?)"
    r"(?P<value>@[^\s#'\"](?:[^\r\n#'\"]*[^\s#'\"])?)(?P<tail>[ \t]*(?:[ \t]#[^\r\n]*)?)$",
    re.MULTILINE,
)
_FLOW_LINE = re.compile(r"^[ \t]*[A-Za-z_][\w-]*:[ \t]+\[[^\r\n]*$", re.MULTILINE)
_FLOW_ITEM = re.compile(r"(?P<lead>[\[,][ \t]*)(?P<value>@[^\s,\]'\"]+)")


def read_with_handles(text: str) -> Frontmatter:
    """The frontmatter, with bare handles quoted where that is what makes it readable."""
    found = read_frontmatter(text)
    if found.data is None and found.problem is not None:
        again = read_frontmatter(quote_handles(text))
        if again.data is not None:
            return Frontmatter(again.data, found.problem, found.start, found.end, found.body)
    return found


def quote_handles(text: str) -> str:
    """The document with the bare handles of its frontmatter quoted, everything else as it was."""
    place = locate_frontmatter(text)
    if place is None:
        return text
    start, end, _body = place
    header = _VALUE.sub(r"\g<lead>'\g<value>'\g<tail>", text[start:end])
    header = _FLOW_LINE.sub(lambda line: _FLOW_ITEM.sub(r"\g<lead>'\g<value>'", line[0]), header)
    return text[:start] + header + text[end:]
