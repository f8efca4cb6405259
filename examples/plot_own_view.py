"""
How is a view of one's own written?
===================================

How can another transform be used, if neither rotations nor subspaces suit the data? Any scikit-learn
transformer can be a view. An ensemble needs only `fit` and `transform`. A parameter `random_state`, if the transformer
has one, makes the views of members differ.
"""

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.utils import check_random_state
from sklearn.utils.validation import validate_data

from rotastack import PooledEnsembleClassifier
from rotastack.trees import ForestClassifier
from rotastack.views import RandomRotation

# %%
# The view
# --------
# If classes are islands, distances separate them better than columns. This view returns the distances to a few training
# rows, which are drawn anew for each member.


class Distances(TransformerMixin, BaseEstimator):
    """Distances to training rows drawn at random."""

    def __init__(self, n_rows=5, random_state=None):
        self.n_rows = n_rows
        self.random_state = random_state

    def fit(self, X, y=None):
        X = validate_data(self, X)
        rows = check_random_state(self.random_state).choice(len(X), self.n_rows, replace=False)
        self.landmarks_ = X[rows]
        return self

    def transform(self, X):
        X = validate_data(self, X, reset=False)
        return np.linalg.norm(X[:, None, :] - self.landmarks_, axis=2)


# %%
# The view in an ensemble
# -----------------------
# The ensemble has twenty members, each a forest of ten trees. One training row in ten has the wrong class.


def rings(n_rows, rng, n_flips):
    """Return rows in the plane, and their classes, which alternate between rings."""
    X = rng.uniform(-1, 1, (n_rows, 2))
    y = (np.linalg.norm(X, axis=1) % 0.5 > 0.25).astype(int)
    y[:n_flips] = 1 - y[:n_flips]
    return X, y


rng = np.random.default_rng(0)
X, y = rings(600, rng, 60)
X_test, y_test = rings(5000, rng, 0)

TINTS = ListedColormap(["#C7DFED", "#F7DAC7"])
figure, axes = plt.subplots(1, 3, figsize=(6, 2.6), layout="constrained")
errors = {}
for axis, (name, view) in zip(
    axes, {"columns": None, "rotations": RandomRotation(), "distances": Distances()}.items(), strict=True
):
    ensemble = PooledEnsembleClassifier(view, ForestClassifier(10), n_estimators=20, random_state=0).fit(X, y)
    errors[name] = np.mean(ensemble.predict(X_test) != y_test)
    print(f"{name}: error {errors[name]:.3f}")
    DecisionBoundaryDisplay.from_estimator(
        ensemble, X, response_method="predict", plot_method="pcolormesh", ax=axis, eps=0, grid_resolution=80,
        cmap=TINTS,
    )  # fmt: skip
    axis.scatter(*X.T, c=y, cmap=ListedColormap(["#0072B2", "#D55E00"]), s=2)
    axis.set_title(f"{name}:\nerror {100 * errors[name]:.1f} %", fontsize=11)
    axis.set(xticks=[], yticks=[], aspect="equal")
plt.show()

# %%
# Result: with distances to training rows the forests have the lowest error, because a split on a distance is round.
# Rotations come second, and the unchanged columns last.
