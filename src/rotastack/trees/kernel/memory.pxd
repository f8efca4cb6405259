"""Memory of a call: kept by a list of byte strings, and so freed however the call ends."""

from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize


cdef inline void* take(list kept, Py_ssize_t n, Py_ssize_t size) except NULL:
    """Return n places of `size` bytes, not initialised, that live as long as `kept`; or MemoryError.

    Nobody else sees the string, so it may be written to. (Python 3.11 complains of a byte array that it
    could not make.)
    """
    cdef object block = PyBytes_FromStringAndSize(NULL, max(n, 1) * size)
    kept.append(block)
    return PyBytes_AsString(block)
