"""Random draws of the views that are fitted to a tree's bag: bags, samples, blocks of columns.

The data are (column, row) with the rows sorted by class: class c has the places ``edges[c]`` to
``edges[c + 1] - 1``. ``places[row]`` is the place of a row; bags are drawn in the order of `places`.
"""

from rotastack.trees.kernel.compiling import compiled, compiled_freely
from rotastack.trees.kernel.randomness import draw_below, draw_bootstrap


@compiled
def draw_bag(state, places, ends, size, counts, bag):
    """Write the places of the rows in a bag, each once and ascending; return how many. See `draw_bootstrap`."""
    counts[:] = 0
    draw_bootstrap(state, places, places.shape[0], ends, size, counts)
    n_bag = 0
    for place in range(places.shape[0]):
        bag[n_bag] = place
        n_bag += counts[place] > 0
    return n_bag


@compiled
def draw_some(state, bag, n_bag, n_wanted, sample):
    """Write `n_wanted` rows of the bag, drawn without replacement, in the order of the bag, to `sample`."""
    n = 0
    for i in range(n_bag):
        sample[n] = bag[i]
        n += draw_below(state, n_bag - i) < n_wanted - n
        if n == n_wanted:
            break


@compiled
def class_runs(sample, n, edges, runs):
    """Write where each class starts in the ascending sample, then n; return how many classes occur."""
    n_runs = 0
    i = 0
    for c in range(edges.shape[0] - 1):
        if i == n:
            break
        if sample[i] < edges[c + 1]:
            runs[n_runs] = i
            n_runs += 1
            while i < n and sample[i] < edges[c + 1]:
                i += 1
    runs[n_runs] = n
    return n_runs


@compiled
def deal_columns(state, firsts, n_blocks, order, block_of, columns):
    """Write random columns to blocks: block b, ascending, to ``columns[firsts[b]:firsts[b + 1]]``.

    `order` and `block_of` are scratch arrays with an entry for each column.
    """
    p = order.shape[0]
    for i in range(p):
        order[i] = i
        block_of[i] = -1
    for b in range(n_blocks):
        for i in range(firsts[b], firsts[b + 1]):
            j = i + draw_below(state, p - i)
            order[i], order[j] = order[j], order[i]
            block_of[order[i]] = b
    for b in range(n_blocks):
        order[b] = firsts[b]
    for column in range(p):
        b = block_of[column]
        if b >= 0:
            columns[order[b]] = column
            order[b] += 1


@compiled_freely
def sum_at(values, where, begin, end):
    total = 0.0
    for i in range(begin, end):
        total += values[where[i]]
    return total
