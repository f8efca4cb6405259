"""
How many trees are enough?
==========================

Does a forest of 1000 trees have a lower error than a forest of 100, and other decisions for some rows?
A single forest answers both questions, because its first 10, 100 or 1000 trees are also forests.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from rotastack import RandomRotationForestClassifier
from rotastack.plots.style import METHOD_COLORS

X, y = load_breast_cancer(return_X_y=True)
X, X_test, y, y_test = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)

# %%
# The votes of 2000 trees
# -----------------------
# `tree_votes` returns the class that each tree votes for. The trees are shuffled 200 times, which shows the effect of
# chance.

forest = RandomRotationForestClassifier(2000, random_state=0).fit(X, y)
votes = forest.tree_votes(X_test).astype(float)
print("votes", votes.shape)
decisions_of_all = votes.mean(axis=1) > 0.5

# %%
# The first t trees
# -----------------

SIZES = np.array([1, 3, 5, 11, 21, 51, 101, 201, 501, 1001])
rng = np.random.default_rng(0)
errors, changed = np.empty((2, 200, len(SIZES)))
for k in range(200):
    order = rng.permutation(votes.shape[1])
    decisions = (votes[:, order].cumsum(axis=1)[:, SIZES - 1] / SIZES) > 0.5
    errors[k] = (decisions != y_test[:, None]).mean(axis=0)
    changed[k] = (decisions != decisions_of_all[:, None]).mean(axis=0)

figure, axes = plt.subplots(1, 2, figsize=(5.8, 3.2), layout="constrained")
for axis, values, title, color in (
    (axes[0], errors, "error, %", METHOD_COLORS[0]),
    (axes[1], changed, "decided otherwise\nthan by 2000 trees, %", METHOD_COLORS[1]),
):
    low, high = np.quantile(100 * values, [0.05, 0.95], axis=0)
    axis.fill_between(SIZES, low, high, color=color, alpha=0.25, linewidth=0, label="90 % of shuffles")
    axis.plot(SIZES, 100 * values.mean(axis=0), color=color, marker="o", markersize=4, label="mean")
    axis.set(xscale="log", xlabel="trees", title=title, ylim=(0, None))
    axis.set_xticks([1, 10, 100, 1000], ["1", "10", "100", "1000"])
    axis.legend(fontsize=9)
for size, error, other in zip(SIZES, errors.mean(axis=0), changed.mean(axis=0), strict=True):
    print(f"{size:5d} trees: error {error:.4f}, decided otherwise {other:.4f}")
plt.show()

# %%
# Result: beyond 100 trees the mean error falls by no more than a tenth of a percentage point. But the decision for
# one row in a hundred still differs from the decision of 2000 trees. So stable decisions need more trees than a low
# error.
