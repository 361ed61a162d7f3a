cimport cython
from cuedeck_native.tree cimport Node
from cuedeck.code.languages.python_patterns cimport PythonPatterns
cdef class PythonWalk(PythonPatterns):
    cdef public dict globals
    cdef public dict defined
    cdef public list substitutes
    cdef public object whole
    cdef public object giving
    cdef public bint remarks
    @cython.locals(child=Node, kind=str)
    cpdef assign(self, Node target, Py_ssize_t scope, Py_ssize_t annotation, Py_ssize_t value)
    @cython.locals(left=Node, right=Node, hint=Node, parts=list)
    cpdef Py_ssize_t assignment(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(child=Node)
    cpdef Py_ssize_t return_(self, Node node, Py_ssize_t scope, long role=*) except? -1
