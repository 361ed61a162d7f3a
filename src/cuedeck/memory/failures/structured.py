"""Output made for machines: the JSON of checkers, compilers and ``go test``, and JUnit's XML."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from html import unescape
from typing import Any

from . import go, java, node, python, rust
from .model import NO_TOOL, Failure, FailureKind, Location
from .text import MOST, lines_of, plain_path

_LONGEST = 2_000_000
_VERDICT = re.compile(r"<(failure|error)\b([^>]*)>")
_ATTRIBUTE = re.compile(r"""([\w-]+)=(?:"([^"]*)"|'([^']*)')""")
_WRAPPED = re.compile(r"^\s*(?:cause|\[cause\]): (.+)$")
_CDATA = re.compile(r"^\s*<!\[CDATA\[(.*?)\]\]>\s*$", re.S)
_TRACES: tuple[Callable[[Sequence[str]], list[Failure]], ...] = (
    python.tracebacks,
    java.traces,
    node.errors,
)

Json = Mapping[str, Any]
_MOST_VALUES = 200
_LONGEST_NUMBER = 9
_NAMES = {
    **dict.fromkeys(("path", "file", "filename", "uri"), "path"),
    **dict.fromkeys(("line", "startLine", "row"), "line"),
    **dict.fromkeys(("ruleId", "check_name", "messageId", "rule", "option"), "rule"),
    "posn": "posn",
}


def read(output: str) -> list[Failure]:
    """What failed, when the output is of that kind; empty when it is not."""
    if len(output) > _LONGEST:
        return []
    if "<testcase" in output:
        return _junit(output)
    records = [one for line in output.splitlines() if (one := _record(line))]
    return (_lines(records) if records else []) or _document(output)


def quoted(output: str) -> str:
    """The texts of several lines inside JSON, as harnesses, loggers and tools' results hold them."""
    if len(output) > _LONGEST:
        return ""
    found: list[str] = []
    records = [one for line in output.splitlines() if (one := _record(line))]
    values: list[Any] = [records or _value(output)]
    while values:
        value = values.pop()
        if isinstance(value, str):
            found += [value] if "\n" in value else []
        elif isinstance(value, dict | list):
            values += reversed(list(value.values()) if isinstance(value, dict) else value)
    return "\n".join(found)


def _record(line: str) -> Json | None:
    text = line.strip()
    found = _parsed(text) if text[:1] == "{" and text[-1:] == "}" else None
    return found if isinstance(found, dict) else None


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _lines(records: Sequence[Json]) -> list[Failure]:
    """A record a line: ``go test -json``, cargo's messages, mypy's findings."""
    if printed := [
        one["Output"] for one in records if "Action" in one and isinstance(one.get("Output"), str)
    ]:
        lines = lines_of("".join(printed))
        return go.tests(lines) or go.panics(lines) or go.diagnostics(lines)
    if rendered := [
        one["message"]["rendered"]
        for one in records
        if isinstance(one.get("message"), dict) and isinstance(one["message"].get("rendered"), str)
    ]:
        return rust.diagnostics(lines_of("\n".join(rendered)))
    return [failure for one in records if (failure := _mypy(one))]


def _mypy(one: Json) -> Failure | None:
    if not {"file", "line", "message", "severity", "code"} <= one.keys() or one["severity"] != "error":
        return None
    kind = FailureKind.BUILD if one["code"] == "syntax" else FailureKind.TYPE
    return _finding("mypy", kind, one["code"], one["message"], one["file"], one["line"])


def _document(output: str) -> list[Failure]:
    """One JSON value, perhaps with other lines around it."""
    found = _value(output)
    if isinstance(found, dict) and isinstance(found.get("failures"), list):
        return _some(_mocha(one) for one in _dicts(found["failures"]))
    if isinstance(found, dict) and isinstance(found.get("generalDiagnostics"), list):
        return _some(_pyright(one) for one in _dicts(found["generalDiagnostics"]))
    if isinstance(found, dict) and isinstance(found.get("comments"), list):
        found = found["comments"]
    each = _dicts(found) if isinstance(found, list) else []
    return _some(failure for one in each for failure in _checked(one)) or _findings(found)


def _value(output: str) -> Any:
    start = re.search(r"^[\[{]", output, re.M)
    if start is None:
        return None
    try:
        return json.JSONDecoder().raw_decode(output, start.start())[0]
    except (ValueError, RecursionError):
        return None


def _mocha(one: Json) -> Failure | None:
    error = one.get("err")
    if not isinstance(error, dict) or not isinstance(error.get("stack"), str):
        return None
    found = node.errors(lines_of(error["stack"]))
    return (
        replace(found[0], tool="mocha", kind=FailureKind.TEST, test=_text(one, "fullTitle"))
        if found
        else None
    )


def _text(one: Json, name: str) -> str | None:
    return one[name] if isinstance(one.get(name), str) else None


def _checked(one: Json) -> Iterator[Failure | None]:
    """A file's findings as eslint tells them, or a single one of ruff, pylint or shellcheck."""
    if isinstance(one.get("messages"), list) and "filePath" in one:
        said = sorted(_dicts(one["messages"]), key=lambda message: message.get("severity") != 2)
        for message in said:
            rule = message.get("ruleId") or ("parsing-error" if message.get("fatal") else "eslint")
            text = str(message.get("message", "")).removeprefix("Parsing error: ")
            yield _finding("eslint", FailureKind.LINT, rule, text, one["filePath"], message.get("line"))
    elif isinstance(one.get("location"), dict) and "filename" in one:
        rule = one.get("code") or "invalid-syntax"
        kind = FailureKind.BUILD if rule == "invalid-syntax" else FailureKind.LINT
        yield _finding("ruff", kind, rule, one.get("message"), one["filename"], one["location"].get("row"))
    elif "message-id" in one and "path" in one:
        kind = FailureKind.BUILD if one["message-id"] == "E0001" else FailureKind.LINT
        yield _finding("lint", kind, one["message-id"], one.get("message"), one["path"], one.get("line"))
    elif {"file", "line", "level", "code", "message"} <= one.keys():
        yield _finding(
            "shellcheck", FailureKind.LINT, f"SC{one['code']}", one["message"], one["file"], one["line"]
        )


def _pyright(one: Json) -> Failure | None:
    if one.get("severity") != "error":
        return None
    place = one.get("range")
    start = place.get("start") if isinstance(place, dict) else None
    line = start.get("line") if isinstance(start, dict) else None
    # Lines are counted from zero there.
    row = line + 1 if isinstance(line, int) else None
    text = str(one.get("message", "")).partition("\n")[0]
    return _finding("pyright", FailureKind.TYPE, one.get("rule") or "error", text, one.get("file"), row)


def _findings(value: Any) -> list[Failure]:
    """Findings in a form nobody knows (SARIF, Code Climate, compilers' own), errors first."""
    found: list[tuple[bool, Failure]] = []
    values = deque([value])
    while values and len(found) < MOST:
        one = values.popleft()
        if isinstance(one, dict) and (failure := _told(one)):
            level = one.get("level") or one.get("severity") or one.get("kind")
            found.append((level in ("note", "warning", "info"), failure))
        elif isinstance(one, dict | list):
            values += one.values() if isinstance(one, dict) else one
    return [failure for _, failure in sorted(found, key=lambda entry: entry[0])]


def _told(one: Json) -> Failure | None:
    """A message with a file and a line, by their usual names; a rule makes it a linter's."""
    message = one.get("message") or one.get("description")
    text = message.get("text") if isinstance(message, dict) else message
    facts = _facts(one)
    place = re.fullmatch(r"(.+?):(\d+)(?::\d+)?", facts.get("posn", ""))
    path, line = (place[1], place[2]) if place else (facts.get("path", ""), facts.get("line", ""))
    if not isinstance(text, str) or not path or not line.isdecimal() or len(line) > _LONGEST_NUMBER:
        return None
    kind, rule = (FailureKind.LINT, facts["rule"]) if "rule" in facts else (FailureKind.BUILD, "error")
    return _finding(NO_TOOL, kind, rule, text.removeprefix(f"{rule}: "), plain_path(path), int(line))


def _facts(one: Json) -> dict[str, str]:
    """The outermost fact of each kind: what is further in is about related places and fixes."""
    facts: dict[str, str] = {}
    values: list[Any] = [one]
    for value in values:
        if isinstance(value, dict):
            for name, inner in value.items():
                if (fact := _NAMES.get(name)) and isinstance(inner, str | int):
                    facts.setdefault(fact, str(inner))
        if isinstance(value, dict | list) and len(values) < _MOST_VALUES:
            values += value.values() if isinstance(value, dict) else value
    return facts


def _finding(tool: str, kind: FailureKind, rule: Any, text: Any, path: Any, line: Any) -> Failure:
    place = Location(str(path), line if isinstance(line, int) else None) if path else None
    return Failure(tool, kind, str(rule), str(text or ""), place)


def _dicts(values: Iterable[Any]) -> list[Json]:
    return [one for one in values if isinstance(one, dict)]


def _some(found: Iterable[Failure | None]) -> list[Failure]:
    return [failure for failure in found if failure is not None]


def _junit(output: str) -> list[Failure]:
    """Cases are cut apart first, so that one which is not closed costs no more than its own length."""
    found: list[Failure] = []
    for part in output.split("<testcase")[1:]:
        head, _, inside = part.partition(">")
        inside = inside.partition("</testcase>")[0]
        verdict = _VERDICT.search(inside)
        if verdict and not head.endswith("/") and len(found) < MOST:
            body = inside[verdict.end() :].partition(f"</{verdict[1]}>")[0]
            empty = verdict[2].endswith("/")
            found.append(_case(_attributes(head), _attributes(verdict[2]), "" if empty else body))
    return found


def _case(named: Mapping[str, str], verdict: Mapping[str, str], body: str) -> Failure:
    """A test and what it says; the trace inside tells more than the attributes do."""
    whole = _CDATA.match(body)
    lines = _cause(lines_of(whole[1] if whole else unescape(body)))
    test = named.get("name", "")
    owner = named.get("classname", "")
    # Python and Java name the class; what JavaScript's runners put there is a file or a word.
    if re.fullmatch(r"\w+(?:\.\w+)+", owner):
        test = f"{owner}.{test}"
    message = verdict.get("message", "")
    for read_trace in _TRACES:
        if inner := read_trace(lines):
            return replace(inner[0], tool="junit", kind=FailureKind.TEST, test=test)
    kind = verdict.get("type") or "Error"
    return Failure("junit", FailureKind.TEST, kind, message or " ".join(lines).strip()[:500], test=test)


def _cause(lines: list[str]) -> list[str]:
    """Without the wrapper that node's runner puts around what a test threw."""
    if not any("ERR_TEST_FAILURE" in line for line in lines[:3]):
        return lines
    for at, line in enumerate(lines):
        if match := _WRAPPED.match(line):
            return [match[1], *lines[at + 1 :]]
    return lines


def _attributes(text: str) -> dict[str, str]:
    return {match[1]: unescape(match[2] or match[3] or "") for match in _ATTRIBUTE.finditer(text)}
