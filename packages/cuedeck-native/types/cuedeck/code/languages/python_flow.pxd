cimport cython
from cuedeck.code.extraction.draft cimport Walk
from cuedeck_native.tree cimport Node


cdef class PythonFlow(Walk):
    cdef public int comment_kind, block_kind, else_kind, finally_kind, not_kind
    cdef public list leaving, jumping, told, denied, ended
    cdef public Py_ssize_t last, until, behind, settled
    cdef public bint renewed
    cdef public set given, brought, checked, changing, changed, written, owners
    cdef public dict tested, held

    @cython.locals(child=Node, kind=int, last=int, nothing=int, table=list)
    cpdef int statements(self, Node node, Py_ssize_t scope) except? -1
    @cython.locals(child=Node)
    cpdef Py_ssize_t surely(self, Node node, Py_ssize_t scope, long role=*) except? -1
    cpdef settle(self, Py_ssize_t name, Py_ssize_t scope, Py_ssize_t place)
    @cython.locals(child=Node, condition=Node, kind=int)
    cpdef tuple condition(self, Node node, Py_ssize_t scope)
