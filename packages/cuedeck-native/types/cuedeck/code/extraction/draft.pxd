cimport cython
from cuedeck_native.tree cimport Node

cdef class Draft:
    cdef public bytes source
    cdef public Py_ssize_t base
    cdef public object numbers
    cdef public list rows
    cdef public list lists
    cdef public list bound
    cdef public list scopes
    cdef public list imports
    cdef public list definitions
    cdef public list names
    cdef public str space

    cpdef Py_ssize_t name(self, Node node) except? -1
    cpdef str text(self, Node node)
    @cython.locals(rows=list)
    cpdef Py_ssize_t row(self, long op, Py_ssize_t a, Py_ssize_t b=*, object pos=*, long role=*) except? -1
    cpdef Py_ssize_t items(self, object numbers) except? -1
    cpdef bind(self, Py_ssize_t scope, Py_ssize_t name, Py_ssize_t pos, long kind, Py_ssize_t x=*, Py_ssize_t y=*)

cdef class Walk(Draft):
    cdef public list table
    cpdef Py_ssize_t visit(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(child=Node, table=list)
    cpdef Py_ssize_t children(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(child=Node, value=Py_ssize_t)
    cpdef Py_ssize_t only(self, Node node, Py_ssize_t scope, long role=*) except? -1
