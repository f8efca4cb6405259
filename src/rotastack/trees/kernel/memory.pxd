"""Memory of a call: kept by a list of byte arrays, and so freed however the call ends."""

from cpython.bytearray cimport PyByteArray_AsString, PyByteArray_FromStringAndSize


cdef inline void* take(list kept, Py_ssize_t n, Py_ssize_t size) except NULL:
    """Return n places of `size` bytes, not initialised, that live as long as `kept`; MemoryError without them."""
    cdef object block = PyByteArray_FromStringAndSize(NULL, max(n, 1) * size)
    kept.append(block)
    return PyByteArray_AsString(block)
