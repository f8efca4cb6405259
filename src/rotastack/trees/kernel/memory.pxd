"""Memory of a call: a list holds it as byte strings, so it is freed however the call ends."""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.bytes cimport PyBytes_AsString, PyBytes_FromStringAndSize


cdef inline void* take(list kept, Py_ssize_t n, Py_ssize_t size) except NULL:
    """Return uninitialised memory for n items of `size` bytes, which lives as long as `kept`; or raise MemoryError.

    No other code has a reference to the byte string, so the kernel may write to it. (A bytearray would not do: Python
    3.11 warns if it cannot allocate one.)
    """
    cdef object block = PyBytes_FromStringAndSize(NULL, max(n, 1) * size)
    kept.append(block)
    return PyBytes_AsString(block)


cdef inline void* resize(array, size) except? NULL:
    """Resize an array that has no other references, in place if possible; return its new address."""
    cdef Py_buffer buffer
    cdef void* address
    array.resize(size, refcheck=False)
    PyObject_GetBuffer(array, &buffer, PyBUF_SIMPLE)
    address = buffer.buf
    PyBuffer_Release(&buffer)
    return address
