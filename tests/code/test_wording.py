"""The words of names are those that the analyser finds."""

from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import example, given, settings
from hypothesis import strategies as st

from cuedeck.code.extraction import wording
from cuedeck.search.analyser import analyse

NAMES = st.text("aAbBiInNgGsSeEdD_019-é字", max_size=14) | st.from_regex(r"\w{1,140}", fullmatch=True)


@settings(deadline=None)
@given(NAMES)
@example("HTTPServer2Go")
@example("__init__")
@example("_" * 9)
@example("x" * 129)
@example("aB" * 50)
@example("generations")
@example("utf8_1")
@example("20A")
def test_a_name_has_the_tokens_of_the_analyser(name: str) -> None:
    tokens = analyse(name)
    assert wording.name_words(name) == tuple(dict.fromkeys(tokens))
    # A word of a text begins with a letter.
    tokens = analyse(name.lstrip("0123456789"))
    said = [token for token in tokens[1:] or tokens if len(token) > 1 and token not in wording._NOISE]
    assert list(wording._PARTS[name.encode()]) == said


def test_what_is_remembered_is_bounded() -> None:
    held = wording._Parts()
    for number in range(wording._KEPT_WORDS + 10):
        assert held[b"name%d" % number]
    assert len(held) <= wording._KEPT_WORDS


STORED = """
import sys
from cuedeck.code.extraction.analysis import analyse_blob

source = b"class Shelf:\\n    '''Holds many books.'''\\n    def find(self, title): return title in rows\\n"
print(analyse_blob("0" * 40, "a.py", "python", source * 9))
"""


def test_what_is_stored_of_a_blob_does_not_depend_on_the_hashes_of_a_process() -> None:
    def stored(seed: str) -> str:
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        done = subprocess.run(
            [sys.executable, "-c", STORED], env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout

    first = stored("1")
    assert "'shelf'" in first
    assert stored("2") == stored("3") == first
