# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Names cut into their parts: what ``NAME_PART`` of ``cuedeck.search.analyser`` finds in a name of plain letters."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.unicode cimport PyUnicode_DecodeASCII


cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)


cdef inline bint _upper(unsigned char c) noexcept:
    return c"A" <= c <= c"Z"


cdef inline bint _lower(unsigned char c) noexcept:
    return c"a" <= c <= c"z"


cdef inline bint _digit(unsigned char c) noexcept:
    return c"0" <= c <= c"9"


cdef list _cut(const unsigned char *text, Py_ssize_t size):
    cdef Py_ssize_t at = 0, start
    cdef list parts = []
    while at < size:
        start = at
        if _upper(text[at]):
            while at < size and _upper(text[at]):
                at += 1
            if at < size and _lower(text[at]):
                # The last capital begins the next part, or this one if it is alone.
                at -= 1
                if at == start:
                    at += 1
                    while at < size and _lower(text[at]):
                        at += 1
        elif _lower(text[at]):
            while at < size and _lower(text[at]):
                at += 1
        elif _digit(text[at]):
            while at < size and _digit(text[at]):
                at += 1
        else:
            at += 1
            continue
        parts.append(PyUnicode_DecodeASCII(<const char *> text + start, at - start, NULL))
    return parts


cdef class Saying:
    """What the parts of an identifier say: ``said`` has it for each part, ``otherwise`` for names that are not
    plain or longer than ``longest``."""

    cdef object said, otherwise
    cdef Py_ssize_t longest

    def __init__(self, said, otherwise, Py_ssize_t longest):
        self.said = said
        self.otherwise = otherwise
        self.longest = longest

    def of(self, bytes word not None):
        cdef const unsigned char *text = <const unsigned char *> PyBytes_AS_STRING(word)
        cdef Py_ssize_t size = PyBytes_GET_SIZE(word), first = 0, at, letters = 0
        cdef list parts, found = []
        while first < size and _digit(text[first]):
            first += 1
        if first == size or size - first > self.longest:
            return self.otherwise(word)
        for at in range(first, size):
            if not (_lower(text[at]) or _upper(text[at]) or _digit(text[at]) or text[at] == c"_"):
                return self.otherwise(word)
        parts = _cut(text + first, size - first)
        for part in parts:
            letters += (<str> part).isalpha() and len(<str> part) == 1
        if letters == len(parts):
            # Single letters are no parts.
            parts = ["".join(parts)] if parts else parts
        for part in parts:
            say = self.said[part]
            if say:
                found.append(say)
        return tuple(found)


cdef class Naming:
    """The tokens of a symbol's name: ``stems`` has the stem of each word, ``otherwise`` reads what is not plain."""

    cdef object stems, stem, otherwise
    cdef Py_ssize_t longest

    def __init__(self, stems, stem, otherwise, Py_ssize_t longest):
        self.stems = stems
        self.stem = stem
        self.otherwise = otherwise
        self.longest = longest

    def of(self, str name not None):
        cdef Py_ssize_t size = PyUnicode_GET_LENGTH(name), at
        cdef const unsigned char *text
        cdef list parts
        cdef dict found
        if size > self.longest or not size or not PyUnicode_IS_ASCII(name):
            return self.otherwise(name)
        text = <const unsigned char *> PyUnicode_DATA(name)
        if _digit(text[0]):
            return self.otherwise(name)
        for at in range(size):
            if not (_lower(text[at]) or _upper(text[at]) or _digit(text[at]) or text[at] == c"_"):
                return self.otherwise(name)
        parts = _cut(text, size)
        if not parts:
            return ()
        found = {self.stem("".join(parts).lower()): None}
        if len(parts) > 1:
            for part in parts:
                if len(<str> part) > 1 or (<str> part).isdigit():
                    found[self.stems[part]] = None
        return tuple(found)
