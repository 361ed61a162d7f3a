"""What a failure of a known form means: its likely cause, what to do, and what to learn."""

from __future__ import annotations

import re
from dataclasses import astuple, dataclass

from cuedeck.memory.failures import NO_TOOL, Failure, FailureKind, own_function


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """Three sentences about one failure, each naming what the failure names."""

    cause: str
    step: str
    lesson: str


@dataclass(frozen=True, slots=True)
class Rule:
    """Recognises a form of failure by its type and message; groups of the pattern fill the sentences."""

    pattern: re.Pattern[str]
    cause: str
    step: str
    lesson: str


def _rule(pattern: str, cause: str, step: str, lesson: str) -> Rule:
    return Rule(re.compile(pattern, re.S), cause, step, lesson)


_QUOTES = str.maketrans("‘’", "''")
_AT = re.compile(r" (?:at|before|from) \{where\}")
# What is this many words long and no tool's complaint is what a person says.
_PROSE = 5
MORE = "Reproduce it, and reflect on the complete output, with the file and line or the stack."

# The text a pattern sees is "type: message"; {where} and {function} come from the failure.
_RULES = (
    _rule(
        r"'NoneType' object has no attribute '(?P<what>\w+)'",
        "A value was None at {where} where {function} needed an object with `.{what}`.",
        "Find what returns None before {where}, and handle that case or return a value there.",
        "What {function} reads `.{what}` from can be None; it needs a check first.",
    ),
    _rule(
        r"'NoneType' object (?:is not|does not) (?P<what>[\w ]+)",
        "A value was None at {where} where {function} needed one that is {what}.",
        "Find what returns None before {where}, and handle that case or return a value there.",
        "What {function} works on can be None, which is not {what}.",
    ),
    _rule(
        r"Cannot read propert(?:ies|y) (?:of (?P<nothing>undefined|null) )?\(?(?:reading )?'(?P<what>[^']+)'",
        "A value was {nothing} at {where} when `.{what}` was read in {function}.",
        "Trace where the object before `.{what}` at {where} comes from; it was never set on this path.",
        "The object whose `.{what}` is read in {function} can be {nothing}.",
    ),
    _rule(
        r"NullPointerException: (?:Cannot (?P<what>.+?) because \"(?P<nothing>.+?)\" is null)?",
        "`{nothing}` was null at {where}, so the program could not {what}.",
        "Initialise `{nothing}` before {where}, or guard against its absence.",
        "`{nothing}` is not always set when {function} runs.",
    ),
    _rule(
        r"invalid memory address or nil pointer dereference",
        "A nil pointer was followed in {function} at {where}.",
        "Check the pointers used at {where} for nil, first the one that comes from outside {function}.",
        "{function} follows pointers that can be nil.",
    ),
    _rule(
        r"KeyError: '?(?P<what>[^'\n]+)'?",
        "The mapping used at {where} has no key `{what}`.",
        "Print the keys that are there before {where}; then supply `{what}` or read it with a default.",
        "`{what}` is not guaranteed to be present where {function} reads it.",
    ),
    _rule(
        r"(?:No module named|Cannot find module|unresolved import|cannot find package|failed to resolve)"
        r" [`'\"]?(?P<what>[^'\"`\s]+)",
        "`{what}` cannot be found from {where}: it is not installed here, or the path is wrong.",
        "Check that `{what}` is declared and installed, or correct the import at {where}.",
        "{where} depends on `{what}`; that dependency must be declared with it.",
    ),
    _rule(
        r"(?:name '(?P<a>\w+)' is not defined|(?P<b>\w+) is not defined|[Cc]annot find name '(?P<c>\w+)'"
        r"|undefined: (?P<d>\S+)|'(?P<e>\w+)' undeclared|undeclared identifier '(?P<f>\w+)'"
        r"|cannot find (?:\w+ )+`(?P<g>\w+)`|cannot find symbol: (?:\w+ )?(?P<h>\w+)"
        r"|Undefined (?:variable|name) ['`](?P<i>\w+)['`]|Call to undefined function (?P<j>[\w\\]+)"
        r"|implicit declaration of function '(?P<k>\w+)'|'(?P<l>\w+)' was not declared in this scope)",
        "The name `{name}` is not defined where {where} uses it.",
        "Define or import `{name}` before {where}, or correct its spelling.",
        "`{name}` does not exist in the scope of {function}.",
    ),
    _rule(
        r"has no (?:attribute|member named|field or method) [\"']?(?P<what>\w+)|attribute \"(?P<b>\w+)\""
        r"|undefined method [`'](?P<d>\w+[?!]?)'|Call to undefined method (?P<e>[\w:\\]+)"
        r"|Property '(?P<c>\w+)' does not exist",
        "The object used at {where} has no `{name}`.",
        "Look up what the type at {where} offers; `{name}` may be misspelt, or the type another one.",
        "`{name}` is not part of the type that {function} works with.",
    ),
    _rule(
        r"mismatched types|not assignable to|cannot be converted|[Ii]ncompatible|cannot use .+ as|"
        r"no viable conversion|arg-type|return-value",
        "Two types that do not fit meet at {where}: {message}.",
        "Convert the value at {where}, or change the declared type it is given to.",
        "The types on either side of {where} are not interchangeable: {message}.",
    ),
    _rule(
        r"borrow of moved value: `(?P<what>[^`]+)`",
        "`{what}` was moved before {where} used it again.",
        "Borrow `{what}` where it was moved, or clone it, so that it is still there at {where}.",
        "A call that takes `{what}` by value ends its use in {function}.",
    ),
    _rule(
        r"(?:index out of (?:bounds|range)|list index out of range|IndexOutOfBounds).*",
        "{function} asked at {where} for an element beyond the end: {message}.",
        "Check the length before {where}, and where the index comes from.",
        "The index used in {function} is not bounded by the length of what it indexes.",
    ),
    _rule(
        r"ZeroDivision|division by zero|divide by zero",
        "The divisor at {where} was zero.",
        "Decide what {function} should give for a zero divisor, and test it before {where}.",
        "The divisor in {function} can be zero.",
    ),
    _rule(
        r"RecursionError|Maximum call stack|stack overflow",
        "{function} called itself without reaching an end ({where}).",
        "Give {function} a case that does not recurse, and check that each call comes nearer to it.",
        "{function} needs an end condition that every input reaches.",
    ),
    _rule(
        r"(?:FileNotFoundError|ENOENT|No such file or directory).*?['\"](?P<what>[^'\"]+)['\"]",
        "`{what}` is not there when {where} opens it.",
        "Check the working directory and whether `{what}` is created before {where}.",
        "{function} relies on `{what}` existing relative to where it is started.",
    ),
    _rule(
        r"undefined reference to [`'](?P<what>[^']+)'",
        "`{what}` is declared but its definition is not linked in (used at {where}).",
        "Add the object file or library that defines `{what}` to the link, or define it.",
        "A declaration of `{what}` is not enough; something must define it.",
    ),
    _rule(
        r"multiple definition of [`'](?P<what>[^']+)'",
        "`{what}` is defined in more than one place, one of them {where}.",
        "Keep one definition of `{what}` and declare it elsewhere as extern, or make it static.",
        "`{what}` must be defined once.",
    ),
    _rule(
        r"(?P<what>heap-buffer-overflow|stack-buffer-overflow|heap-use-after-free|global-buffer-overflow|double-free)",
        "{function} touched memory it does not own at {where} ({what}).",
        "Check the size and the lifetime of the buffer used at {where}.",
        "Bounds and lifetime of the buffer in {function} are not kept ({what}).",
    ),
    _rule(
        r"memory-leak|detected memory leaks",
        "Memory allocated at {where} is never freed.",
        "Free what {where} allocates on every way out of {function}.",
        "What {function} allocates needs an owner that frees it.",
    ),
    _rule(
        r"[Tt]imeout|timed out|deadline exceeded",
        "{subject} did not finish in its time: {message}.",
        "Find what {subject} waits for: an answer that never comes, a promise never settled, a lock.",
        "{subject} waits for something without a bound of its own.",
    ),
    _rule(
        r"DID NOT RAISE|not (?:been )?thrown|did not throw",
        "{subject} expected an error that did not come: {message}.",
        "Check that the input of {subject} really breaks the rule, and that the rule is enforced.",
        "The error that {subject} expects is not raised for this input.",
    ),
    _rule(
        r"(?:imported but unused|assigned a value but never used|unused variable|imported and not used)",
        "Something at {where} is defined and never used: {message}.",
        "Remove it at {where}, or use it as intended.",
        "Leftovers at {where} hide what is really needed: {message}.",
    ),
    _rule(
        r"[Ss]yntax ?[Ee]rror|invalid-syntax|IndentationError|expected [`'‘;),:]|parsing-error"
        r"|Unexpected (?:token|number|identifier)",
        "The source at {where} cannot be parsed: {message}.",
        "Correct the source at or just above {where}.",
        "{where} was written in a form the parser does not accept: {message}.",
    ),
)


def diagnose(failure: Failure) -> Diagnosis:
    """What is known of a failure; one without a message leaves out where that would stand."""
    told = _told(failure)
    if failure.message.strip(" ."):
        return told
    return Diagnosis(*(text.replace(": .", ".") for text in astuple(told)))


def _told(failure: Failure) -> Diagnosis:
    """The rule that fits, filled in; else what can be said of any failure."""
    # Compilers quote with typographic marks where the terminal has them.
    subject = f"{failure.type}: {failure.message}".translate(_QUOTES)
    facts = _facts(failure)
    for rule in _RULES:
        if match := rule.pattern.search(subject):
            groups = {key: value for key, value in match.groupdict().items() if value}
            filled = {**facts, "what": "it", "nothing": "missing", **groups}
            filled["name"] = next(iter(groups.values()), failure.message)
            if not facts["where"]:
                return _nowhere(facts, rule, filled)
            return Diagnosis(*(text.format(**filled) for text in (rule.cause, rule.step, rule.lesson)))
    return _plain(failure, facts)


def _facts(failure: Failure) -> dict[str, str]:
    function = own_function(failure.frames)
    named = f"`{function}`" if function and not function.startswith("<") else "the code"
    test = f"`{failure.test}`" if failure.test else ""
    return {
        "where": str(failure.location) if failure.location else test,
        "function": named,
        "subject": test or named,
        "message": failure.message.partition("\n")[0].rstrip(". ")[:200],
        "type": failure.type,
    }


def _nowhere(
    facts: dict[str, str], rule: Rule | None = None, filled: dict[str, str] | None = None
) -> Diagnosis:
    """What is known when the output names no place: the sentences that need none, and what is missing."""
    step, lesson = MORE, f"{facts['type']}: {facts['message']}."
    if rule and filled:
        step, lesson = _placeless(rule.step, filled) or step, _placeless(rule.lesson, filled) or lesson
    said = f"{facts['type']}: {facts['message']}".removesuffix(": ")
    return Diagnosis(f"{said}. The output does not say where.", step, lesson)


def _placeless(text: str, filled: dict[str, str]) -> str:
    """A sentence without its place, where it can do without one."""
    shorter = _AT.sub("", text)
    return "" if "{where}" in shorter else shorter.format(**filled)


def _plain(failure: Failure, facts: dict[str, str]) -> Diagnosis:
    """Compared values where there are any, else type, message and place."""
    if failure.compared:
        got, wanted = failure.compared.actual[:120], failure.compared.expected[:120]
        place, start = (f" ({facts['where']})", f" from {facts['where']}") if facts["where"] else ("", "")
        return Diagnosis(
            f"{facts['subject']} got {got} where {wanted} was expected{place}.",
            f"Follow the value {got} back{start} to where it is computed.",
            f"What {facts['subject']} checks does not hold: it yields {got}, not {wanted}.",
        )
    if failure.kind is FailureKind.UNKNOWN and not facts["where"] and len(facts["message"].split()) >= _PROSE:
        said = facts["message"]
        return Diagnosis(
            f"No tool's failure is in it; the feedback is: {said}.",
            f"Change what the feedback names: {said}. If a tool printed it, reflect on the complete output.",
            f"Said of work like this: {said}.",
        )
    if failure.kind is FailureKind.UNKNOWN:
        return Diagnosis(
            f"The output names no known form of failure; it says: {facts['message']}.",
            f"Reproduce it with more output, and look first at {facts['where']}." if facts["where"] else MORE,
            f"Keep the full output of the tool: “{facts['message']}” alone does not show a cause.",
        )
    if not facts["where"]:
        return _nowhere(facts)
    reporter = "The output" if failure.tool == NO_TOOL else failure.tool
    return Diagnosis(
        f"{reporter} reports {facts['type']} at {facts['where']}: {facts['message']}.",
        _step(failure, facts),
        f"{facts['type']} in {facts['function']}: {facts['message']}.",
    )


def _step(failure: Failure, facts: dict[str, str]) -> str:
    if failure.kind is FailureKind.LINT:
        return f"Change {facts['where']} until {failure.tool} accepts it ({facts['type']})."
    if failure.kind in (FailureKind.BUILD, FailureKind.TYPE):
        return f"Correct {facts['where']}, then build again: later messages may follow from this one."
    return f"Look at {facts['where']} and at what it is given by its callers."
