"""References in Bash: which scripts see whose variables."""

from __future__ import annotations

from collections.abc import Callable

Project = Callable[[str], "Written"]  # type: ignore[name-defined]  # noqa: F821


def test_a_scripts_variables_are_seen_by_what_it_loads_and_what_loads_it(project: Project) -> None:
    written = project("""
        === lib/paths.sh
        cache_dir=/tmp # <def cache_dir>
        === run.sh
        source "$(dirname "$0")/lib/paths.sh"
        output=$(ls "$cache_dir") # <def output> <cache_dir>
        echo "$output" # <output>
        === other.sh
        echo "$output"
        """)
    written.check("cache_dir")
    written.check("output")


def test_functions_and_exported_variables_are_seen_by_other_scripts(project: Project) -> None:
    written = project("""
        === main.sh
        export APP_DIR=/srv # <def APP_DIR>
        ./child.sh
        === child.sh
        cd "$APP_DIR" # <APP_DIR>
        """)
    written.check("APP_DIR")


def test_bats_loads_its_helpers(project: Project) -> None:
    written = project("""
        === test/helpers.bash
        fixture_dir=/tmp # <def fixture_dir>
        make_fixture() { mkdir "$fixture_dir"; } # <def make_fixture> <fixture_dir>
        === test/one.bats
        load helpers
        setup() { make_fixture; } # <make_fixture>
        @test "one" { [ -d "$fixture_dir" ]; } # <fixture_dir>
        """)
    written.check("fixture_dir")
    written.check("make_fixture")


def test_scripts_without_an_ending_are_seen_by_others(project: Project) -> None:
    written = project("""
        === plugins/common/functions
        #!/usr/bin/env bash
        log_info() { echo "$1"; } # <def log_info>
        === plugins/apps/run
        #!/usr/bin/env bash
        source "$ROOT/common/functions"
        log_info "hello" # <log_info>
        """)
    written.check("log_info")


def test_what_the_grammar_cannot_read_costs_no_function(project: Project) -> None:
    written = project(
        """
        === build.sh
        fetch() { # <def fetch>
          curl `# quietly` -s "$1"
        }
        each() {
          for name do
            fetch "$name" # <fetch>
          done
          echo "${@:$index:1}"
        }
        write() {
          cat > "$file" <<< "text"
          fetch "$file" # <fetch>
        }
        odd() {
          de=${de/)*}
          x=$(( 1 +
          fetch "$de"
        }
        last() {
          fetch last # <fetch>
        }
        """
    )
    names = [d.name for d in written.outline("build.sh").definitions if d.kind == "fn"]
    assert names == ["fetch", "each", "write", "odd", "last"]
    written.check("fetch")


def test_what_a_command_is_told_to_run(project: Project) -> None:
    written = project(
        """
        === kit.sh
        clean() { :; } # <def clean>
        _kit() { :; } # <def _kit>
        trap clean EXIT # <clean>
        trap - EXIT
        complete -o default -F _kit kit # <_kit>
        echo clean _kit
        === kit.bats
        load kit
        @test "cleans" {
          run -1 clean # <clean>
        }
        """
    )
    written.check("clean")
    written.check("_kit")


def test_of_helpers_of_one_name_the_one_beside_is_loaded(project: Project) -> None:
    written = project(
        """
        === test/helper.bash
        check() { :; } # <def here>
        === test/a.bats
        load helper
        @test "a" {
          check # <here>
        }
        === plugins/kit/test/helper.bash
        check() { :; } # <def there>
        === plugins/kit/test/b.bats
        . "$BATS_TEST_DIRNAME/helper.bash"
        @test "b" {
          check # <there>
        }
        """
    )
    written.check("here", "check")
    written.check("there", "check")
