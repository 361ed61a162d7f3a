cimport cython
from cuedeck_native.tree cimport Node
from cuedeck.code.languages.python_flow cimport PythonFlow


cdef class PythonExpressions(PythonFlow):
    cdef public int identifier_kind, keyword_kind, lambda_kind, arguments_kind, list_splat_kind, dictionary_splat_kind
    cdef public dict pairs, literal_kinds, literals
    cdef public list results, listing_kinds

    @cython.locals(start=Py_ssize_t, rows=list, number=Py_ssize_t)
    cpdef Py_ssize_t identifier(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(start=Py_ssize_t, end=Py_ssize_t, rows=list, op=long, made=Py_ssize_t, text=bytes, parts=list, target=Node, member=Node, value=Py_ssize_t, at=Py_ssize_t, offset=Py_ssize_t)
    cpdef Py_ssize_t attribute(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(parts=list, table=list, rows=list, callee=Py_ssize_t, inner=long, given=list, arguments=Node, keyword=int, child=Node, kind=int, pair=list, name=Node, value=Node, start=Py_ssize_t, text=bytes, made=Py_ssize_t, as_type=long, unpacked=bint, told=long)
    cpdef Py_ssize_t call(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(name=bytes, made=Py_ssize_t)
    cpdef Py_ssize_t literal(self, int kind, Py_ssize_t start) except? -1
    @cython.locals(base=Py_ssize_t)
    cpdef bytes last_name(self, Py_ssize_t value)
    @cython.locals(child=Node)
    cpdef Py_ssize_t string(self, Node node, Py_ssize_t scope, long role=*) except? -1
    @cython.locals(child=Node)
    cpdef Py_ssize_t mapping(self, Node node, Py_ssize_t scope, long role=*) except? -1
