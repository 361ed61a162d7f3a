# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Syntax trees as flat records: parsed by tree-sitter, copied once, and then read without asking it again.

A tree's nodes stand in the order in which they begin, each before what is inside it. Nodes have the names and
meanings of the ``tree_sitter`` package, as far as walks use them.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_GET_SIZE
from cpython.pycapsule cimport PyCapsule_GetPointer
from libc.stdint cimport int64_t, uint16_t, uint32_t
from libc.stdlib cimport calloc, free, malloc

import sys


cdef extern from "tree_sitter/api.h" nogil:
    ctypedef struct TSLanguage:
        pass
    ctypedef struct TSParser:
        pass
    ctypedef struct TSTree
    ctypedef struct TSPoint:
        pass
    ctypedef const char *(*Read)(void *payload, uint32_t at, TSPoint point, uint32_t *size) noexcept nogil
    ctypedef struct TSInput:
        void *payload
        Read read
        int encoding
        void *decode
    int TSInputEncodingUTF8
    TSParser *ts_parser_new()
    void ts_parser_delete(TSParser *)
    bint ts_parser_set_language(TSParser *, const TSLanguage *)
    TSTree *ts_parser_parse(TSParser *, const TSTree *, TSInput)
    void ts_set_allocator(
        void *(*)(size_t) noexcept, void *(*)(size_t, size_t) noexcept,
        void *(*)(void *, size_t) noexcept, void (*)(void *) noexcept,
    )
    uint32_t ts_language_symbol_count(const TSLanguage *)
    const char *ts_language_symbol_name(const TSLanguage *, uint16_t)
    uint32_t ts_language_field_count(const TSLanguage *)
    const char *ts_language_field_name_for_id(const TSLanguage *, uint16_t)


cdef extern from "arena.h" nogil:
    ctypedef struct Arena:
        pass
    void *arena_malloc(size_t) noexcept
    void *arena_calloc(size_t, size_t) noexcept
    void *arena_realloc(void *, size_t) noexcept
    void arena_free(void *) noexcept
    void arena_enter(Arena *arena)
    void arena_leave(Arena *arena)
    void arena_end(Arena *arena)


cdef extern from "clock.h" nogil:
    int64_t thread_nanoseconds()


cdef extern from "direct.h" nogil:
    int LOOKUPS
    ctypedef struct Lookup:
        pass
    ctypedef struct Part:
        pass
    Part *parse_directly(const TSLanguage *, Arena *, Lookup *, const char *text, uint32_t size, int64_t deadline)


cdef extern from "tree.h" nogil:
    ctypedef struct Subtree:
        pass
    ctypedef struct TSTree:
        Subtree root


cdef extern from "records.h" nogil:
    int NAMED, MISSING, ERROR, BROKEN
    bint direct_records(const TSLanguage *language, Part *root, Records *made)
    bint runtime_records(const TSLanguage *language, Subtree root, Records *made)
    void forget_records(Records *made)
    bint same_records(const Records *one, const Records *other)
    uint32_t child_in_field(const Records *made, uint32_t owner, uint16_t field)


DEF CHUNK = 4096


cdef struct Source:
    const char *text
    uint32_t size
    int64_t deadline
    bint late


cdef const char *_read(void *payload, uint32_t at, TSPoint point, uint32_t *size) noexcept nogil:
    """A piece of the source; nothing more once it is late, which ends the parser too."""
    cdef Source *source = <Source *> payload
    if not source.late and at and thread_nanoseconds() > source.deadline:
        source.late = True
    if source.late or at >= source.size:
        size[0] = 0
        return source.text
    size[0] = min(<uint32_t> CHUNK, source.size - at)
    return source.text + at


cdef class Grammar:
    """A loaded grammar: the names of its kinds of nodes and of its fields."""

    def __init__(self, capsule):
        self.capsule = capsule
        self.language = PyCapsule_GetPointer(capsule, b"tree_sitter.Language")
        cdef const TSLanguage *language = <const TSLanguage *> self.language
        cdef uint32_t number
        self.kinds = [
            sys.intern(ts_language_symbol_name(language, number).decode())
            for number in range(ts_language_symbol_count(language))
        ]
        self.fields = {
            ts_language_field_name_for_id(language, number).decode(): number
            for number in range(1, ts_language_field_count(language) + 1)
        }


ts_set_allocator(arena_malloc, arena_calloc, arena_realloc, arena_free)


cdef class Memory:
    """What a thread's parsers work in."""

    cdef Arena arena

    def __dealloc__(self):
        arena_end(&self.arena)


cdef void _parse(Arena *arena, const TSLanguage *language, TSInput given, Records *made) noexcept nogil:
    """What the runtime makes of a source, whatever it holds."""
    # The tree goes with the arena; only the parser may hold something of the grammar's own.
    arena_enter(arena)
    cdef TSParser *parser = ts_parser_new()
    ts_parser_set_language(parser, language)
    cdef TSTree *parsed = ts_parser_parse(parser, NULL, given)
    if parsed is not NULL:
        runtime_records(language, parsed.root, made)
    ts_parser_delete(parser)
    arena_leave(arena)


cdef class Parser:
    """Makes trees; one thread at a time may use it and its memory."""

    cdef Grammar grammar
    cdef Memory memory
    cdef Lookup *lookups

    def __cinit__(self, Grammar grammar not None, Memory memory not None):
        self.lookups = <Lookup *> calloc(LOOKUPS, sizeof(Lookup))
        if self.lookups is NULL:
            raise MemoryError
        self.grammar = grammar
        self.memory = memory
        cdef TSParser *parser = ts_parser_new()
        cdef bint fits = ts_parser_set_language(parser, <const TSLanguage *> grammar.language)
        ts_parser_delete(parser)
        if not fits:
            raise ValueError("the grammar is of another version")

    def __dealloc__(self):
        free(self.lookups)

    def parse(self, bytes source not None, double seconds, bint directly=True):
        """The root of a source's tree, and whether so many seconds were enough for all of it.

        What is sound is parsed directly, unless told otherwise; the tree is the same.
        """
        cdef Source reading
        cdef TSInput given
        cdef const TSLanguage *language = <const TSLanguage *> self.grammar.language
        cdef Part *root = NULL
        cdef Tree tree = Tree.__new__(Tree)
        tree.grammar = self.grammar
        tree.source = source
        if PyBytes_GET_SIZE(source) >= 0x7FFFFFFF:
            raise ValueError("the source is too large")
        reading.text = PyBytes_AS_STRING(source)
        reading.size = <uint32_t> PyBytes_GET_SIZE(source)
        reading.deadline = thread_nanoseconds() + <int64_t> (seconds * 1e9)
        reading.late = False
        given.payload = &reading
        given.read = _read
        given.encoding = TSInputEncodingUTF8
        given.decode = NULL
        with nogil:
            if directly:
                arena_enter(&self.memory.arena)
                root = parse_directly(
                    language, &self.memory.arena, self.lookups, reading.text, reading.size, reading.deadline
                )
                if root is not NULL:
                    direct_records(language, root, &tree.nodes)
                arena_leave(&self.memory.arena)
            if root is NULL:
                _parse(&self.memory.arena, language, given, &tree.nodes)
        if tree.nodes.records is NULL:
            raise MemoryError
        tree.direct = root is not NULL
        return node_at(tree, 0), not reading.late


cdef class Tree:
    """The nodes of a source."""

    def __dealloc__(self):
        forget_records(&self.nodes)
        free(self.lines)

    cdef tuple point(self, uint32_t at):
        """The line and column of a byte, from 0."""
        cdef uint32_t low = 0, high, middle
        if self.lines is NULL:
            self._find_lines()
        high = self.line_count
        while high - low > 1:
            middle = (low + high) // 2
            if self.lines[middle] <= at:
                low = middle
            else:
                high = middle
        return low, at - self.lines[low]

    cdef _find_lines(self):
        cdef const char *text = PyBytes_AS_STRING(self.source)
        cdef uint32_t size = <uint32_t> PyBytes_GET_SIZE(self.source), at, count = 1
        for at in range(size):
            count += text[at] == c"\n"
        self.lines = <uint32_t *> malloc(count * sizeof(uint32_t))
        if self.lines is NULL:
            raise MemoryError
        self.lines[0] = 0
        self.line_count = 1
        for at in range(size):
            if text[at] == c"\n":
                self.lines[self.line_count] = at + 1
                self.line_count += 1


cdef Node node_at(Tree tree, uint32_t place):
    cdef Record *record = &tree.nodes.records[place]
    cdef Node node = Node.__new__(Node)
    node.tree = tree
    node.place = place
    node.start_byte = record.start
    node.end_byte = record.end
    node.kind_id = record.kind
    # An error has the last number there is.
    node.type = <str> tree.grammar.kinds[record.kind] if record.kind < len(tree.grammar.kinds) else "ERROR"
    return node


@cython.final
@cython.freelist(512)
@cython.no_gc
cdef class Node:
    """A place in a tree."""

    @property
    def children(self):
        cdef Record *records = self.tree.nodes.records
        cdef uint32_t place = self.place + 1, end = records[self.place].after
        cdef list found = []
        while place < end:
            found.append(node_at(self.tree, place))
            place = records[place].after
        return found

    @property
    def named_children(self):
        cdef Record *records = self.tree.nodes.records
        cdef uint32_t place = self.place + 1, end = records[self.place].after
        cdef list found = []
        while place < end:
            if records[place].flags & NAMED:
                found.append(node_at(self.tree, place))
            place = records[place].after
        return found

    @property
    def named_child_count(self):
        cdef Record *records = self.tree.nodes.records
        cdef uint32_t place = self.place + 1, end = records[self.place].after, count = 0
        while place < end:
            if records[place].flags & NAMED:
                count += 1
            place = records[place].after
        return count

    def named_child(self, uint32_t number):
        """The named child of that number, from 0; None where there are fewer."""
        cdef list found = self.named_children
        return found[number] if number < len(found) else None

    cpdef Node child_by_field_name(self, str name):
        """The first child in a field."""
        cdef object number = self.tree.grammar.fields.get(name)
        if number is None:
            return None
        cdef uint32_t place = child_in_field(&self.tree.nodes, self.place, number)
        return node_at(self.tree, place) if place else None

    def children_by_field_name(self, str name):
        """Every child in a field."""
        cdef uint16_t field = self.tree.grammar.fields.get(name, 0)
        cdef Record *records = self.tree.nodes.records
        cdef uint32_t place = self.place + 1, end = records[self.place].after
        cdef list found = []
        while field and place < end:
            if records[place].field == field:
                found.append(node_at(self.tree, place))
            place = records[place].after
        return found

    @property
    def parent(self):
        return node_at(self.tree, self.tree.nodes.records[self.place].parent) if self.place else None

    @property
    def prev_named_sibling(self):
        if not self.place:
            return None
        cdef Record *records = self.tree.nodes.records
        cdef uint32_t place = records[self.place].parent + 1, found = 0
        while place < self.place:
            if records[place].flags & NAMED:
                found = place
            place = records[place].after
        return node_at(self.tree, found) if found else None

    @property
    def start_point(self):
        return self.tree.point(self.start_byte)

    @property
    def end_point(self):
        return self.tree.point(self.end_byte)

    @property
    def depth(self):
        """How deep the whole tree is."""
        return self.tree.nodes.depth

    @property
    def read_directly(self):
        """Whether the whole tree was read without the runtime's parser."""
        return self.tree.direct

    @property
    def is_named(self):
        return bool(self.tree.nodes.records[self.place].flags & NAMED)

    @property
    def is_missing(self):
        return bool(self.tree.nodes.records[self.place].flags & MISSING)

    @property
    def is_error(self):
        return bool(self.tree.nodes.records[self.place].flags & ERROR)

    @property
    def has_error(self):
        return bool(self.tree.nodes.records[self.place].flags & BROKEN)

    def __eq__(self, other):
        if not isinstance(other, Node):
            return NotImplemented
        return (<Node> other).tree is self.tree and (<Node> other).place == self.place

    def __hash__(self):
        return hash((<size_t> <void *> self.tree, self.place))


def same_tree(Node one not None, Node other not None):
    """Whether two trees have the same nodes at the same places, in the same fields."""
    return same_records(&one.tree.nodes, &other.tree.nodes)
