"""Memory of a call: kept by a list of byte strings, and so freed however the call ends."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize


cdef inline void* take(list kept, Py_ssize_t n, Py_ssize_t size) except NULL:
    """Return n places of `size` bytes, not initialised, that live as long as `kept`; or MemoryError.

    Nobody else sees the string, so it may be written to. (Python 3.11 complains of a byte array that it
    could not make.)
    """
    cdef object block = PyBytes_FromStringAndSize(NULL, max(n, 1) * size)
    kept.append(block)
    return PyBytes_AsString(block)


cdef inline void* resize(array, size) except? NULL:
    """Resize an array to which nothing else refers, where it is if there is room; return its new address."""
    cdef Py_buffer buffer
    cdef void* address
    array.resize(size, refcheck=False)
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    address = buffer.buf
    PyBuffer_Release(&buffer)
    return address
