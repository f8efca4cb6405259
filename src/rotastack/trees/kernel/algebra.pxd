"""Linear algebra of small matrices; unlike in BLAS, the order of a sum does not depend on the width of vectors.

A sum adds its terms one by one, in order, except in `dot` and `sum_at`. These two functions have eight lanes: of
every eight terms, each lane takes one. `add_lanes` adds the lanes, and the remaining terms are added one by one.

Matrices are stored row by row; `width` is the distance between the starts of two rows. Of symmetric and triangular
matrices, only the values on and above the diagonal are used.
"""

from libc.math cimport fabs, sqrt

from rotastack.trees.kernel.wide cimport wide_void

cdef enum:
    LANES = 8
    MOST_SWEEPS = 40


cdef inline Py_ssize_t filled_up(Py_ssize_t n) noexcept nogil:
    """Return the smallest multiple of `LANES` that is at least n."""
    return (n + LANES - 1) // LANES * LANES


cdef inline double add_lanes(const double* lanes) noexcept nogil:
    return (
        ((lanes[0] + lanes[4]) + (lanes[2] + lanes[6])) + ((lanes[1] + lanes[5]) + (lanes[3] + lanes[7]))
    )


cdef inline double dot(const double* a, const double* b, Py_ssize_t n) noexcept nogil:
    """Return the dot product of the first n numbers of a and b."""
    cdef double lanes[LANES]
    cdef double total = 0.0
    cdef Py_ssize_t i = 0, l
    if n >= LANES:
        for l in range(LANES):
            lanes[l] = 0.0
        while i + LANES <= n:
            for l in range(LANES):
                lanes[l] += a[i + l] * b[i + l]
            i += LANES
        total = add_lanes(lanes)
    while i < n:
        total += a[i] * b[i]
        i += 1
    return total


cdef inline wide_void add_products(
    const double* rows, Py_ssize_t width, Py_ssize_t k, Py_ssize_t n, double* products
) noexcept nogil:
    """Add the products of all pairs of the first k columns to `products`, one of the n rows after the other.

    `rows` and `products` have the same `width`, a multiple of `LANES`; the columns from k on are zeros.
    """
    cdef double sums0[LANES]
    cdef double sums1[LANES]
    cdef double sums2[LANES]
    cdef double sums3[LANES]
    cdef Py_ssize_t i, j, r, l
    cdef const double* x
    cdef const double* y
    cdef double* sums
    cdef double x0, x1, x2, x3
    for i in range(0, k, 4):
        for j in range(i - i % LANES, width, 8):
            sums = products + i * width + j
            for l in range(LANES):
                sums0[l] = sums[l]
                sums1[l] = sums[width + l]
                sums2[l] = sums[2 * width + l]
                sums3[l] = sums[3 * width + l]
            x = rows + i
            y = rows + j
            for r in range(n):
                x0, x1, x2, x3 = x[0], x[1], x[2], x[3]
                for l in range(LANES):
                    sums0[l] += x0 * y[l]
                    sums1[l] += x1 * y[l]
                    sums2[l] += x2 * y[l]
                    sums3[l] += x3 * y[l]
                x += width
                y += width
            for l in range(LANES):
                sums[l] = sums0[l]
            for l in range(LANES):
                sums[width + l] = sums1[l]
            for l in range(LANES):
                sums[2 * width + l] = sums2[l]
            for l in range(LANES):
                sums[3 * width + l] = sums3[l]


cdef inline void add_multiple(double* target, double factor, const double* source, Py_ssize_t n) noexcept nogil:
    """Add a multiple of the first n numbers of `source` to `target`."""
    cdef Py_ssize_t i
    for i in range(n):
        target[i] += factor * source[i]


cdef inline wide_void factorize(double* matrix, Py_ssize_t width, Py_ssize_t k, double least) noexcept nogil:
    """Replace a positive definite matrix by its Cholesky factor U: the matrix is ``U' U``.

    A pivot below `least` is replaced by `least`, and the rest of its row by 0. Such a row consists of rounding errors,
    which would otherwise grow from row to row.
    """
    cdef Py_ssize_t i, j
    cdef double* row
    cdef double pivot
    for i in range(k):
        row = matrix + i * width
        if row[i] < least:
            row[i] = sqrt(least)
            for j in range(i + 1, k):
                row[j] = 0.0
            continue
        pivot = sqrt(row[i])
        row[i] = pivot
        for j in range(i + 1, k):
            row[j] /= pivot
        for j in range(i + 1, k):
            add_multiple(matrix + j * width + j, -row[j], row + j, k - j)


cdef inline wide_void solve_lower(const double* factor, Py_ssize_t width, Py_ssize_t k, double* x) noexcept nogil:
    """Replace x by the solution of ``U' z = x``."""
    cdef Py_ssize_t i
    cdef const double* row
    for i in range(k):
        row = factor + i * width
        x[i] /= row[i]
        add_multiple(x + i + 1, -x[i], row + i + 1, k - i - 1)


cdef inline wide_void solve_upper(const double* factor, Py_ssize_t width, Py_ssize_t k, double* x) noexcept nogil:
    """Replace x by the solution of ``U z = x``."""
    cdef Py_ssize_t i
    cdef const double* row
    for i in range(k - 1, -1, -1):
        row = factor + i * width
        x[i] = (x[i] - dot(row + i + 1, x + i + 1, k - i - 1)) / row[i]


cdef inline void rotate(double* a, double* b, double c, double s, Py_ssize_t n) noexcept nogil:
    """Replace the first n numbers of a and b by ``c a - s b`` and ``s a + c b``."""
    cdef Py_ssize_t i
    cdef double x, y
    for i in range(n):
        x = a[i]
        y = b[i]
        a[i] = c * x - s * y
        b[i] = s * x + c * y


cdef inline wide_void orthogonalize(
    double* rows, Py_ssize_t width, Py_ssize_t n, double* squares, Py_ssize_t n_top
) noexcept nogil:
    """Rotate pairs of n rows until all rows are orthogonal; the `n_top` longest rows come first.

    All `width` numbers of a row are used; the padding up to a multiple of `LANES` must be zeros.

    These are one-sided Jacobi rotations (Hestenes 1958). Afterwards the rows are the right singular vectors of the
    matrix times its singular values, and `squares` starts with the squares of the `n_top` largest singular values.
    """
    cdef Py_ssize_t sweep = 0, p, q, i, j, best
    cdef bint turned = True
    cdef double shared, half, t, c
    cdef double orthogonal = 1e-20      # the square of a cosine that counts as 0
    cdef double* row
    cdef double* other
    while turned and sweep < MOST_SWEEPS:
        turned = False
        sweep += 1
        for p in range(n):
            squares[p] = dot(rows + p * width, rows + p * width, width)
        for p in range(n - 1):
            for q in range(p + 1, n):
                row = rows + p * width
                other = rows + q * width
                shared = dot(row, other, width)
                if shared * shared <= orthogonal * squares[p] * squares[q]:
                    continue
                turned = True
                half = (squares[q] - squares[p]) / (2.0 * shared)
                t = 1.0 / (fabs(half) + sqrt(half * half + 1.0))
                if half < 0.0:
                    t = -t
                c = 1.0 / sqrt(t * t + 1.0)
                rotate(row, other, c, t * c, width)
                squares[p] -= t * shared
                squares[q] += t * shared
    for i in range(n_top):
        best = i
        for j in range(i + 1, n):
            if squares[j] > squares[best]:
                best = j
        if best != i:
            squares[i], squares[best] = squares[best], squares[i]
            row = rows + i * width
            other = rows + best * width
            for j in range(width):
                row[j], other[j] = other[j], row[j]


cdef inline void principal_axes(
    double* products, Py_ssize_t width, Py_ssize_t k, double* squares, Py_ssize_t n_top
) noexcept nogil:
    """Replace the first `n_top` rows of a positive semidefinite matrix by its longest principal axes.

    Each axis is an eigenvector times the square root of its eigenvalue. An axis of eigenvalue 0 is written as a tiny
    vector, which still has a direction.
    """
    cdef Py_ssize_t i, j
    cdef double trace = 0.0
    for i in range(k):
        trace += products[i * width + i]
    factorize(products, width, k, 1e-16 * trace + 1e-300)
    for i in range(k):
        for j in range(i):
            products[i * width + j] = 0.0
    orthogonalize(products, width, k, squares, n_top)


cdef inline bint make_unit(double* x, Py_ssize_t n) noexcept nogil:
    """Scale x to length 1, with a positive sign of the first of its largest entries; return False if x is 0."""
    cdef Py_ssize_t i
    cdef double largest = 0.0, scale
    cdef double tied = 1 - 1e-9
    for i in range(n):
        largest = max(largest, fabs(x[i]))
    if largest == 0.0:
        return False
    scale = 1.0 / (largest * sqrt(dot(x, x, n) / (largest * largest)))
    for i in range(n):
        if fabs(x[i]) >= tied * largest:
            scale = -scale if x[i] < 0.0 else scale
            break
    for i in range(n):
        x[i] *= scale
    return True
