"""Functions compiled for several widths of vectors; at run time the machine's widest version is used.

``cdef inline wide_void f(...)`` declares such a function. Its sums must not depend on the width: each element of a
vector must belong to a separate sum, or to a lane that the source writes out. A function that it calls must be declared
``cdef inline inlined_void g(...)`` to be compiled for the same widths and for constant arguments.
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
    #if defined(ROTASTACK_INLINED)
    #elif defined(__GNUC__)
    #define ROTASTACK_INLINED __attribute__((always_inline))
    #else
    #define ROTASTACK_INLINED
    #endif
    """
    ctypedef void wide_void "ROTASTACK_WIDE void"
    ctypedef void inlined_void "ROTASTACK_INLINED void"
    bint has_widest "ROTASTACK_WIDEST"      # whether the machine has 32 registers of 64 bytes
