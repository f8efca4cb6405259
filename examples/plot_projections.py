"""
What do the best and the worst rotation look like?
==================================================

Can one see why trees are simple on a rotation? The data are the square cut by its diagonal (thesis, figure
2.2, a), with 0 to 3 more columns of uniform noise. The figures show two of 100 rotations: the rotation with the
simplest trees (thesis, figure 2.6) and the rotation with the most complex trees (figure 2.7). Each panel is a plane of
two new axes; their numbers stand in the corner.
"""

from itertools import combinations

import matplotlib.pyplot as plt
import numpy as np
from _shared import draw_rotated, triangle_problem

from rotastack import RegularizedRotationForestClassifier

DIMENSIONS = (2, 3, 4, 5)

rng = np.random.default_rng(0)
signal, y = triangle_problem("a", 400, rng)
rows = np.hstack([signal, rng.uniform(size=(len(y), max(DIMENSIONS) - 2))])
forests = {
    p: RegularizedRotationForestClassifier(
        2000, n_rotations=100, micro_forest_size=20, scaling=None, random_state=p
    ).fit(rows[:, :p], y)
    for p in DIMENSIONS
}


def draw_planes(place):
    """Draw all planes under the rotation at this place in the order of complexity, a line for each dimension."""
    n_planes = len(list(combinations(range(max(DIMENSIONS)), 2)))
    figure = plt.figure(figsize=(n_planes + 1, len(DIMENSIONS) + 0.2), layout="constrained")
    grid = figure.add_gridspec(len(DIMENSIONS), n_planes)
    for i, (p, forest) in enumerate(forests.items()):
        k = np.argsort(forest.complexity_, kind="stable")[place]
        Z = rows[:, :p] @ forest.rotations_[k]
        low, high = Z.min(axis=0), Z.max(axis=0)
        middle, half = (low + high) / 2, 0.54 * (high - low).max()  # All panels of a line have one scale.
        for j, (a, b) in enumerate(combinations(range(p), 2)):
            axis = figure.add_subplot(grid[i, j])
            draw_rotated(axis, Z[:, [a, b]], y, f"{a + 1}, {b + 1}")
            axis.set(xlim=(middle[a] - half, middle[a] + half), ylim=(middle[b] - half, middle[b] + half))
            if j == 0:
                label = f"p = {p}\ncomplexity {forest.complexity_[k]:.4g}"
                axis.set_ylabel(label, rotation=0, ha="right", va="center")


# %%
# The simplest rotation
# ---------------------
# The boundary is aligned with one axis.

draw_planes(0)

# %%
# The most complex rotation
# -------------------------
# No plane shows the boundary along an axis.

draw_planes(-1)
plt.show()

# %%
# Result: under the simplest rotation the boundary is nearly along one axis, with any number of noise columns. Under
# the most complex rotation the boundary is along no axis.
