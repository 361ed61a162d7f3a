# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Columns of numbers: cut out of rows, written in the narrowest width, and asked for names.

The references are ``cuedeck.code.extraction``'s ``draft``, ``packing`` and ``analysis``: the results are the
same, byte for byte.
"""

from array import array

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_ND, PyBuffer_Release, PyObject_CheckBuffer, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from cpython.long cimport PyLong_AsLongLong, PyLong_Check
from cpython.object cimport PyObject
from cpython.tuple cimport PyTuple_GET_ITEM, PyTuple_GET_SIZE
from libc.stdint cimport (
    int8_t,
    int16_t,
    int32_t,
    int64_t,
    uint8_t,
    uint16_t,
    uint32_t,
    uint64_t,
)
from libc.stdlib cimport free, qsort, realloc
from libc.string cimport memchr, memcpy, memset

cdef extern from "Python.h":
    bint PyUnicode_IS_ASCII(object)
    void *PyUnicode_DATA(object)
    Py_ssize_t PyUnicode_GET_LENGTH(object)

cdef enum:
    MAX_COLUMNS = 8
    # Where a definition has what.
    D_PARENT = 2
    D_START = 4
    D_END = 5
    D_LINE = 7
    D_LAST_LINE = 8
    D_FIELDS = 15

cdef fused Number:
    int8_t
    int16_t
    int32_t
    int64_t
    uint8_t
    uint16_t
    uint32_t


cdef inline void *_grown(void *held, int64_t count, size_t size) except NULL:
    cdef void *found = realloc(held, <size_t>count * size)
    if found == NULL:
        raise MemoryError
    return found


cdef inline int64_t _number(object value) except? -1:
    # Numbers alone: to ask anything else for its number could change what is being read.
    if not PyLong_Check(value):
        raise TypeError("a column holds numbers")
    return PyLong_AsLongLong(value)


cdef inline int _checked(int64_t number, int64_t low, int64_t high) except -1:
    if number < low or number >= high:
        raise IndexError(number)
    return 0


cdef void _widened(const Number *held, int64_t *numbers, int64_t size) noexcept:
    cdef int64_t k
    for k in range(size):
        numbers[k] = held[k]


cdef void _narrowed(const int64_t *numbers, uint8_t *out, int64_t size, int width) noexcept:
    """Numbers in so many bytes each, the low ones first on every machine."""
    cdef int64_t k
    cdef uint64_t number
    cdef int byte
    if width == 1:
        for k in range(size):
            out[k] = <uint8_t>numbers[k]
    elif width == 2:
        for k in range(size):
            number = <uint64_t>numbers[k]
            out[2 * k] = <uint8_t>number
            out[2 * k + 1] = <uint8_t>(number >> 8)
    elif width == 4:
        for k in range(size):
            number = <uint64_t>numbers[k]
            out[4 * k] = <uint8_t>number
            out[4 * k + 1] = <uint8_t>(number >> 8)
            out[4 * k + 2] = <uint8_t>(number >> 16)
            out[4 * k + 3] = <uint8_t>(number >> 24)
    else:
        for k in range(size):
            number = <uint64_t>numbers[k]
            for byte in range(8):
                out[8 * k + byte] = <uint8_t>(number >> (8 * byte))


cdef class _Numbers:
    """Room for one column of numbers, used again for the next."""

    cdef int64_t *held
    cdef int64_t size, room

    def __dealloc__(self):
        free(self.held)

    cdef int sized(self, int64_t size) except -1:
        cdef int64_t room
        if size > self.room:
            room = max(256, size, self.room * 2)
            self.held = <int64_t *>_grown(self.held, room, sizeof(int64_t))
            self.room = room
        self.size = size
        return 0

    cdef int read(self, values) except -1:
        """Take the numbers of a list, a tuple or an array."""
        cdef int64_t k, size
        cdef list listed
        cdef tuple fixed
        if type(values) is list:
            listed = values
            size = PyList_GET_SIZE(listed)
            self.sized(size)
            for k in range(size):
                self.held[k] = _number(<object>PyList_GET_ITEM(listed, k))
            return 0
        if type(values) is not tuple and PyObject_CheckBuffer(values):
            return self.copied(values)
        fixed = tuple(values)
        size = PyTuple_GET_SIZE(fixed)
        self.sized(size)
        for k in range(size):
            self.held[k] = _number(<object>PyTuple_GET_ITEM(fixed, k))
        return 0

    cdef int copied(self, values) except -1:
        cdef Py_buffer view
        cdef char code
        PyObject_GetBuffer(values, &view, PyBUF_FORMAT | PyBUF_ND)
        try:
            if view.ndim != 1 or view.itemsize < 1:
                raise TypeError("a column has one dimension")
            self.sized(view.len // view.itemsize)
            code = b"B" if view.format == NULL else view.format[0]
            if view.format != NULL and view.format[1]:
                raise TypeError("numbers of another form")
            if code in (b"B", b"H", b"I", b"L"):
                if view.itemsize == 1:
                    _widened(<const uint8_t *>view.buf, self.held, self.size)
                    return 0
                if view.itemsize == 2:
                    _widened(<const uint16_t *>view.buf, self.held, self.size)
                    return 0
                if view.itemsize == 4:
                    _widened(<const uint32_t *>view.buf, self.held, self.size)
                    return 0
            elif code in (b"b", b"h", b"i", b"l", b"q"):
                if view.itemsize == 1:
                    _widened(<const int8_t *>view.buf, self.held, self.size)
                    return 0
                if view.itemsize == 2:
                    _widened(<const int16_t *>view.buf, self.held, self.size)
                    return 0
                if view.itemsize == 4:
                    _widened(<const int32_t *>view.buf, self.held, self.size)
                    return 0
                if view.itemsize == 8:
                    _widened(<const int64_t *>view.buf, self.held, self.size)
                    return 0
            raise TypeError("numbers of another form")
        finally:
            PyBuffer_Release(&view)


cdef class Writer:
    """Columns, one behind another, as they are stored."""

    cdef uint8_t *data
    cdef int64_t size, room
    cdef _Numbers first, second

    def __cinit__(self):
        self.first = _Numbers()
        self.second = _Numbers()

    def __dealloc__(self):
        free(self.data)

    cdef uint8_t *more(self, int64_t count) except NULL:
        """Room behind what is written."""
        cdef uint8_t *found
        cdef int64_t room
        if self.size + count > self.room:
            room = max(4096, self.size + count, self.room * 2)
            self.data = <uint8_t *>_grown(self.data, room, 1)
            self.room = room
        found = self.data + self.size
        self.size += count
        return found

    cdef int write(self) except -1:
        """Write the first numbers in the narrowest width that fits all."""
        cdef int64_t k, size = self.first.size, low = 0, high = 0
        cdef int64_t *numbers = self.first.held
        cdef uint8_t *out
        cdef int width
        cdef char code
        if size >> 32:
            raise OverflowError("a column of too many numbers")
        if size:
            low = high = numbers[0]
        for k in range(size):
            low = min(low, numbers[k])
            high = max(high, numbers[k])
        if low >= 0:
            if high < 1 << 8:
                width, code = 1, b"B"
            elif high < 1 << 16:
                width, code = 2, b"H"
            elif high < <int64_t>1 << 32:
                width, code = 4, b"I"
            else:
                width, code = 8, b"q"
        else:
            high = max(high, ~low)
            if high < 1 << 7:
                width, code = 1, b"b"
            elif high < 1 << 15:
                width, code = 2, b"h"
            elif high < <int64_t>1 << 31:
                width, code = 4, b"i"
            else:
                width, code = 8, b"q"
        out = self.more(5 + size * width)
        out[0] = <uint8_t>code
        _narrowed(&size, out + 1, 1, 4)
        _narrowed(numbers, out + 5, size, width)
        return 0

    def column(self, values):
        """Numbers as they are."""
        self.first.read(values)
        self.write()

    def deltas(self, values):
        """The first number, and of the others how much each is more than the one before."""
        cdef int64_t k
        self.first.read(values)
        for k in range(self.first.size - 1, 0, -1):
            self.first.held[k] = <int64_t>(<uint64_t>self.first.held[k] - <uint64_t>self.first.held[k - 1])
        self.write()

    def differences(self, values, others):
        """How much more each of some numbers is than the other."""
        cdef int64_t k
        self.first.read(values)
        self.second.read(others)
        if self.first.size != self.second.size:
            raise ValueError("columns of different length")
        for k in range(self.first.size):
            self.first.held[k] = <int64_t>(<uint64_t>self.first.held[k] - <uint64_t>self.second.held[k])
        self.write()

    def distances(self, values, bytes among not None):
        """How far back the number's row is, where ``among`` says that it is a row; else the number."""
        cdef int64_t k
        cdef const uint8_t *chosen = <const uint8_t *>PyBytes_AS_STRING(among)
        self.first.read(values)
        if self.first.size != PyBytes_GET_SIZE(among):
            raise ValueError("columns of different length")
        for k in range(self.first.size):
            if chosen[k]:
                self.first.held[k] = <int64_t>(<uint64_t>k - <uint64_t>self.first.held[k])
        self.write()

    def raw(self, bytes data not None):
        """Bytes, and before them how many."""
        cdef int64_t size = PyBytes_GET_SIZE(data)
        cdef uint8_t *out
        if size >> 32:
            raise OverflowError("too many bytes")
        out = self.more(4 + size)
        _narrowed(&size, out, 1, 4)
        memcpy(out + 4, PyBytes_AS_STRING(data), <size_t>size)

    def strings(self, values):
        """A column of how long they are, and the strings."""
        cdef tuple texts = tuple(values)
        cdef int64_t k, count = PyTuple_GET_SIZE(texts), total = 0, size
        cdef list encoded = None
        cdef bytes one
        cdef uint8_t *out
        cdef object text
        self.first.sized(count)
        for k in range(count):
            text = <object>PyTuple_GET_ITEM(texts, k)
            if not isinstance(text, str):
                raise TypeError("a column of strings holds strings")
            if PyUnicode_IS_ASCII(text):
                size = PyUnicode_GET_LENGTH(text)
            else:
                one = text.encode("utf-8", "surrogateescape")
                if encoded is None:
                    encoded = []
                encoded.append(one)
                size = PyBytes_GET_SIZE(one)
            self.first.held[k] = size
            total += size
        if total >> 32:
            raise OverflowError("too many bytes")
        self.write()
        out = self.more(4 + total)
        _narrowed(&total, out, 1, 4)
        out += 4
        count = 0
        for k in range(PyTuple_GET_SIZE(texts)):
            text = <object>PyTuple_GET_ITEM(texts, k)
            size = self.first.held[k]
            if PyUnicode_IS_ASCII(text):
                memcpy(out, PyUnicode_DATA(text), <size_t>size)
            else:
                one = encoded[count]
                count += 1
                memcpy(out, PyBytes_AS_STRING(one), <size_t>size)
            out += size

    def written(self):
        """What was written so far."""
        return PyBytes_FromStringAndSize(<char *>self.data, self.size)


def columns(list rows not None, str codes not None):
    """Rows of numbers, one after another, as columns: one of 32 bits for each ``i``, of a byte for each ``B``."""
    cdef int64_t size = PyList_GET_SIZE(rows), count, k, number
    cdef int column, width = len(codes)
    cdef bint small[MAX_COLUMNS]
    cdef uint8_t *small_out[MAX_COLUMNS]
    cdef int32_t *out[MAX_COLUMNS]
    cdef bytes data
    cdef list found = []
    if not 0 < width <= MAX_COLUMNS or size % width:
        raise ValueError("rows of another width")
    count = size // width
    for column in range(width):
        small[column] = codes[column] == "B"
        data = PyBytes_FromStringAndSize(NULL, count * (1 if small[column] else sizeof(int32_t)))
        small_out[column] = <uint8_t *>PyBytes_AS_STRING(data)
        out[column] = <int32_t *>PyBytes_AS_STRING(data)
        found.append(data)
    for k in range(count):
        for column in range(width):
            number = _number(<object>PyList_GET_ITEM(rows, k * width + column))
            if small[column]:
                if number != <uint8_t>number:
                    raise ValueError("a number of more than a byte")
                small_out[column][k] = <uint8_t>number
            else:
                if number != <int32_t>number:
                    raise OverflowError("a number of more than 32 bits")
                out[column][k] = <int32_t>number
    return [array(code, data) for code, data in zip(codes, found)]


def across(list rows not None):
    """The numbers of rows of one length, column after column, in 32 bits."""
    cdef int64_t count = PyList_GET_SIZE(rows), width = len(<tuple?>rows[0]) if count else 0, k, column, number
    cdef bytes data = PyBytes_FromStringAndSize(NULL, count * width * sizeof(int32_t))
    cdef int32_t *out = <int32_t *>PyBytes_AS_STRING(data)
    cdef tuple row
    for k in range(count):
        row = <tuple?>rows[k]
        if PyTuple_GET_SIZE(row) != width:
            raise ValueError("rows of different width")
        for column in range(width):
            number = _number(<object>PyTuple_GET_ITEM(row, column))
            if number != <int32_t>number:
                raise OverflowError("a number of more than 32 bits")
            out[column * count + k] = <int32_t>number
    return array("i", data)


def line_starts(bytes source not None):
    """The byte offset at which each line starts."""
    cdef int64_t size = PyBytes_GET_SIZE(source), breaks = 0, lines = 1, k
    cdef const uint8_t *text = <const uint8_t *>PyBytes_AS_STRING(source)
    cdef uint32_t *out
    cdef bytes data
    if size >> 32:
        raise OverflowError("a file of too many bytes")
    for k in range(size):
        breaks += text[k] == 10
    # One more than there are lines: the start of the next is written before it is known that there is one.
    data = PyBytes_FromStringAndSize(NULL, (breaks + 2) * sizeof(uint32_t))
    out = <uint32_t *>PyBytes_AS_STRING(data)
    out[0] = 0
    for k in range(size):
        out[lines] = <uint32_t>(k + 1)
        lines += text[k] == 10
    # Behind the last line break there is a line only if there is something.
    if size and text[size - 1] == 10:
        lines -= 1
    return array("I", data[: lines * <int64_t>sizeof(uint32_t)])


cdef struct Placed:
    int64_t start
    int64_t end
    int64_t number


cdef int _later(const void *one, const void *other) noexcept nogil:
    """The order of symbols: outer before inner, and else as they were found."""
    cdef const Placed *a = <const Placed *>one
    cdef const Placed *b = <const Placed *>other
    if a.start != b.start:
        return 1 if a.start > b.start else -1
    if a.end != b.end:
        return 1 if a.end < b.end else -1
    return 1 if a.number > b.number else -1


cdef int64_t _line(const int64_t *lines, int64_t count, int64_t offset) noexcept:
    """How many lines start at an offset or before it."""
    cdef int64_t low = 0, high = count, middle
    while low < high:
        middle = (low + high) >> 1
        if offset < lines[middle]:
            high = middle
        else:
            low = middle + 1
    return low


cdef class _Order:
    cdef Placed *held

    def __cinit__(self, int64_t count):
        self.held = <Placed *>_grown(NULL, count + 1, sizeof(Placed))

    def __dealloc__(self):
        free(self.held)


def ordered(list drafts not None, lines, make not None):
    """Drafts of definitions as definitions in the order of the source, and where each went."""
    cdef int64_t count = PyList_GET_SIZE(drafts), k, parent
    cdef _Order order = _Order(count)
    cdef Placed *placed = order.held
    cdef _Numbers starts = _Numbers()
    cdef list draft, moved = [-1] * (count + 1), found = []
    starts.read(lines)
    for k in range(count):
        draft = <list?>drafts[k]
        if len(draft) != D_FIELDS:
            raise ValueError("a definition of another form")
        placed[k].start = _number(draft[D_START])
        placed[k].end = _number(draft[D_END])
        placed[k].number = k
    qsort(placed, <size_t>count, sizeof(Placed), _later)
    for k in range(count):
        moved[placed[k].number] = k
    for k in range(count):
        draft = <list>drafts[placed[k].number]
        parent = _number(draft[D_PARENT])
        _checked(parent, -1, count)
        if parent >= 0:
            draft[D_PARENT] = moved[parent]
        draft[D_LINE] = _line(starts.held, starts.size, placed[k].start)
        draft[D_LAST_LINE] = _line(starts.held, starts.size, max(placed[k].start, placed[k].end - 1))
        found.append(tuple.__new__(make, draft))
    return tuple(found), moved


cdef inline uint64_t _slot(uint64_t key) noexcept:
    key ^= key >> 33
    key *= <uint64_t>0xff51afd7ed558ccd
    key ^= key >> 33
    key *= <uint64_t>0xc4ceb9fe1a85ec53
    return key ^ (key >> 33)


cdef class _Bound:
    """Which names are bound in which scopes."""

    cdef uint64_t *keys
    cdef uint64_t mask, seed

    def __dealloc__(self):
        free(self.keys)

    cdef int sized(self, int64_t count) except -1:
        cdef uint64_t room = 16
        while room < <uint64_t>(2 * count):
            room *= 2
        self.keys = <uint64_t *>_grown(self.keys, room, sizeof(uint64_t))
        memset(self.keys, 0xFF, room * sizeof(uint64_t))
        self.mask = room - 1
        self.seed = <uint64_t>(hash(b"names of a blob") & 0xFFFFFFFFFFFFFFF)
        return 0

    cdef inline uint64_t find(self, uint64_t key) noexcept:
        cdef uint64_t slot = _slot(key ^ self.seed) & self.mask
        while self.keys[slot] != key and self.keys[slot] != <uint64_t>-1:
            slot = (slot + 1) & self.mask
        return slot

    cdef inline void add(self, int64_t scope, int64_t name) noexcept:
        cdef uint64_t key = <uint64_t>(scope + 1) << 32 | <uint64_t>name
        self.keys[self.find(key)] = key

    cdef inline bint has(self, int64_t scope, int64_t name) noexcept:
        cdef uint64_t key = <uint64_t>(scope + 1) << 32 | <uint64_t>name
        return self.keys[self.find(key)] == key


cdef bint _hidden(
    _Bound bound, const uint8_t *inside, const int64_t *around, int64_t scope, int64_t name
) noexcept:
    """Whether a name used in a scope is a variable of a function around it."""
    if scope < 0 or not inside[scope]:
        return False
    while not bound.has(scope, name):
        if scope < 0:
            return False
        scope = around[scope]
        if scope >= 0 and not inside[scope]:
            return False
    return True


def seen_outside(
    tuple strings not None,
    bytes ops not None,
    a,
    b,
    bindings,
    scopes,
    int64_t scope_count,
    bytes is_name not None,
    bytes is_member not None,
    bytes is_inner not None,
    int64_t imported,
):
    """What ``names_seen_outside`` gives; tables say which ops and which kinds of scope count.

    ``scopes`` has all kinds and then all scopes around; a scope comes after the one around it.
    """
    cdef int64_t count = PyTuple_GET_SIZE(strings), rows = PyBytes_GET_SIZE(ops), k, scope, name
    cdef _Numbers left = _Numbers(), right = _Numbers(), holders = _Numbers(), names = _Numbers()
    cdef _Numbers kinds = _Numbers(), originals = _Numbers(), around = _Numbers()
    cdef _Bound bound = _Bound()
    cdef const uint8_t *op = <const uint8_t *>PyBytes_AS_STRING(ops)
    cdef const uint8_t *named = <const uint8_t *>PyBytes_AS_STRING(is_name)
    cdef const uint8_t *member = <const uint8_t *>PyBytes_AS_STRING(is_member)
    cdef const uint8_t *inner = <const uint8_t *>PyBytes_AS_STRING(is_inner)
    cdef bytes flags = PyBytes_FromStringAndSize(NULL, count), insides
    cdef uint8_t *found = <uint8_t *>PyBytes_AS_STRING(flags)
    cdef uint8_t *inside
    if not PyBytes_GET_SIZE(is_name) == PyBytes_GET_SIZE(is_member) == PyBytes_GET_SIZE(is_inner) == 256:
        raise ValueError("a table has a byte for each value of a byte")
    holder_column, name_column, _, kind_column, _, original_column = bindings
    left.read(a)
    right.read(b)
    holders.read(holder_column)
    names.read(name_column)
    kinds.read(kind_column)
    originals.read(original_column)
    around.read(scopes)
    if left.size != rows or right.size != rows or not (
        holders.size == names.size == kinds.size == originals.size
    ):
        raise ValueError("columns of different length")
    if not 0 <= scope_count <= around.size // 2:
        raise ValueError("scopes that are not told")
    memset(found, 0, <size_t>count)
    insides = PyBytes_FromStringAndSize(NULL, scope_count)
    inside = <uint8_t *>PyBytes_AS_STRING(insides)
    for k in range(scope_count):
        _checked(around.held[k], 0, 256)
        _checked(around.held[scope_count + k], -1, k)
        inside[k] = inner[around.held[k]]
    bound.sized(holders.size)
    for k in range(holders.size):
        scope = holders.held[k]
        name = names.held[k]
        _checked(scope, -1, scope_count)
        _checked(name, 0, count)
        if scope >= 0 and not inside[scope]:
            found[name] = 1
        else:
            bound.add(scope, name)
        if kinds.held[k] == imported:
            _checked(originals.held[k], 0, count)
            found[name] = 1
            found[originals.held[k]] = 1
    for k in range(rows):
        if not (named[op[k]] or member[op[k]]):
            continue
        name = right.held[k]
        _checked(name, 0, count)
        if found[name]:
            continue
        if named[op[k]]:
            scope = left.held[k]
            _checked(scope, -1, scope_count)
            if _hidden(bound, inside, around.held + scope_count, scope, name):
                continue
        found[name] = 1
    seen = [<object>PyTuple_GET_ITEM(strings, k) for k in range(count) if found[k]]
    return [text for text in seen if text not in ("", "*")]


def storable(names, int64_t most, is_text):
    """The names that are no longer than ``most`` and of which ``is_text`` says that they are text.

    It is asked only of those with letters beyond ASCII: of the others, those are text that hold no NUL.
    """
    cdef list found = []
    cdef object name
    for name in names:
        if not isinstance(name, str):
            raise TypeError("a name is a string")
        if PyUnicode_GET_LENGTH(name) > most:
            continue
        if PyUnicode_IS_ASCII(name):
            if memchr(PyUnicode_DATA(name), 0, <size_t>PyUnicode_GET_LENGTH(name)) == NULL:
                found.append(name)
        elif is_text(name):
            found.append(name)
    return found
