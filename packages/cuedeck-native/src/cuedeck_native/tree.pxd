from libc.stdint cimport uint16_t, uint32_t, uint8_t


cdef extern from "records.h":
    ctypedef struct Record:
        uint32_t start
        uint32_t end
        uint32_t parent
        uint32_t after
        uint16_t kind
        uint16_t field
        uint8_t flags
    ctypedef struct Records:
        Record *records
        uint32_t depth


cdef class Grammar:
    cdef object capsule
    cdef const void *language
    cdef list kinds
    cdef dict fields


cdef class Tree:
    cdef Grammar grammar
    cdef bytes source
    cdef Records nodes
    cdef bint direct
    cdef uint32_t *lines  # where lines begin; found when a point is first asked for
    cdef uint32_t line_count

    cdef tuple point(self, uint32_t at)
    cdef _find_lines(self)


cdef class Node:
    cdef Tree tree
    cdef uint32_t place
    cdef readonly uint32_t start_byte
    cdef readonly uint32_t end_byte
    cdef readonly int kind_id
    cdef readonly str type

    cpdef Node child_by_field_name(self, str name)


cdef Node node_at(Tree tree, uint32_t place)
