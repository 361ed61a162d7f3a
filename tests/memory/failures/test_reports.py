"""Reports of several failures: each has its own message, place and test."""

from __future__ import annotations

from cuedeck.memory.failures import Failure, read_failures


def told(output: str) -> list[tuple[str, str, str, str | None]]:
    return [(one.type, one.message, str(one.location), one.test) for one in read_failures(output)]


def only(output: str) -> Failure:
    (one,) = read_failures(output)
    return one


def test_pytest_with_a_line_for_each_failure_beside_blocks_for_errors() -> None:
    report = """\
test_mill.py FFFE                                                        [100%]

==================================== ERRORS ====================================
_______________________ ERROR at teardown of test_wheel ________________________
E   OSError: cannot stop
=================================== FAILURES ===================================
E   KeyError: 'rye'
/home/dev/app/mill.py:4: KeyError: 'rye'
[XPASS(strict)]
E   assert 0.5 == 0.25
/home/dev/app/test_mill.py:31: assert 0.5 == 0.25
=========================== short test summary info ============================
FAILED test_mill.py::test_grain - KeyError: 'rye'
FAILED test_mill.py::test_lucky - [XPASS(strict)]
FAILED test_mill.py::test_half - assert 0.5 == 0.25
ERROR test_mill.py::test_wheel - OSError: cannot stop
==================== 3 failed, 0 passed, 1 errors in 0.83s =====================
"""
    assert told(report) == [
        ("OSError", "cannot stop", "test_mill.py", "test_mill.py::test_wheel"),
        ("KeyError", "'rye'", "/home/dev/app/mill.py:4", "test_mill.py::test_grain"),
        ("AssertionError", "[XPASS(strict)]", "test_mill.py", "test_mill.py::test_lucky"),
        ("AssertionError", "assert 0.5 == 0.25", "/home/dev/app/test_mill.py:31", "test_mill.py::test_half"),
    ]


def test_mypy_wraps_the_code_of_an_error_too() -> None:
    report = """\
mill.py:2:12: error: Incompatible return value type (got "int", expected "str")
[return-value]
        return x
               ^
mill.py:3:3: error: Argument 1 to "grind" has incompatible type "str"; expected "int"
 [arg-type]
    grind("a")
          ^~~
mill.py:4:1: error: Cannot find implementation or library stub for module
named "rye.flour.and.something" that nobody
has  [import-not-found]
    import rye
    ^
mill.py:5:1: error: Name "wheel" is not defined
    wheel[0]
    ^
Found 4 errors in 1 file (checked 1 source file)
"""
    assert [(kind, place) for kind, _, place, _ in told(report)] == [
        ("return-value", "mill.py:2"),
        ("arg-type", "mill.py:3"),
        ("import-not-found", "mill.py:4"),
        ("error", "mill.py:5"),
    ]
    assert told(report)[2][1].endswith('module named "rye.flour.and.something" that nobody has')


def test_verbose_go_tests_keep_their_own_messages() -> None:
    report = """\
=== RUN   TestMill
=== RUN   TestMill/rye
    mill_test.go:9: Grind(3) = none, want flour
=== RUN   TestMill/oats
    mill_test.go:9: Grind(4) = none, want meal
--- FAIL: TestMill (0.00s)
    --- FAIL: TestMill/rye (0.00s)
    --- FAIL: TestMill/oats (0.00s)
=== RUN   TestWheel
    mill_test.go:14: got "a", want "b"
--- FAIL: TestWheel (0.00s)
FAIL
FAIL\texample.com/mill\t0.003s
"""
    assert told(report) == [
        ("fail", "Grind(3) = none, want flour", "mill_test.go:9", "TestMill/rye"),
        ("fail", "Grind(4) = none, want meal", "mill_test.go:9", "TestMill/oats"),
        ("fail", 'got "a", want "b"', "mill_test.go:14", "TestWheel"),
    ]


def test_the_standard_library_of_go_is_no_place_wherever_it_lies() -> None:
    def panicked(path: str) -> str:
        return f"""\
panic: assignment to entry in nil map

goroutine 1 [running]:
strings.Repeat(...)
\t{path}:1396 +0x24e
example.com/mill.Grind(...)
\t/home/dev/app/mill.go:12
exit status 2
"""

    for root in ("/usr/lib/go-1.19", "/usr/local/go", "/opt/hostedtoolcache/go/1.21.5/x64"):
        assert str(only(panicked(f"{root}/src/strings/strings.go")).location) == "/home/dev/app/mill.go:12"
    assert str(only(panicked("/go/src/app/mill.go")).location) == "/go/src/app/mill.go:1396"


def test_minitest_shows_the_line_between_message_and_stack() -> None:
    report = """\
  1) Error:
TestMill#test_wheel:
NoMethodError: undefined method `turn' for nil:NilClass

    wheel.turn
         ^^^^^
    mill_test.rb:7:in `test_wheel'

1 runs, 0 assertions, 0 failures, 1 errors, 0 skips
"""
    assert told(report) == [
        (
            "NoMethodError",
            "undefined method `turn' for nil:NilClass",
            "mill_test.rb:7",
            "TestMill#test_wheel",
        )
    ]


def test_a_linker_without_lines_names_the_file() -> None:
    report = """\
/usr/bin/ld: /tmp/ccesasXJ.o: in function `main':
mill.c:(.text+0x5): undefined reference to `grind'
collect2: error: ld returned 1 exit status
"""
    assert str(only(report).location) == "mill.c"


def test_a_mocha_test_that_is_late_is_in_the_file_that_mocha_names() -> None:
    report = """\
  0 passing (30ms)
  1 failing

  1) Mill
       turns:
     Error: Timeout of 20ms exceeded. For async tests, ensure "done()" is called. (/home/dev/app/mill.spec.js)
      at listOnTimeout (node:internal/timers:581:17)
      at process.processTimers (node:internal/timers:519:7)
"""
    one = only(report)
    assert (str(one.location), one.test) == ("/home/dev/app/mill.spec.js", "Mill turns")
    assert one.message.endswith("is called.")


def test_a_package_that_is_not_found_is_missed_by_who_imports_it() -> None:
    report = """\
node:internal/modules/esm/resolve:873
  throw new ERR_MODULE_NOT_FOUND(packageName, fileURLToPath(base), null);
        ^

Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'rye' imported from /home/dev/app/mill.mjs
    at packageResolve (node:internal/modules/esm/resolve:873:9)
    at moduleResolve (node:internal/modules/esm/resolve:946:18) {
  code: 'ERR_MODULE_NOT_FOUND'
}
"""
    assert str(only(report).location) == "/home/dev/app/mill.mjs"


def test_a_group_of_node_tests_is_no_failure_beside_those_in_it() -> None:
    report = """\
Failed tests:

✖ grinds (1.738384ms)
  AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:

  2 !== 3

      at TestContext.<anonymous> (file:///home/dev/app/mill.test.mjs:2:64)
      at Test.run (node:internal/test_runner/test:796:25) {
    code: 'ERR_ASSERTION',
    actual: 2,
    expected: 3,
  }
✖ mill (2.766724ms)
  '1 subtest failed'
"""
    assert told(report) == [
        (
            "AssertionError",
            "Expected values to be strictly equal",
            "/home/dev/app/mill.test.mjs:2",
            "grinds",
        )
    ]
