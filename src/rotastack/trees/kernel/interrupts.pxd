"""End a long call early: on Ctrl-C in the main thread, and where another thread asks for it.

Work is counted by values looked at, some nanoseconds each, so that a check comes every few milliseconds.
"""

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport int64_t

from rotastack.trees.kernel.structures cimport Watch

cdef enum:
    VALUES_BETWEEN = 1 << 19


cdef inline int pass_by(Watch* watch, int64_t n_values) except -1 nogil:
    """Count values that are looked at next; raise KeyboardInterrupt if the call shall end."""
    watch.n_values += n_values
    if watch.n_values < VALUES_BETWEEN:
        return 0
    watch.n_values = 0
    return check(watch)


cdef inline int check(Watch* watch) except -1 with gil:
    PyErr_CheckSignals()    # does nothing but in the main thread
    if watch.stop != NULL and watch.stop[0]:
        raise KeyboardInterrupt
    return 0
