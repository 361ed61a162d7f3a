"""From the bytes of a file to stored facts, here or in parsing processes."""

from cuedeck.native import compiled

__path__[:0] = compiled("extraction")
