"""Words as numbers: each is made into tokens once, and what is to be folded travels as numbers and keys."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from itertools import count
from typing import NamedTuple

from cuedeck.store.keys import digest

# Stands for the end of a line, and has the number 0; no word holds it.
END = b"\0"
NUMBER = "<u4"
KEY = ">i8"
_WIDTH = 4
_MOST = 1 << 17
# What is longer, a sentence without spaces or an address, hardly comes again.
_LONGEST = 64


class Coded(NamedTuple):
    """Lines of words, all records' end to end.

    ``lines`` has which of the distinct lines each is, ``numbers`` the tokens of the distinct lines with a 0
    after each, ``keys`` those of all tokens of the vocabulary so far, in the order of their numbers.
    """

    generation: int
    lines: bytes
    numbers: bytes
    keys: bytes


class Vocabulary(dict[bytes, bytes]):
    """The numbers of the tokens of every word, end to end; ``tokens_of`` is asked for words not met before.

    A line's scope tokens stand in it as they are, each with its leading ``#``.
    """

    def __init__(self, tokens_of: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self._tokens_of = tokens_of
        self._generation = 0
        self._begin()

    def __missing__(self, word: bytes) -> bytes:
        text = word.decode()
        tokens = (text,) if text[0] == "#" else self._tokens_of(text)
        numbers = b"".join(map(self._tokens.__getitem__, tokens))
        if len(word) <= _LONGEST:
            self[word] = numbers
        return numbers

    def coded(self, lines: Sequence[bytes]) -> Coded:
        """Lines of words as numbers; each distinct line is made into them once."""
        if max(len(self), len(self._tokens)) > _MOST:
            self._begin()
        distinct: defaultdict[bytes, int] = defaultdict(count().__next__)
        which = array("I", map(distinct.__getitem__, lines))
        words = (b" %b " % END).join([*distinct, b""]).split()
        numbers = b"".join(map(self.__getitem__, words))
        return Coded(self._generation, which.tobytes(), numbers, bytes(self._tokens.keys_by_number))

    def _begin(self) -> None:
        self.clear()
        self._generation += 1
        self._tokens = _Tokens()
        self[END] = self._tokens[END.decode()]


class _Tokens(dict[str, bytes]):
    """The number of each token, and all their keys."""

    def __init__(self) -> None:
        super().__init__()
        self.keys_by_number = bytearray()

    def __missing__(self, token: str) -> bytes:
        number = self[token] = len(self).to_bytes(_WIDTH, "little")
        self.keys_by_number += digest(token)
        return number


class KnownKeys:
    """The keys that both ends of a pipe know already: only what is new goes through it."""

    def __init__(self) -> None:
        self._generation = 0
        self._keys = b""

    def abridged(self, coded: Coded) -> Coded:
        """What to send of it."""
        known = len(self._keys) if coded.generation == self._generation else 0
        self._generation, self._keys = coded.generation, coded.keys
        return coded._replace(keys=coded.keys[known:])

    def restored(self, coded: Coded) -> Coded:
        """What was sent, whole again."""
        known = self._keys if coded.generation == self._generation else b""
        self._generation, self._keys = coded.generation, known + coded.keys
        return coded._replace(keys=self._keys)
