"""
Which rotations make trees simple?
==================================

How do the rows look under rotations that make trees simple? The figures show three problems of the
unit square under 40 of 100 rotations: the 20 with the simplest trees, and the 20 with the most
complex trees (thesis, figures 2.3 to 2.5; problems of figure 2.2). The number in the corner is the complexity of
equation 2.5: the number of nodes of a tree, with ties broken by depth.
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
    # Under any rotation the rows stay within a circle about the middle, so one scale fits all panels.
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
# This is figure 2.3 of the thesis. The size of the trees alone puts rotations with a boundary along an axis first, and
# rotations with a diagonal boundary last.

draw_extremes("a")

# %%
# Problem (b): flat, with a short oblique piece
# ---------------------------------------------
# This is figure 2.4 of the thesis.

draw_extremes("b")

# %%
# Problem (c): flat, with a longer oblique piece
# ----------------------------------------------
# This is figure 2.5 of the thesis. A simple rotation may align either piece with an axis.

draw_extremes("c")
plt.show()

# %%
# Result: under the simplest rotations a long straight piece of the boundary is along an axis. Under the most complex
# rotations nearly the whole boundary is oblique.
