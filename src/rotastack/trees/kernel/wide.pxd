"""Loops that are compiled for several widths of vectors; the machine takes the widest that it has.

``cdef inline wide_void f(...)`` declares such a function. Its sums must be the same at any width: an
element of a vector must be a sum of its own, or a lane that the source writes out. What it calls and
is to be as wide, or to know a constant argument, is a ``cdef inline inlined_void g(...)``.
"""

cdef extern from *:
    """
    #if defined(ROTASTACK_WIDE)
    #elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__linux__) && defined(__GLIBC__) \
        && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    #define ROTASTACK_WIDE __attribute__((target_clones("default", "avx2", "avx512f")))
    #define ROTASTACK_WIDEST __builtin_cpu_supports("avx512f")
    #else
    #define ROTASTACK_WIDE
    #endif
    #if defined(ROTASTACK_WIDEST)
    #elif defined(__AVX512F__)
    #define ROTASTACK_WIDEST 1
    #else
    #define ROTASTACK_WIDEST 0
    #endif
    #if defined(__GNUC__)
    #define ROTASTACK_INLINED __attribute__((always_inline))
    #else
    #define ROTASTACK_INLINED
    #endif
    """
    ctypedef void wide_void "ROTASTACK_WIDE void"
    ctypedef void inlined_void "ROTASTACK_INLINED void"
    bint has_widest "ROTASTACK_WIDEST"      # whether there are 32 registers of 64 bytes
