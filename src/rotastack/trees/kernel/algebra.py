"""Linear algebra of small matrices: sums run in one order on any number of threads, unlike BLAS."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled, compiled_freely

LANES = 4
"""The number of rows that :func:`add_products` takes is a multiple of this; missing rows are zeros."""

MOST_SWEEPS = 40
ORTHOGONAL = 1e-20
"""Rows are taken as orthogonal if the square of their cosine is not larger."""

ROUNDING = 1e-16
LEAST = 1e-300
TIED = 1 - 1e-9


@compiled
def filled_up(n):
    """Return the least multiple of `LANES` that is not below n."""
    return -(-n // LANES) * LANES


@compiled_freely
def add_products(rows, k, n, products):
    """Add the products of all pairs of ``rows[:k, :n]`` to `products`, on and below the diagonal.

    Values above the diagonal are undefined. k is a multiple of `LANES`.
    """
    for i in range(0, k, 4):
        a, b, c, d = rows[i, :n], rows[i + 1, :n], rows[i + 2, :n], rows[i + 3, :n]
        for j in range(0, i + 4, 2):
            e, f = rows[j, :n], rows[j + 1, :n]
            ae = be = ce = de = af = bf = cf = df = 0.0
            for r in range(n):
                ae += a[r] * e[r]
                be += b[r] * e[r]
                ce += c[r] * e[r]
                de += d[r] * e[r]
                af += a[r] * f[r]
                bf += b[r] * f[r]
                cf += c[r] * f[r]
                df += d[r] * f[r]
            products[i, j] += ae
            products[i + 1, j] += be
            products[i + 2, j] += ce
            products[i + 3, j] += de
            products[i, j + 1] += af
            products[i + 1, j + 1] += bf
            products[i + 2, j + 1] += cf
            products[i + 3, j + 1] += df


@compiled_freely
def dot(a, b, n):
    """Return the sum of products of the first n numbers."""
    total = 0.0
    for i in range(n):
        total += a[i] * b[i]
    return total


@compiled_freely
def add_multiple(target, factor, source, n):
    """Add a multiple of the first n numbers of `source` to `target`."""
    for i in range(n):
        target[i] += factor * source[i]


@compiled
def factorize(matrix, k, least):
    """Replace the lower triangle of a positive definite matrix by its Cholesky factor L.

    A pivot that rounding left below `least` is taken as `least`.
    """
    for i in range(k):
        for j in range(i):
            matrix[i, j] = (matrix[i, j] - dot(matrix[i], matrix[j], j)) / matrix[j, j]
        matrix[i, i] = np.sqrt(max(matrix[i, i] - dot(matrix[i], matrix[i], i), least))


@compiled
def solve_lower(factor, k, x):
    """Replace x by the solution of ``L z = x``."""
    for i in range(k):
        x[i] = (x[i] - dot(factor[i], x, i)) / factor[i, i]


@compiled
def solve_upper(factor, k, x):
    """Replace x by the solution of ``L' z = x``."""
    for i in range(k - 1, -1, -1):
        x[i] /= factor[i, i]
        add_multiple(x, -x[i], factor[i], i)


@compiled_freely
def rotate(a, b, c, s, n):
    """Replace the first n numbers of a and b by ``c a - s b`` and ``s a + c b``."""
    for i in range(n):
        x, y = a[i], b[i]
        a[i] = c * x - s * y
        b[i] = s * x + c * y


@compiled
def orthogonalize(rows, n, k, squares, n_top):
    """Turn n rows of length k among each other until they are orthogonal; the `n_top` longest stand first.

    Jacobi's rotations from one side (Hestenes 1958): the rows are then the right singular vectors of the
    matrix times its singular values, whose squares start `squares`.
    """
    turned = True
    sweep = 0
    while turned and sweep < MOST_SWEEPS:
        turned = False
        sweep += 1
        for p in range(n):
            squares[p] = dot(rows[p], rows[p], k)
        for p in range(n - 1):
            for q in range(p + 1, n):
                shared = dot(rows[p], rows[q], k)
                if shared * shared <= ORTHOGONAL * squares[p] * squares[q]:
                    continue
                turned = True
                half = (squares[q] - squares[p]) / (2.0 * shared)
                t = 1.0 / (abs(half) + np.sqrt(half * half + 1.0))
                if half < 0.0:
                    t = -t
                c = 1.0 / np.sqrt(t * t + 1.0)
                rotate(rows[p], rows[q], c, t * c, k)
                squares[p] -= t * shared
                squares[q] += t * shared
    for i in range(n_top):
        best = i
        for j in range(i + 1, n):
            if squares[j] > squares[best]:
                best = j
        if best != i:
            squares[i], squares[best] = squares[best], squares[i]
            for j in range(k):
                rows[i, j], rows[best, j] = rows[best, j], rows[i, j]


@compiled
def principal_axes(products, k, squares, n_top):
    """Replace the first rows of a positive semidefinite matrix by its `n_top` longest axes, in proportion.

    Only its lower triangle is read. Axes of length 0 are written as directions too.
    """
    trace = 0.0
    for i in range(k):
        trace += products[i, i]
    factorize(products, k, ROUNDING * trace + LEAST)
    for i in range(k):
        for j in range(i + 1, k):
            products[i, j] = products[j, i]
            products[j, i] = 0.0
    orthogonalize(products, k, k, squares, n_top)


@compiled
def make_unit(x, n):
    """Give x length 1, and a positive sign to the first of its largest entries; return whether it has a length."""
    largest = 0.0
    for i in range(n):
        largest = max(largest, abs(x[i]))
    if largest == 0.0:
        return False
    scale = 1.0 / (largest * np.sqrt(dot(x, x, n) / (largest * largest)))
    for i in range(n):
        if abs(x[i]) >= TIED * largest:
            scale = -scale if x[i] < 0.0 else scale
            break
    for i in range(n):
        x[i] *= scale
    return True
