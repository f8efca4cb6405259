"""
How fast does the exclusivity regularised machine converge?
===========================================================

Does the printed algorithm reach the optimum, and after how many iterations? This is the third picture of figure 1 of
Guo, Wang and Ling, *Exclusivity regularized machine*: the objective after each iteration of the printed
algorithm (ALM with a penalty that grows by a factor of 1.1, and equal starts of all members), on generated rows of 22
columns. The objective is scaled to 1 at the first iteration and 0 at the exact optimum.
"""

import matplotlib.pyplot as plt
import numpy as np
from _shared import LAM, MEMBERS, linear_problem, trained

from rotastack import ExclusivityRegularizedClassifier
from rotastack.plots.style import DASHES, METHOD_COLORS

ROWS, ITERATIONS = 5000, 100

X, y = linear_problem(ROWS, np.random.default_rng(0))

# %%
# The path of the printed algorithm, and the optimum by the exact solver
# ----------------------------------------------------------------------

figure, axes = plt.subplots(1, 2, figsize=(6, 3.4), sharey=True, layout="constrained")
for p, axis in zip((1, 2), axes, strict=True):
    for n_members, color, dash in zip(MEMBERS, METHOD_COLORS, DASHES, strict=False):
        printed = ExclusivityRegularizedClassifier(
            n_members, LAM, loss_power=p, solver="alm", tol=1e-12, max_iter=ITERATIONS
        )
        exact = ExclusivityRegularizedClassifier(n_members, LAM, loss_power=p)
        path, optimum = trained(printed, X, y).objective_path_, trained(exact, X, y).objective_
        height = (np.asarray(path) - optimum) / (path[0] - optimum)
        axis.plot(
            np.arange(1, len(path) + 1), height, color=color, linestyle=dash,
            label=f"ExRM {n_members}",
        )  # fmt: skip
    axis.axhline(0, color="#777777", linestyle="dashed", label="exact optimum")
    axis.set(title=f"loss of power {p}", xlabel="iteration")
axes[0].set_ylabel("objective, normalised")
axes[1].legend(frameon=False)
plt.show()

# %%
# Result: the algorithm stands still after about 30 iterations. With squared losses (right) it has then reached the
# optimum. With plain losses (left) the growing penalty stops it a little above the optimum.
