"""Linear views of the data, part by part.

A view is a sequence of parts; a row of `parts` is (first, n_in, matrix, n_out): it reads the
data columns ``columns[first:first + n_in]``. With matrix < 0 its outputs are these columns,
else it maps them by ``matrices[matrix:matrix + n_in * n_out]``, row after row.
"""

import numpy as np

from rotastack.trees.kernel.compiling import compiled, compiled_with_fma

TILE = 256


@compiled
def locate(parts, columns, source):
    """Write the source of each column of the view; return (number of columns, number of mapped columns).

    The source is a column of the data, or -1 - k for the k-th mapped column.
    """
    n_columns = 0
    n_stored = 0
    for k in range(parts.shape[0]):
        for i in range(parts[k, 3]):
            if parts[k, 2] < 0:
                source[n_columns] = columns[parts[k, 0] + i]
            else:
                source[n_columns] = -1 - n_stored
                n_stored += 1
            n_columns += 1
    return n_columns, n_stored


@compiled_with_fma
def project(parts, columns, matrices, data, n, stored):
    """Write the mapped columns of rows 0 to n - 1 of `data` (column, row) to `stored`.

    Sums run over the inputs in order, so the outputs for a row do not depend on the other rows.
    """
    for begin in range(0, n, TILE):
        end = min(begin + TILE, n)
        target = 0
        for k in range(parts.shape[0]):
            first, n_in, matrix, n_out = parts[k, 0], parts[k, 1], parts[k, 2], parts[k, 3]
            if matrix < 0:
                continue
            for o in range(n_out):
                m = matrices[matrix + o : matrix + n_in * n_out : n_out]
                z = stored[target, begin:end]
                z[:] = np.float32(0.0)
                c = 0
                while c + 8 <= n_in:
                    x0, x1 = data[columns[first + c], begin:end], data[columns[first + c + 1], begin:end]
                    x2, x3 = data[columns[first + c + 2], begin:end], data[columns[first + c + 3], begin:end]
                    x4, x5 = data[columns[first + c + 4], begin:end], data[columns[first + c + 5], begin:end]
                    x6, x7 = data[columns[first + c + 6], begin:end], data[columns[first + c + 7], begin:end]
                    m0, m1, m2, m3 = m[c], m[c + 1], m[c + 2], m[c + 3]
                    m4, m5, m6, m7 = m[c + 4], m[c + 5], m[c + 6], m[c + 7]
                    for i in range(end - begin):
                        value = z[i] + x0[i] * m0
                        value += x1[i] * m1
                        value += x2[i] * m2
                        value += x3[i] * m3
                        value += x4[i] * m4
                        value += x5[i] * m5
                        value += x6[i] * m6
                        value += x7[i] * m7
                        z[i] = value
                    c += 8
                while c + 3 <= n_in:
                    x0, x1 = data[columns[first + c], begin:end], data[columns[first + c + 1], begin:end]
                    x2 = data[columns[first + c + 2], begin:end]
                    m0, m1, m2 = m[c], m[c + 1], m[c + 2]
                    for i in range(end - begin):
                        value = z[i] + x0[i] * m0
                        value += x1[i] * m1
                        value += x2[i] * m2
                        z[i] = value
                    c += 3
                while c < n_in:
                    x0 = data[columns[first + c], begin:end]
                    m0 = m[c]
                    for i in range(end - begin):
                        z[i] += x0[i] * m0
                    c += 1
                target += 1
