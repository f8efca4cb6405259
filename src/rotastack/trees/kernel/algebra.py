"""Linear algebra of small matrices: sums run in one order on any number of threads, unlike BLAS."""

import numpy as np

from rotastack.trees.kernel.compiling import compiled, compiled_freely

LANES = 4
"""Rows of what :func:`add_products` takes come in as many; fill up with zeros."""

MOST_SWEEPS = 40
ROUNDING = 1e-16
TIED = 1 - 1e-9


@compiled
def filled_up(n):
    """Return the least multiple of `LANES` that is not below n."""
    return -(-n // LANES) * LANES


@compiled_freely
def add_products(rows, k, n, products):
    """Add the products of all pairs of ``rows[:k, :n]`` to `products`, on and below the diagonal.

    Above the diagonal stands anything. k is a multiple of `LANES`.
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
def eigenvectors(matrix, n, n_top, vectors):
    """Write the eigenvectors of the `n_top` largest eigenvalues of a symmetric matrix to the rows of `vectors`.

    By Jacobi's rotations; the matrix, both triangles of it, is used up, and its diagonal then starts with
    the eigenvalues, descending.
    """
    negligible = 0.0
    for i in range(n):
        negligible += abs(matrix[i, i]) * ROUNDING
        vectors[i, :n] = 0.0
        vectors[i, i] = 1.0
    turned = True
    sweep = 0
    while turned and sweep < MOST_SWEEPS:
        turned = False
        sweep += 1
        for p in range(n - 1):
            for q in range(p + 1, n):
                shared = matrix[p, q]
                if abs(shared) <= negligible:
                    continue
                turned = True
                half = (matrix[q, q] - matrix[p, p]) / (2.0 * shared)
                t = 1.0 / (abs(half) + np.sqrt(half * half + 1.0))
                if half < 0.0:
                    t = -t
                c = 1.0 / np.sqrt(t * t + 1.0)
                first, second = matrix[p, p] - t * shared, matrix[q, q] + t * shared
                rotate(matrix[p], matrix[q], c, t * c, n)
                rotate(vectors[p], vectors[q], c, t * c, n)
                for i in range(n):
                    matrix[i, p] = matrix[p, i]
                    matrix[i, q] = matrix[q, i]
                matrix[p, p], matrix[q, q] = first, second
                matrix[p, q] = matrix[q, p] = 0.0
    for i in range(n_top):
        best = i
        for j in range(i + 1, n):
            if matrix[j, j] > matrix[best, best]:
                best = j
        if best != i:
            matrix[i, i], matrix[best, best] = matrix[best, best], matrix[i, i]
            for j in range(n):
                vectors[i, j], vectors[best, j] = vectors[best, j], vectors[i, j]


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
