"""A binary heap of waiting nodes, in the order of decreasing gain and then of node number."""

from libc.stdint cimport int32_t


cdef inline bint precedes(int32_t a, int32_t b, const double* gains) noexcept nogil:
    return gains[a] > gains[b] or (gains[a] == gains[b] and a < b)


cdef inline void push(int32_t* heap, Py_ssize_t size, int32_t node, const double* gains) noexcept nogil:
    """Add a node to a heap of `size` nodes."""
    cdef Py_ssize_t i = size, up
    while i > 0:
        up = (i - 1) // 2
        if not precedes(node, heap[up], gains):
            break
        heap[i] = heap[up]
        i = up
    heap[i] = node


cdef inline int32_t pop(int32_t* heap, Py_ssize_t size, const double* gains) noexcept nogil:
    """Remove and return the first node of a heap of `size` nodes."""
    cdef int32_t top = heap[0], last = heap[size - 1]
    cdef Py_ssize_t i = 0, down = 1
    size -= 1
    while down < size:
        if down + 1 < size and precedes(heap[down + 1], heap[down], gains):
            down += 1
        if not precedes(heap[down], last, gains):
            break
        heap[i] = heap[down]
        i = down
        down = 2 * i + 1
    heap[i] = last
    return top
