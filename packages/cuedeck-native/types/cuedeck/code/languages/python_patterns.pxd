from cuedeck_native.tree cimport Node
from cuedeck.code.languages.python_expressions cimport PythonExpressions
cdef class PythonPatterns(PythonExpressions):
    cdef public object subject
