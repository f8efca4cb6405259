"""
What does pruning do to a boundary that was learnt from noisy labels?
=====================================================================

Do wrong labels mislead a pruned ensemble as much as the whole ensemble? This is figure 4 of Martinez, *Ensemble
pruning via margin maximization* (2022; section 5.2). It shows 500 full trees on a square cut by its diagonal, where
20 of 1000 training rows have the wrong label, and the trees that QMM keeps. The dashed line is the true boundary.
"""

import matplotlib.pyplot as plt
import numpy as np
from _shared import draw_regions
from sklearn.frozen import FrozenEstimator

from rotastack import AdaBoostM1Classifier, PrunedEnsembleClassifier
from rotastack.combine.pruning import QMMPruner
from rotastack.trees import ForestClassifier, TreeClassifier

# %%
# The problem
# -----------
# Rows are uniform, and rows above the diagonal are of class 1. Some rows below the diagonal are labelled 1, too.


def above_diagonal(points):
    """Return 1 where x1 + x2 > 1, else 0."""
    return (points.sum(axis=-1) > 1).astype(int)


def noisy_square(n_rows, n_flips, rng):
    """Return rows and labels, with `n_flips` rows of class 0 labelled 1."""
    X = rng.random((n_rows, 2))
    y = above_diagonal(X)
    y[rng.choice(np.flatnonzero(y == 0), n_flips, replace=False)] = 1
    return X, y


rng = np.random.default_rng(0)
X, y = noisy_square(1000, 20, rng)
X_test, y_test = noisy_square(1000, 0, rng)

# %%
# All trees, and the trees that QMM keeps
# ---------------------------------------
# Errors are on 1000 rows without noise. Boosting (trees on rows drawn by their weights) follows single
# wrong labels more closely than a forest. QMM, with v = 0.5, votes with fewer trees and keeps half of the
# margins from shrinking.

boosted = AdaBoostM1Classifier(500, TreeClassifier(), resample=True, random_state=0)
forest = ForestClassifier(500, random_state=0)

figure, axes = plt.subplots(2, 2, figsize=(6, 6.4), layout="constrained")
for name, ensemble, (left, right) in zip(("AdaBoost", "RF"), (boosted, forest), axes, strict=True):
    ensemble.fit(X, y)
    pruned = PrunedEnsembleClassifier(FrozenEstimator(ensemble), QMMPruner(0.5), selection="train").fit(X, y)
    for axis, classifier, title in (
        (left, ensemble, f"{name}, {pruned.n_members_} trees"),
        (right, pruned, f"QMM of {name}, {len(pruned.selected_)} trees"),
    ):
        draw_regions(axis, classifier, X, y, above_diagonal)
        axis.set_title(f"{title}:\nerror {np.mean(classifier.predict(X_test) != y_test):.3f}", fontsize=10)
plt.show()

# %%
# Result: QMM keeps less than half of the trees of either ensemble, with about the same error on new rows.
