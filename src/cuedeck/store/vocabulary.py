"""Words that were met while folding: the tokens of each as numbers, so that each is made into tokens once."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from cuedeck.store.keys import digest

if TYPE_CHECKING:
    from cuedeck.store.pieces import Numbers

# Stands for the end of a line, and has the number 0; no word holds it.
END = b"\0"
NUMBER = "<u4"
_WIDTH = 4
_MOST = 1 << 17
# What is longer, a sentence without spaces or an address, hardly comes again.
_LONGEST = 64


class Vocabulary(dict[bytes, bytes]):
    """The numbers of the tokens of every word, end to end; ``tokens_of`` is asked for words not met before.

    A line's scope tokens stand in it as they are, each with its leading ``#``.
    """

    def __init__(self, tokens_of: Callable[[str], Iterable[str]]) -> None:
        super().__init__()
        self._tokens_of = tokens_of
        self._tokens = _Tokens()
        self.shorten(0)

    def __missing__(self, word: bytes) -> bytes:
        text = word.decode()
        tokens = (text,) if text[0] == "#" else self._tokens_of(text)
        numbers = b"".join(map(self._tokens.__getitem__, tokens))
        if len(word) <= _LONGEST:
            self[word] = numbers
        return numbers

    @property
    def keys_by_number(self) -> Numbers:
        """The keys of all tokens in the order of their numbers; the end of a line has one too."""
        import numpy as np

        return np.frombuffer(bytes(self._tokens.digests), ">i8").astype(np.int64)

    def shorten(self, most: int = _MOST) -> None:
        """Forget everything when there is too much of it; numbers given before mean nothing any more."""
        if len(self) > most or not self:
            self.clear()
            self._tokens = _Tokens()
            self[END] = self._tokens[END.decode()]


class _Tokens(dict[str, bytes]):
    """The number of each token, and all their keys."""

    def __init__(self) -> None:
        super().__init__()
        self.digests = bytearray()

    def __missing__(self, token: str) -> bytes:
        number = self[token] = len(self).to_bytes(_WIDTH, "little")
        self.digests += digest(token)
        return number
