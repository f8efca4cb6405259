"""
Which rotations make trees simple?
==================================

If some rotations make trees simple, what do the rows look like under them? Drawn are three problems of the
unit square under the 20 rotations, of 100, on which trees are simplest, and the 20 on which they are most
complex (thesis, figures 2.3 to 2.5; problems of figure 2.2). In the corner stands the complexity of
equation 2.5: nodes of a tree, depth breaking ties.
"""

import matplotlib.pyplot as plt
import numpy as np
from _shared import draw_rotated, triangle_problem

from rotastack import RegularizedRotationForestClassifier

N_DRAWN, ACROSS = 20, 10


def draw_extremes(case):
    """Grow 20 trees on each of 100 rotations, the identity first, and draw the simplest and the most complex."""
    X, y = triangle_problem(case, 400, np.random.default_rng(0))
    forest = RegularizedRotationForestClassifier(
        2000, n_rotations=100, micro_forest_size=20, scaling=None, random_state=0
    ).fit(X, y)
    order = np.argsort(forest.complexity_, kind="stable")
    # Rows stay within a circle about the middle, whatever the rotation: one scale fits all panels.
    middle = (X.min(axis=0) + X.max(axis=0)) / 2
    radius = 1.06 * np.linalg.norm(X - middle, axis=1).max()
    figure = plt.figure(figsize=(9.2, 4.4), layout="constrained")
    parts = figure.subfigures(2, 1)
    for part, title, chosen in zip(
        parts, ("least complex", "most complex"), (order[:N_DRAWN], order[-N_DRAWN:]), strict=True
    ):
        part.suptitle(f"{N_DRAWN} {title}")
        for axis, k in zip(part.subplots(N_DRAWN // ACROSS, ACROSS).flat, chosen, strict=True):
            rotation = forest.rotations_[k]
            draw_rotated(axis, X @ rotation, y, f"{forest.complexity_[k]:.4g}")
            x1, x2 = middle @ rotation
            axis.set(xlim=(x1 - radius, x1 + radius), ylim=(x2 - radius, x2 + radius))


# %%
# Problem (a): an oblique boundary
# --------------------------------
# Thesis, figure 2.3. By the size of the trees alone a boundary along an axis comes first, diagonal ones come
# last.

draw_extremes("a")

# %%
# Problem (b): flat, with a short oblique piece
# ---------------------------------------------
# Thesis, figure 2.4.

draw_extremes("b")

# %%
# Problem (c): the oblique piece is the longer one
# ------------------------------------------------
# Thesis, figure 2.5. Either piece may be the one that is aligned.

draw_extremes("c")
plt.show()

# %%
# What one saw: under the simplest rotations a long straight piece of the boundary is along an axis; under the
# most complex ones the boundary is oblique nearly throughout.
