from cuedeck_native.tree cimport Node
from cuedeck.code.languages.python_operators cimport PythonOperators
cdef class PythonPatterns(PythonOperators):
    cdef public object subject
