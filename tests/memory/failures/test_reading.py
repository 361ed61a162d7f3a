"""Real outputs of real tools are read the way a person reads them."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator

import pytest

from cuedeck.memory.failures import Failure, read_failures, signature

from .broken import Broken, load

CASES = load()


def differences(case: Broken, failure: Failure, shift: int) -> Iterator[str]:
    if failure.kind != case.kind:
        yield f"kind {failure.kind}, not {case.kind}"
    if case.type and failure.type != case.type:
        yield f"type {failure.type}, not {case.type}"
    if case.message not in failure.message:
        yield f"message {failure.message!r} without {case.message!r}"
    if failure.test != case.test and (case.test or case.kind != "test_failure"):
        yield f"test {failure.test}, not {case.test}"
    if case.path and not (failure.location and failure.location.path.endswith(case.path)):
        yield f"location {failure.location}, not {case.path}"
    if case.line and not (failure.location and failure.location.line == case.line + shift):
        yield f"location {failure.location}, not line {case.line + shift}"
    found = failure.compared and (failure.compared.expected, failure.compared.actual)
    if case.expected and found != (case.expected, case.actual):
        yield f"values {found}, not {case.expected} and {case.actual}"


@pytest.mark.parametrize("variant", ["a", "b"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_reads_kind_place_and_test(case: Broken, variant: str) -> None:
    failures = read_failures(case.output(variant))
    assert failures, "nothing was read"
    assert list(differences(case, failures[0], case.shift if variant == "b" else 0)) == []


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_same_failure_elsewhere_has_the_same_signature(case: Broken) -> None:
    first, second = (read_failures(case.output(variant))[0] for variant in ("a", "b"))
    assert signature(first) == signature(second)


def test_different_failures_have_different_signatures() -> None:
    owners = defaultdict(list)
    for case in CASES:
        owners[signature(read_failures(case.output("a"))[0])].append(case.name)
    assert [names for names in owners.values() if len(names) > 1] == []


def test_the_set_is_large_enough() -> None:
    assert len(CASES) >= 60


@pytest.mark.parametrize("text", ["", " \n\t\n", "\x00\x01", "💥" * 1000, "a" * 1_000_000, "\n" * 300_000])
def test_any_text_is_survived(text: str) -> None:
    assert isinstance(read_failures(text), list)


@pytest.mark.parametrize(
    "text",
    [
        "[" * 100_000,
        '{"a":' * 50_000,
        "<testcase " * 100_000,
        "<testcase>" + "<failure>" * 100_000,
        "<testcase>" * 100_000,
        '{"file": 1, "line": [], "message": {}, "severity": "error", "code": null}',
        '[{"filePath": 3, "messages": [{"line": "x"}, 7]}, 5, null]',
        '{"generalDiagnostics": [{"severity": "error", "range": 3}]}',
        '{"Action": "output", "Output": 3}\n{"message": {"rendered": null}}',
        '{"failures": [{"err": {"stack": "x"}}, {"err": 3}, 7]}',
        "[" + '"\\n",' * 200_000 + "0]",
        '{"file": "a.py", "line": "' + "9" * 5000 + '", "message": "x"}',
        '{"generalDiagnostics": [{"severity": "error", "range": {"start": 3}}]}',
    ],
)
def test_output_that_only_looks_structured_is_survived(text: str) -> None:
    assert isinstance(read_failures(text), list)


def each_line(form: str) -> Callable[[str], str]:
    return lambda text: "".join(form.format(line=line, n=n) for n, line in enumerate(text.splitlines(), 1))


@pytest.mark.parametrize(
    "name", ["pytest_equal", "node_type_error", "go_test", "gcc_undeclared", "mocha_equal"]
)
@pytest.mark.parametrize(
    "wrap",
    [
        each_line("2026-01-02T03:04:05.1234567Z \x1b[31m{line}\x1b[0m\r\n"),
        each_line("Nov  6 00:33:07 web-3 shop[4711]: {line}\n"),
        each_line("[pod/web-7d9c5b8f4-x2x9k/app] {line}\n"),
        each_line("@acme/web:test: {line}\n"),
        each_line("> {line}\n"),
        each_line("{n:6}\t{line}\n"),
        each_line("    {line}\n"),
        "I ran it and got:\n\n```console\n{}```\n\nWhat now?\n".format,
        lambda text: json.dumps({"stdout": text, "stderr": "", "exit_code": 1}),
        lambda text: "$ run\n" + json.dumps([{"type": "text", "text": text}], indent=1),
    ],
    ids=["ci", "journal", "pod", "turbo", "quote", "numbers", "margin", "fence", "json", "json list"],
)
def test_what_is_put_around_an_output_does_not_matter(name: str, wrap: Callable[[str], str]) -> None:
    plain = next(case for case in CASES if case.name == name).output("a")
    assert signature(read_failures(wrap(plain))[0]) == signature(read_failures(plain)[0])
