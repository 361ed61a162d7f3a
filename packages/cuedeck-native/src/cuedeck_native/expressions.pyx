# cython: language_level=3, boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
"""Python's commonest expressions, visited without making a node of each.

The reference is ``cuedeck.code.languages.python_expressions``: the rows are the same, in the same order. What is
not visited here is handed to its handler.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.list cimport PyList_GET_ITEM, PyList_GET_SIZE
from libc.stdint cimport uint8_t, uint16_t, uint32_t

from cuedeck.code.languages.python_expressions cimport PythonExpressions
from cuedeck_native.tree cimport Node, Record, Tree, node_at

from cuedeck.code.facts import MANY, NAMING, OP_MASK, ROLE_SHIFT, Op, Role
from cuedeck.code.languages import python_expressions as reference

cdef extern from "Python.h":
    int Py_EnterRecursiveCall(const char *where)  # not 0: it has raised
    void Py_LeaveRecursiveCall()

cdef extern from "records.h" nogil:
    int NAMED

# What is done with a kind of node.
cdef enum:
    HANDED, NOTHING, IDENTIFIER, ATTRIBUTE, CALL, STRING, SEQUENCE, CHILDREN, ONLY

cdef long SHIFT = ROLE_SHIFT
cdef long NAME_OP = Op.NAME, ATTR_OP = Op.ATTR, CALL_OP = Op.CALL, KEYWORD_OP = Op.KEYWORD
cdef long WRITTEN_OP = Op.KEYWORD | Role.WRITE << ROLE_SHIFT, LISTED_OP = Op.TUPLE | Role.WRITE << ROLE_SHIFT
cdef long TUPLE_OP = Op.TUPLE, UNION_OP = Op.UNION
cdef long MASK = OP_MASK
cdef long CALLED = Role.CALL, TYPED = Role.TYPE
cdef frozenset TAKING_TYPES = reference._TYPED
cdef frozenset ASKING = reference.ASKING
cdef int MOST_ARGUMENTS = reference._MAX_ARGUMENTS
cdef long MOST_TOLD = MANY

# By the name of the handler of a kind.
cdef dict ACTIONS = {
    "nothing": NOTHING,
    "identifier": IDENTIFIER,
    "attribute": ATTRIBUTE,
    "call": CALL,
    "string": STRING,
    "sequence": SEQUENCE,
    "children": CHILDREN,
    "only": ONLY,
}


def quickened(list table, object walk, object grammar):
    """A table of handlers in which a visitor takes the place of those that it knows."""
    cdef dict actions = {getattr(walk, name): action for name, action in ACTIONS.items()}
    cdef object visited = Visitor(table, actions, grammar).visited
    return [visited if actions.get(handler, NOTHING) != NOTHING else handler for handler in table]


cdef class Visitor:
    """Visits the kinds of a grammar's nodes whose handlers are known here; ``table`` has those of the others."""

    cdef uint8_t actions[65536]
    cdef list table
    cdef int interpolation, comment, listing, collecting

    def __init__(self, list table, dict actions, object grammar):
        cdef int kind
        self.table = table
        self.interpolation = grammar.id_for_node_kind("interpolation", True)
        self.comment = grammar.id_for_node_kind("comment", True)
        self.listing = grammar.id_for_node_kind("list", True)
        self.collecting = grammar.id_for_node_kind("set", True)
        for kind in range(65536):
            self.actions[kind] = actions.get(table[kind], HANDED)

    def visited(self, PythonExpressions walk not None, Node node not None, Py_ssize_t scope, long role=0):
        """What a node evaluates to."""
        return self.visit(walk, node.tree, node.place, scope, role)

    cdef Py_ssize_t visit(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope, long role
    ) except? -1:
        cdef Record *record = &tree.nodes.records[place]
        cdef uint8_t action = self.actions[record.kind]
        cdef Py_ssize_t found
        if action == NOTHING:
            return 0
        if action == IDENTIFIER:
            return _row(walk, NAME_OP | role << SHIFT, scope, _name(walk, record), record.start)
        if action == HANDED:
            return (<object> PyList_GET_ITEM(self.table, record.kind))(walk, node_at(tree, place), scope, role)
        if record.after == place + 1 and (action == ATTRIBUTE or action == CALL):
            raise IndexError(place)
        if Py_EnterRecursiveCall(b" in an expression"):
            return -1
        try:
            if action == ATTRIBUTE:
                found = self.attribute(walk, tree, place, scope, role)
            elif action == CALL:
                found = self.call(walk, tree, place, scope)
            elif action == STRING:
                found = self.string(walk, tree, place, scope, role)
            elif action == SEQUENCE:
                found = self.sequence(walk, tree, place, scope, role)
            elif action == CHILDREN:
                found = self.children(walk, tree, place, scope)
            else:
                found = self.only(walk, tree, place, scope, role)
        finally:
            Py_LeaveRecursiveCall()
        return found

    cdef Py_ssize_t children(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef uint32_t child = place + 1, end = records[place].after
        while child < end:
            if records[child].flags & NAMED and self.actions[records[child].kind] != NOTHING:
                self.visit(walk, tree, child, scope, 0)
            child = records[child].after
        return 0

    cdef Py_ssize_t only(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope, long role
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef uint32_t child = place + 1, end = records[place].after
        cdef Py_ssize_t value = 0
        while child < end:
            if records[child].flags & NAMED:
                value = self.visit(walk, tree, child, scope, role)
            child = records[child].after
        return value

    cdef Py_ssize_t attribute(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope, long role
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef Record *target = &records[place + 1]
        cdef uint32_t member = _last(records, place)
        cdef Py_ssize_t value = self.visit(walk, tree, place + 1, scope, 0)
        cdef tuple kinds
        if walk.tested and target.kind != walk.identifier_kind:
            kinds = walk.tested.get(walk.source[records[place].start : target.end], ())
            if kinds:
                value = walk.seen(value, kinds)
        return _row(walk, ATTR_OP | role << SHIFT, value, _name(walk, &records[member]), records[member].start)

    cdef Py_ssize_t call(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef uint32_t arguments = _last(records, place), child, name, value, first = 0
        cdef Py_ssize_t callee = self.visit(walk, tree, place + 1, scope, CALLED), made, key
        cdef bytes called = walk.last_name(callee)
        cdef long inner = TYPED if called in TAKING_TYPES else 0, as_type
        cdef bint variable = called == b"TypeVar", cast = called == b"cast", some = False, known
        cdef long told = 0
        cdef list given = []
        if records[arguments].kind == walk.arguments_kind:
            child = arguments + 1
            while child < records[arguments].after:
                if not records[child].flags & NAMED:
                    child = records[child].after
                    continue
                first = first or child
                if records[child].kind == walk.keyword_kind:
                    if records[child].after == child + 1:
                        raise IndexError(child)
                    name, value = child + 1, _last(records, child)
                    key = _name(walk, &records[name])
                    if records[value].kind == walk.lambda_kind:
                        _row(walk, KEYWORD_OP, callee, key, records[name].start)
                        made = walk.named_function(node_at(tree, value), scope, called, callee, given)
                    else:
                        made = self.visit(walk, tree, value, scope, inner)
                        known = made != 0 and made + 1 == PyList_GET_SIZE(walk.rows) >> 2
                        _row(walk, WRITTEN_OP if known else KEYWORD_OP, callee, key, records[name].start)
                    if variable and _says(walk, &records[name], b"bound", 5):
                        given.append(made)
                        some = some or made != 0
                elif records[child].kind != self.comment:
                    # A type variable is first named in a string: that is no use of the name.
                    as_type = inner if given or cast else 0
                    if records[child].kind == walk.lambda_kind:
                        made = walk.handed(node_at(tree, child), scope, callee, len(given))
                    else:
                        made = self.visit(walk, tree, child, scope, as_type) or walk.literal(
                            records[child].kind, records[child].start
                        )
                        if records[child].kind == walk.list_splat_kind or records[child].kind == walk.dictionary_splat_kind:
                            told = MOST_TOLD
                    given.append(made)
                    some = some or made != 0
                child = records[child].after
        elif arguments != place + 1:
            made = self.visit(walk, tree, arguments, scope, 0)
            given.append(made)
            some = made != 0
        if first and given and called[:2] in ASKING:
            walk.asked(called, callee, node_at(tree, first), scope, given)
        told = max(told, min(len(given), MOST_TOLD))
        return _row(walk, CALL_OP | told << SHIFT, callee, walk.items(given[:MOST_ARGUMENTS]) if some else 0, -1)

    cdef Py_ssize_t string(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope, long role
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef uint32_t child = place + 1, end = records[place].after
        if role == TYPED:
            return walk.quoted(node_at(tree, place), scope)
        while child < end:
            if records[child].kind == self.interpolation:
                self.children(walk, tree, child, scope)
            child = records[child].after
        return 0

    cdef Py_ssize_t sequence(
        self, PythonExpressions walk, Tree tree, uint32_t place, Py_ssize_t scope, long role
    ) except? -1:
        cdef Record *records = tree.nodes.records
        cdef uint32_t child = place + 1, end = records[place].after
        cdef list values = []
        cdef bint listed = records[place].kind == self.listing or records[place].kind == self.collecting
        while child < end:
            if records[child].flags & NAMED and records[child].kind != self.comment:
                values.append(self.visit(walk, tree, child, scope, role))
            child = records[child].after
        return _row(walk, LISTED_OP if listed else TUPLE_OP, 0, walk.items(values), -1)


cdef inline uint32_t _last(Record *records, uint32_t place) noexcept:
    """The last child of a node, or the node itself if it has none."""
    cdef uint32_t child = place + 1, end = records[place].after, last = place
    while child < end:
        last = child
        child = records[child].after
    return last


cdef inline bint _says(PythonExpressions walk, Record *record, const char *text, uint32_t size) noexcept:
    cdef const char *found = PyBytes_AS_STRING(walk.source) + record.start
    cdef uint32_t k
    if record.end - record.start != size:
        return False
    for k in range(size):
        if found[k] != text[k]:
            return False
    return True


cdef inline Py_ssize_t _name(PythonExpressions walk, Record *record) except -1:
    """The number of a node's text."""
    if record.end > <uint32_t> PyBytes_GET_SIZE(walk.source):
        raise IndexError(record.end)
    return walk.numbers[
        PyBytes_FromStringAndSize(PyBytes_AS_STRING(walk.source) + record.start, record.end - record.start)
    ]


cdef inline Py_ssize_t _row(PythonExpressions walk, long op, Py_ssize_t a, Py_ssize_t b, Py_ssize_t at) except -1:
    """Add an expression at a place, or at that of the last one; its number."""
    cdef list rows = walk.rows
    cdef Py_ssize_t size = PyList_GET_SIZE(rows)
    cdef object position = <object> PyList_GET_ITEM(rows, size - 1) if at < 0 else at + walk.base
    rows.append(op)
    rows.append(a)
    rows.append(b)
    rows.append(position)
    return size >> 2
