"""Find the split of largest gain of information in a node whose rows weigh the same."""

import math

import numpy as np

from rotastack.trees.kernel.compact import constant
from rotastack.trees.kernel.compiling import compiled
from rotastack.trees.kernel.criteria import GAIN_RATIO, split_information
from rotastack.trees.kernel.randomness import draw_below
from rotastack.trees.kernel.splitting import best_ratio, midpoint
from rotastack.trees.kernel.unit_entropy import NO_BAR, UNIT, fill_tables, least_rows, scan_units

_ROW = np.uint32(0xFFFF)


@compiled
def find_unit_split(
    data, stored, source, n_columns, orders, apart, first, n, n_bag,
    criterion, total, base, table, max_features, min_leaf, min_weight, state,
    order, gains, ratios, cuts, units,
):  # fmt: skip
    """Return (column, cut, decrease of impurity times weight), column -1 if nothing splits.

    Equal to :func:`rotastack.trees.kernel.splitting.find_split` for rows that all weigh 1, from the presorted
    keys of :mod:`rotastack.trees.kernel.compact`.
    """
    of_classes = fill_tables(total, n, units)
    at_least = max(min_leaf, least_rows(min_weight))
    best = -math.inf
    best_column = -1
    best_cut = np.float32(0.0)
    n_seen = 0
    n_useful = 0
    while n_seen < n_columns and (n_seen < max_features or n_useful == 0):
        k = n_seen + draw_below(state, n_columns - n_seen) if n_columns > 1 else 0
        j = order[k]
        order[k] = order[n_seen]
        order[n_seen] = j
        n_seen += 1
        run = orders[j * n_bag + first : j * n_bag + first + n]
        larger = apart[j * n_bag : (j + 1) * n_bag]
        if constant(run, n, larger):
            continue
        n_useful += 1
        whole_merit, place, _ = scan_units(run, n, larger, of_classes, at_least, NO_BAR, np.int64(0), units)
        merit = whole_merit / UNIT
        if place == 0 or (criterion != GAIN_RATIO and not merit > best):
            continue
        below = run[place - 1] & _ROW
        above = run[place] & _ROW
        where = source[j]
        if where >= 0:
            cut = midpoint(data[where, below], data[where, above])
        else:
            cut = midpoint(stored[-1 - where, below], stored[-1 - where, above])
        if criterion == GAIN_RATIO:
            gains[n_seen - 1] = max(merit - base, 0.0)
            ratios[n_seen - 1] = gains[n_seen - 1] / split_information(float(n), float(place), table)
            cuts[n_seen - 1] = cut
            order[n_seen - 1] = -1 - j  # marks a candidate
        else:
            best = merit
            best_column = j
            best_cut = cut
    if criterion == GAIN_RATIO:
        return best_ratio(order, n_seen, gains, ratios, cuts)
    return best_column, best_cut, best - base
