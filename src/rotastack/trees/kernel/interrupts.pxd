"""End a long call early: on Ctrl-C in the main thread, or when another thread sets `stop`.

Work is counted in processed values, which take some nanoseconds each, so a check comes every few milliseconds.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t, uint8_t

from rotastack.trees.kernel.structures cimport Watch

cdef enum:
    VALUES_BETWEEN = 1 << 19


cdef inline void start_watch(Watch* watch, const uint8_t[::1] stop) noexcept:
    """Start a call's count; `stop` is the array whose entry another thread sets to 1, or None."""
    watch.n_values = 0
    watch.stop = &stop[0] if stop is not None else NULL


cdef inline int pass_by(Watch* watch, int64_t n_values) except -1 nogil:
    """Count the values to be processed next; from time to time, raise KeyboardInterrupt if the call should end."""
    watch.n_values += n_values
    if watch.n_values < VALUES_BETWEEN:
        return 0
    watch.n_values = 0
    return check(watch)


cdef inline int check(Watch* watch) except -1 with gil:
    PyErr_CheckSignals()    # has no effect outside the main thread
    if watch.stop != NULL and watch.stop[0]:
        raise KeyboardInterrupt
    return 0
