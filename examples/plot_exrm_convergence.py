"""
How the exclusivity regularised machine converges
=================================================

The third picture of figure 1 of Guo, Wang and Ling, *Exclusivity regularized machine*: the objective after each iteration
of the printed algorithm (ALM with a penalty that grows by 1.1, all members started alike), on generated rows of 22
columns; 1 is the first iteration, 0 the exact optimum.
"""

import matplotlib.pyplot as plt
import numpy as np
from _shared import LAM, MEMBERS, linear_problem, trained

from rotastack import ExclusivityRegularizedClassifier

ROWS, ITERATIONS = 5000, 100

X, y = linear_problem(ROWS, np.random.default_rng(0))

# %%
# It stands still after some 30 iterations. With squared losses (right) that is the optimum; with plain ones (left) the
# growing penalty freezes it a little above.

figure, axes = plt.subplots(1, 2, figsize=(9, 3.6), sharey=True, layout="constrained")
for p, axis in zip((1, 2), axes, strict=True):
    for n_members in MEMBERS:
        printed = ExclusivityRegularizedClassifier(
            n_members, LAM, loss_power=p, solver="alm", tol=1e-12, max_iter=ITERATIONS
        )
        exact = ExclusivityRegularizedClassifier(n_members, LAM, loss_power=p)
        path, optimum = trained(printed, X, y).objective_path_, trained(exact, X, y).objective_
        height = (np.asarray(path) - optimum) / (path[0] - optimum)
        axis.plot(np.arange(1, len(path) + 1), height, label=f"ExRM {n_members}")
    axis.axhline(0, color="#777777", linestyle="dashed", label="exact optimum")
    axis.set(title=f"loss of power {p}", xlabel="iteration")
axes[0].set_ylabel("objective, normalised")
axes[1].legend(frameon=False)
plt.show()
