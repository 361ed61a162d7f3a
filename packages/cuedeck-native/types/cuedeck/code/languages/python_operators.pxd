from cuedeck.code.languages.python_expressions cimport PythonExpressions
cdef class PythonOperators(PythonExpressions):
    pass
