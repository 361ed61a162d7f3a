"""Learning from failure: real outputs, replayed episodes, comparable models."""

from __future__ import annotations

import random
import re

import pytest

from cuedeck.memory import lessons
from cuedeck.memory.diagnosis import diagnose
from cuedeck.memory.effectiveness import records
from cuedeck.memory.episodes import Outcome, known_failures, outcome_of
from cuedeck.memory.failures import Location, read_failures
from cuedeck.memory.memories import Memories
from cuedeck.memory.model import Draft, MemoryType
from cuedeck.memory.reflection import Attempt
from cuedeck.store.protocol import Row, Store

from .conftest import ACTOR
from .failures.broken import load

CASES = {case.name: case for case in load()}
FIELDS = ("what_went_wrong", "root_cause", "what_to_try_next", "general_lesson")


def attempt(name: str, variant: str = "a", **more: object) -> Attempt:
    return Attempt(output="", feedback=CASES[name].output(variant), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", sorted(CASES))
def test_a_diagnosis_names_what_the_failure_names(name: str) -> None:
    failure = read_failures(CASES[name].output("a"))[0]
    diagnosis = diagnose(failure)
    text = f"{diagnosis.cause} {diagnosis.step} {diagnosis.lesson}"
    assert not re.search(r"\{[a-z]+\}", text), "a placeholder was left"
    place = str(failure.location) if failure.location else failure.message
    assert place in text or (failure.test or "") in text


def test_reflections_on_different_failures_differ(memories: Memories) -> None:
    made = [
        lessons.reflect(memories, attempt(name), actor=ACTOR)[1].to_json()
        for name in ("python_attribute", "pytest_equal", "tsc_assign", "rust_moved", "go_panic", "java_null")
    ]
    for field in FIELDS:
        assert len({one[field] for one in made}) == len(made)


def test_an_episode_holds_the_documented_fields(memories: Memories) -> None:
    told = attempt(
        "pytest_equal", task="add numbers", approach="subtract", model_used="haiku", file_path="sum.py"
    )
    stored, reflection, more = lessons.reflect(memories, told, actor=ACTOR)
    episode = memories.peek(stored.memory.id)[0]
    assert episode.type is MemoryType.EPISODE
    wanted = {
        "task",
        "approach",
        "outcome",
        "feedback",
        "feedback_type",
        "reflection",
        "model_used",
        "attempt",
    }
    assert wanted <= episode.metadata.keys()
    assert episode.metadata["feedback_type"] == "test_failure" and episode.metadata["attempt"] == 1
    assert episode.metadata["reflection"] == reflection.to_json()
    assert more["failure"]["test"] == "test_sum.py::test_add"
    assert (more["failure"]["expected"], more["failure"]["actual"]) == ("5", "-1")
    again, _, _ = lessons.reflect(memories, told, actor=ACTOR)
    assert memories.peek(again.memory.id)[0].metadata["attempt"] == 2
    assert again.memory.id != stored.memory.id


def test_a_solution_is_told_at_the_next_failure(memories: Memories) -> None:
    lessons.reflect(memories, attempt("go_panic", task="walk the list", approach="loop twice"), actor=ACTOR)
    solved = attempt("go_panic", task="walk the list", approach="stop at nil", outcome=Outcome.SUCCESS)
    fix, _, _ = lessons.reflect(memories, solved, actor=ACTOR)
    _, again, more = lessons.reflect(memories, attempt("go_panic", "b", task="other words"), actor=ACTOR)
    assert more["similar"][0] | {"similarity": 0} == {
        "id": fix.memory.id,
        "title": "walk the list",
        "match": "signature",
        "similarity": 0,
        "outcome": "success",
        "approach": "stop at nil",
    }
    assert fix.memory.id in again.what_to_try_next and "stop at nil" in again.what_to_try_next
    assert "loop twice" in again.what_to_try_next and "Seen 2 time(s)" in again.general_lesson


def test_an_attempt_that_solved_it_is_what_to_do_next_time(without_model: Memories) -> None:
    told = attempt("go_panic", approach="stop at nil", outcome=Outcome.SUCCESS)
    _, made, _ = lessons.reflect(without_model, told, actor=ACTOR)
    assert made.what_to_try_next == "This solved it: stop at nil."
    error = "KeyError: 'k'"
    lessons.reflect(
        without_model, Attempt("", error, approach="Use get.", outcome=Outcome.SUCCESS), actor=ACTOR
    )
    found = lessons.improved_attempt(without_model, "read the settings", "", error)
    assert " did: Use get." in found["recommended_approach"]


def test_a_success_that_does_not_say_what_it_did_is_told_as_that(without_model: Memories) -> None:
    silent = Attempt("", "KeyError: 'k'", outcome=Outcome.SUCCESS)
    lessons.reflect(without_model, silent, actor=ACTOR)
    _, made, _ = lessons.reflect(without_model, Attempt("", "KeyError: 'k'"), actor=ACTOR)
    assert "solved the same failure, but does not say how." in made.what_to_try_next
    advice = lessons.improved_attempt(without_model, "read the settings", "", "KeyError: 'k'")
    assert "succeeded, but does not say how." in advice["recommended_approach"]
    assert ["KeyError" in one["approach"] for one in advice["what_worked"]] == [True]


def test_without_failure_or_episode_the_next_step_is_to_get_one(without_model: Memories) -> None:
    advice = lessons.improved_attempt(without_model, "read the settings", "", None)
    assert "read the settings" in advice["recommended_approach"]
    assert "what follows" not in advice["guidance"]
    _, made, _ = lessons.reflect(without_model, Attempt("", "fine", outcome=Outcome.SUCCESS), actor=ACTOR)
    assert made.general_lesson == "The task met: fine."


def test_the_file_that_was_being_changed_is_named_where_the_output_names_none(
    without_model: Memories,
) -> None:
    told = Attempt("", "KeyError: 'k'", file_path="src/settings.py")
    _, made, _ = lessons.reflect(without_model, told, actor=ACTOR)
    assert "src/settings.py was being changed." in made.root_cause


def test_a_silent_solution_stands_for_the_open_failures_of_its_task(memories: Memories) -> None:
    def solved(approach: str) -> str:
        told = Attempt("", "12 passed", task="Fix  CI", approach=approach, outcome=Outcome.SUCCESS)
        return lessons.reflect(memories, told, actor=ACTOR)[0].memory.id

    lessons.reflect(memories, attempt("go_panic", task="fix ci"), actor=ACTOR)
    first = solved("nil check")
    lessons.reflect(memories, attempt("tsc_assign", task="fix ci"), actor=ACTOR)
    second = solved("right type")
    for name, solution in (("go_panic", first), ("tsc_assign", second)):
        advice = lessons.improved_attempt(memories, "anything", "", CASES[name].output("b"))
        same = [one["id"] for one in advice["what_worked"] if one["match"] == "signature"]
        assert same == [solution]


def test_resolving_a_task_marks_the_episode(memories: Memories, store: Store) -> None:
    episode, _, _ = lessons.reflect(memories, attempt("java_null", approach="guard"), actor=ACTOR)
    with store.state.write(actor=ACTOR) as session:
        memories.mark_success(session, episode.memory.id, None)
    advice = lessons.improved_attempt(memories, "same thing", CASES["java_null"].output("b"), None)
    assert [one["id"] for one in advice["what_worked"]] == [episode.memory.id]


def test_replayed_failures_find_their_solution_first(memories: Memories) -> None:
    """Every failure has a failed and a solved episode; distractors share words but not the failure."""
    chosen = random.Random(7).sample(sorted(CASES), 14)
    solutions: dict[str, str] = {}
    for name in chosen:
        for outcome, approach in ((Outcome.FAILURE, "guess"), (Outcome.SUCCESS, f"the fix for {name}")):
            task = f"repair module {len(solutions) % 5}"
            told = attempt(
                name, task=f"{task} {name if outcome is Outcome.SUCCESS else ''}", approach=approach
            )
            told = Attempt(**{**{slot: getattr(told, slot) for slot in told.__slots__}, "outcome": outcome})
            stored, _, _ = lessons.reflect(memories, told, actor=ACTOR)
            solutions[name] = stored.memory.id
    right = 0
    for name in chosen:
        advice = lessons.improved_attempt(memories, "repair module 3", "", CASES[name].output("b"))
        right += advice["similar_episodes"][0]["id"] == solutions[name]
    assert right / len(chosen) >= 0.95


def test_more_evidence_gives_more_confidence(memories: Memories) -> None:
    def confidence() -> float:
        found = lessons.improved_attempt(memories, "repair", "", CASES["rust_panic"].output("a"))
        value: float = found["confidence"]
        return value

    seen = [confidence()]
    for outcome in (Outcome.FAILURE, Outcome.SUCCESS, Outcome.SUCCESS):
        lessons.reflect(memories, attempt("rust_panic", task="repair", outcome=outcome), actor=ACTOR)
        seen.append(confidence())
    assert seen[0] <= 0.2 and seen[1] <= seen[0] and seen[1] < seen[2] < seen[3] < 1.0


def test_of_approaches_that_contradict_each_other_the_one_with_the_better_record_is_recommended(
    without_model: Memories,
) -> None:
    def tell(approach: str, outcome: Outcome) -> str:
        told = attempt("go_panic", task="walk the list", approach=approach, outcome=outcome)
        return lessons.reflect(without_model, told, actor=ACTOR)[0].memory.id

    tell("stop at the nil node before next", Outcome.SUCCESS)
    steady = tell("Stop at nil before the next node", Outcome.SUCCESS)
    tell("Raise the limit", Outcome.SUCCESS)
    for _ in range(2):
        tell("raise the limit", Outcome.FAILURE)
    advice = lessons.improved_attempt(without_model, "walk", "", CASES["go_panic"].output("b"))
    assert f"Do what {steady} did (it worked 2 of 2 times): Stop at nil" in advice["recommended_approach"]
    assert advice["what_worked"][0]["id"] == steady and 0.8 < advice["confidence"] < 0.9
    tell("stop at nil before the next node", Outcome.FAILURE)
    again = lessons.improved_attempt(without_model, "walk", "", CASES["go_panic"].output("b"))
    assert again["confidence"] < advice["confidence"]


def test_what_worked_lately_counts_more_than_what_worked_once(without_model: Memories) -> None:
    orders = {
        "Raise the limit": (Outcome.SUCCESS, Outcome.SUCCESS, Outcome.FAILURE, Outcome.FAILURE),
        "Stop at nil": (Outcome.FAILURE, Outcome.FAILURE, Outcome.SUCCESS, Outcome.SUCCESS),
    }
    for approach, outcomes in orders.items():
        for outcome in outcomes:
            told = attempt("go_panic", task="walk the list", approach=approach, outcome=outcome)
            lessons.reflect(without_model, told, actor=ACTOR)
    advice = lessons.improved_attempt(without_model, "walk", "", CASES["go_panic"].output("b"))
    assert "(it worked 2 of 4 times): Stop at nil" in advice["recommended_approach"]
    assert advice["confidence"] > 0.5


def episode(task: str, model: str, outcome: object) -> Draft:
    told = {"task": task, "model_used": model, "outcome": outcome, "feedback_type": "test_failure"}
    return Draft(MemoryType.EPISODE, f"{task} with {model} number {random.random()}", metadata=told)


def test_the_better_model_is_recommended_with_evidence(memories: Memories) -> None:
    for model, good, bad in (("haiku", 2, 6), ("opus", 7, 1), ("sonnet", 1, 0)):
        drafts = [episode("migrate the database", model, "success")] * good
        drafts += [episode("migrate the database", model, "failed: timeout")] * bad
        for number, draft in enumerate(drafts):
            told = Draft(draft.type, f"{draft.content} {number}", metadata=draft.metadata)
            memories.store(told, actor=ACTOR)
    for number in range(5):
        memories.store(episode(f"paint icons {number}", "haiku", "success"), actor=ACTOR)
    best = lessons.model_effectiveness(memories, "database migration", None)
    assert best["recommended_model"] == "opus" and best["confidence"] > 0.4
    counted = {one["model"]: (one["successes"], one["failures"]) for one in best["evidence"]}
    assert counted == {"haiku": (2, 6), "opus": (7, 1), "sonnet": (1, 0)}
    assert "7 of 8" in best["reasoning"]
    assert lessons.model_effectiveness(memories, "database migration", "lint_error")["evidence"] == []
    assert lessons.model_effectiveness(memories, "database migration", "test_failure")["evidence"]
    assert lessons.model_effectiveness(memories, "database migration", "") == best


@pytest.mark.parametrize(
    ("value", "outcome"),
    [
        ("success", Outcome.SUCCESS),
        ("Solved at last", Outcome.SUCCESS),
        (True, Outcome.SUCCESS),
        ("failure", Outcome.FAILURE),
        ("Failed: timeout", Outcome.FAILURE),
        ("unsuccessful", Outcome.FAILURE),
        (False, Outcome.FAILURE),
        ("", Outcome.UNKNOWN),
        (None, Outcome.UNKNOWN),
        (7, Outcome.UNKNOWN),
    ],
)
def test_outcomes_in_other_words(value: object, outcome: Outcome) -> None:
    assert outcome_of({"outcome": value}) is outcome


def test_one_lucky_run_does_not_beat_a_long_record(memories: Memories) -> None:
    told = [episode("x", "lucky", "success"), *(episode("x", "steady", "success") for _ in range(9))]
    ranked = records(memories.store(draft, actor=ACTOR).memory for draft in told)
    assert [one.model for one in ranked] == ["steady", "lucky"]


def test_feedback_that_no_reader_knows_is_still_reflected(without_model: Memories) -> None:
    said = Attempt(output="", feedback="The reviewer says the button is the wrong colour", task="restyle")
    _, reflection, _ = lessons.reflect(without_model, said, actor=ACTOR)
    assert all("wrong colour" in getattr(reflection, field) for field in FIELDS)


@pytest.mark.parametrize(
    ("feedback", "named"),
    [
        ("a.c:2:5: error: ‘total’ undeclared (first use in this function)", "`total` is not defined"),
        ("-e:1:in `<main>': undefined method `foo' for nil:NilClass (NoMethodError)", "has no `foo`"),
        ("lua: (command line):1: attempt to index a nil value\nstack traceback:\n\t[C]: in ?", "nil value"),
    ],
)
def test_a_cause_is_read_from_what_a_terminal_shows(feedback: str, named: str) -> None:
    assert named in diagnose(read_failures(feedback)[0]).cause


@pytest.mark.parametrize(
    "feedback",
    [
        "FAILED tests/test_sum.py::test_total",
        'Traceback (most recent call last):\n  File "sum.py", line 3, in total\n    raise E\nValueError',
        "AssertionError",
    ],
)
def test_an_error_without_a_message_is_told_without_one(feedback: str) -> None:
    made = diagnose(read_failures(feedback)[0])
    for sentence in (made.cause, made.step, made.lesson):
        assert ": ." not in sentence and sentence.endswith((".", "`."))


def test_a_traceback_before_the_name_of_the_only_failed_test_is_its_own() -> None:
    feedback = (
        'Traceback (most recent call last):\n  File "src/sum.py", line 3, in total\n    assert add(1) == 2\n'
        "AssertionError: assert 1 == 2\nFAILED tests/test_sum.py::test_total\n"
    )
    [failure] = read_failures(feedback)
    assert (failure.tool, failure.test) == ("pytest", "tests/test_sum.py::test_total")
    assert (failure.message, failure.location) == ("assert 1 == 2", Location("src/sum.py", 3))


def test_the_other_failures_are_told_with_what_they_say(without_model: Memories) -> None:
    feedback = "li.py:1:8: F401 [*] `os` imported but unused\nli.py:3:3: F821 Undefined name `count`\n"
    _, made, _ = lessons.reflect(without_model, Attempt("", feedback), actor=ACTOR)
    assert "Also: li.py:3 (Undefined name `count`)." in made.what_went_wrong


def test_values_of_an_assertion_with_a_message_are_read() -> None:
    block = (
        "=== FAILURES ===\n___ test_total ___\n"
        "E       AssertionError: sum of items\nE       assert 6 == 7\nE        +  where 6 = total()\n\n"
        "tests/test_cart.py:4: AssertionError\n=== short test summary info ===\n"
        "FAILED tests/test_cart.py::test_total - AssertionError: sum of items\n"
    )
    (failure,) = read_failures(block)
    assert failure.message == "sum of items"
    assert failure.compared is not None
    assert (failure.compared.expected, failure.compared.actual) == ("7", "6")


CUT = (
    "E   TypeError: unsupported operand type(s) for +: 'int' and 'str'\n"
    "FAILED tests/test_a.py::test_sum - TypeError: unsupported operand"
)


def test_a_bare_error_finds_the_test_that_failed_with_it(without_model: Memories) -> None:
    told = Attempt("", CUT, task="sum the column", approach="add as they are")
    stored, _, more = lessons.reflect(without_model, told, actor=ACTOR)
    assert more["failure"]["message"] == "unsupported operand type(s) for +: 'int' and 'str'"
    pattern = "TypeError: unsupported operand type(s) for +: 'int' and 'str'"
    found = lessons.improved_attempt(without_model, "another thing", "", pattern)
    assert [(one["id"], one["match"]) for one in found["similar_episodes"]] == [(stored.memory.id, "shape")]


TIMED_OUT = """Traceback (most recent call last):
  File "/app/fetch.py", line 9, in fetch
    client.get(url)
httpx.ConnectTimeout: timed out
"""


@pytest.mark.parametrize("name", ["httpx.ConnectTimeout", "ConnectTimeout"])
@pytest.mark.parametrize("said", [": timed out", ""])
def test_an_error_told_in_short_finds_the_episode_that_met_it(
    without_model: Memories, name: str, said: str
) -> None:
    told = Attempt("", TIMED_OUT, task="fetch the page", approach="one plain get")
    stored, _, _ = lessons.reflect(without_model, told, actor=ACTOR)
    other = Attempt("", TIMED_OUT.replace("timed out", "proxy is slow"), task="fetch the page of the proxy")
    lessons.reflect(without_model, other, actor=ACTOR)
    found = lessons.improved_attempt(without_model, "fetch the page", "", name + said)
    alike = {one["id"]: one["match"] for one in found["similar_episodes"]}
    assert alike[stored.memory.id] == "shape"
    assert list(alike.values()).count("shape") == (1 if said else 2)
    assert "with the same error elsewhere" in found["guidance"]


def test_another_error_is_not_the_same_one(without_model: Memories) -> None:
    told = Attempt("", TIMED_OUT, task="fetch the page", approach="one plain get")
    lessons.reflect(without_model, told, actor=ACTOR)
    found = lessons.improved_attempt(without_model, "fetch the page", "", "ReadTimeout: timed out")
    assert [one["match"] for one in found["similar_episodes"]] == ["text"]


@pytest.mark.parametrize(
    ("line", "type"),
    [
        ("subprocess.TimeoutExpired: Command 'x' timed out", "subprocess.TimeoutExpired"),
        ("KeyboardInterrupt", "KeyboardInterrupt"),
        ("app.models.User.DoesNotExist: no such user", "app.models.User.DoesNotExist"),
        ("django.http.response.Http404: No article", "django.http.response.Http404"),
    ],
)
def test_an_exception_is_read_whatever_it_is_called(line: str, type: str) -> None:
    assert read_failures(line)[0].type == type


def test_a_message_alone_is_told_by_the_output_that_says_where() -> None:
    output = 'Traceback (most recent call last):\n  File "/app/cart.py", line 2, in total\nTypeError: bad\n'
    assert known_failures("TypeError: bad", output)[0].location == Location("/app/cart.py", 2)
    assert known_failures("ValueError: bad", output)[0].location is None


def test_what_to_do_is_told_without_a_place_too() -> None:
    failure = read_failures("ModuleNotFoundError: No module named 'yaml'")[0]
    assert diagnose(failure).step == "Check that `yaml` is declared and installed, or correct the import."


def test_a_success_is_told_by_what_sums_it_up(without_model: Memories) -> None:
    passed = ".." + " " * 70 + "[100%]\n2 passed in 3.75s\n"
    told = Attempt(output=passed, feedback=passed, task="Add up", outcome=Outcome.SUCCESS)
    _, made, _ = lessons.reflect(without_model, told, actor=ACTOR)
    assert made.what_went_wrong == "The feedback on “Add up” was: 2 passed in 3.75s."


@pytest.mark.parametrize(
    "feedback",
    [
        "it just does not work.",
        "TypeError: 'NoneType' object has no attribute 'name'",
        "KeyError: 'id'",
        "error: linker exited",
        "SomethingOddError: no idea",
        "Expected 3, got 4",
    ],
)
def test_no_sentence_has_a_hole_where_the_place_would_be(without_model: Memories, feedback: str) -> None:
    _, made, _ = lessons.reflect(without_model, Attempt("", feedback), actor=ACTOR)
    text = " ".join(made.to_json().values())
    assert "does not name" not in text and "unknown:" not in text
    assert not re.search(r"\b(?:at|from|before|by|of) [.,;:)]|\(\)|``|  ", text), text
    assert feedback.removeprefix("error: ").rstrip(".") in text


def test_secrets_do_not_enter_an_episode(memories: Memories) -> None:
    secret = "ghp_" + "a1B2c3D4e5" * 4
    told = Attempt(output=secret, feedback=f"HTTPError: 401 for token {secret}", approach=f"use {secret}")
    stored, reflection, more = lessons.reflect(memories, told, actor=ACTOR)
    assert stored.masked >= 3
    assert secret not in f"{memories.peek(stored.memory.id)}{reflection}{more}"


def test_a_deleted_episode_is_found_by_its_failure_again_once_it_is_restored(without_model: Memories) -> None:
    stored, _, _ = lessons.reflect(without_model, attempt("pytest_equal"), actor=ACTOR)
    failures = table_of_failures(without_model)
    assert {row["memory_id"] for row in failures} == {stored.memory.id}
    without_model.delete(stored.memory.id, actor=ACTOR)
    assert table_of_failures(without_model) == []
    without_model.restore(stored.memory.id, actor=ACTOR)
    assert table_of_failures(without_model) == failures


def table_of_failures(memories: Memories) -> list[Row]:
    with memories.state.read() as session:
        return list(session.rows("SELECT * FROM memory_signatures ORDER BY memory_id, signature"))
