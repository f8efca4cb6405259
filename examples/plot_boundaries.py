"""
What do rotations do to decision boundaries?
============================================

How do trees and forests divide the plane, without and with random rotations? This example reproduces figures 1.1
and 3.1 of the thesis, on the problem of Hastie, Tibshirani and Friedman, *The Elements of Statistical
Learning*, section 2.3: two classes that are mixtures of ten Gaussians each. The optimal boundary of this
problem is known; it is drawn as a dashed line.
"""

from functools import partial

import matplotlib.pyplot as plt
import numpy as np
from _shared import draw_regions

from rotastack import MultiRotationForestClassifier, RandomRotationForestClassifier
from rotastack.trees import ForestClassifier

CENTRES = np.array([[1.0, 0.0], [0.0, 1.0]])  # Centres of the means of class 0 and of class 1.
VARIANCE = 1 / 5  # Variance of the rows about their mean.

# %%
# The problem
# -----------
# The means of class 0 are ten draws from N((1, 0), I), and the means of class 1 are ten draws from N((0, 1), I). A row
# is a random mean of its class plus a draw from N(0, I/5). The means are drawn first, so they do not depend on the
# number of rows.


def gaussian_mixture(n_rows, rng):
    """Return rows, labels, and the function that maps points (..., 2) to the exact probability of class 1."""
    means = CENTRES[:, None, :] + rng.standard_normal((2, 10, 2))
    y = np.arange(n_rows) % 2
    picked = means[y, rng.integers(0, 10, n_rows)]
    X = picked + np.sqrt(VARIANCE) * rng.standard_normal((n_rows, 2))
    return X, y, partial(posterior_of_class_1, means)


def posterior_of_class_1(means, points):
    """Return P(class 1) from logarithms, which is accurate also far from all means."""
    distances = ((np.asarray(points)[..., None, None, :] - means) ** 2).sum(axis=-1)
    logs = np.logaddexp.reduce(-distances / (2 * VARIANCE), axis=-1)
    return np.exp(logs[..., 1] - np.logaddexp.reduce(logs, axis=-1))


X, y, posterior = gaussian_mixture(200, np.random.default_rng(7))


def compare(classifiers):
    """Train classifiers and draw their regions side by side, two in a row."""
    n_rows = len(classifiers) // 2
    figure, axes = plt.subplots(n_rows, 2, figsize=(7, 3.5 * n_rows), layout="constrained", squeeze=False)
    for axis, (title, classifier) in zip(axes.flat, classifiers.items(), strict=True):
        draw_regions(axis, classifier.fit(X, y), X, y, posterior, margin=0.3)
        axis.set_title(title)
    return figure


# %%
# One tree and many, without and with rotation
# --------------------------------------------
# This is figure 1.1 of the thesis. One rotated tree is no better than one tree. But many rotated trees together have a
# smooth boundary close to the optimal boundary, while the boundary of the plain forest keeps its steps with any number
# of trees.

compare(
    {
        "one tree": ForestClassifier(1, max_features=1, random_state=0),
        "one rotated tree": RandomRotationForestClassifier(1, max_features=1, scaling=None, random_state=0),
        "RF, 2000 trees": ForestClassifier(2000, max_features=1, random_state=0),
        "RR-RF, 2000 trees": RandomRotationForestClassifier(2000, max_features=1, scaling=None, random_state=0),
    }
)

# %%
# One tree on many rotations
# --------------------------
# This is figure 3.1 of the thesis: a single tree on the two features, and a single tree that may also split on 20
# rotations of these features.

compare(
    {
        "one tree, no rotations": ForestClassifier(1, max_features=None, random_state=0),
        "one tree, 20 rotations": MultiRotationForestClassifier(20, 1, max_features=None, scaling=None, random_state=0),
    }
)
plt.show()

# %%
# Result: the forest of 2000 rotated trees comes closest to the optimal boundary. A single tree that may choose among
# rotations also has oblique boundaries.
