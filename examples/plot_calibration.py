"""
Whose probabilities can be trusted?
===================================

Do 80 % of the rows belong to a class, if an ensemble gives them a probability of 80 % of this class? Three ways to
combine trees on rotations are compared: the vote, a level-1 estimator trained on the members' outputs for
held-out rows (stacking), and the weights of `RotastackClassifier`.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.calibration import calibration_curve
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss

from rotastack import RandomRotationForestClassifier, RotastackClassifier, StackedRotationClassifier
from rotastack.plots.style import MARKERS, METHOD_COLORS

# %%
# Rows whose probabilities are known
# ----------------------------------
# Rows are drawn from a logistic model of eight columns, of which two have no effect and two enter as a product.


def draw(n_rows, rng):
    """Return rows, classes, and the probability of class 1."""
    X = rng.standard_normal((n_rows, 8))
    probability = 1 / (1 + np.exp(-2 * X[:, :4].sum(axis=1) - 2 * X[:, 4] * X[:, 5]))
    return X, (rng.random(n_rows) < probability).astype(int), probability


rng = np.random.default_rng(0)
X, y, _ = draw(600, rng)
X_test, y_test, truth = draw(10_000, rng)

# %%
# Vote, stack, weigh
# ------------------

MODELS = {
    "vote": RandomRotationForestClassifier(300, random_state=0),
    "stacking": StackedRotationClassifier(10, final_estimator=LogisticRegression(C=0.1), n_trees=30, random_state=0),
    "RotastackClassifier": RotastackClassifier(50, random_state=0),
}

figure, axis = plt.subplots(figsize=(4.6, 4.6), layout="constrained")
axis.plot([0, 100], [0, 100], color="black", linestyle="dashed", label="calibrated")
print(f"log loss of the true probabilities: {log_loss(y_test, truth):.3f}")
losses, distances = {}, {}
for (name, model), color, marker in zip(MODELS.items(), METHOD_COLORS, MARKERS, strict=False):
    probability = model.fit(X, y).predict_proba(X_test)[:, 1]
    happened, stated = calibration_curve(y_test, probability, n_bins=10, strategy="quantile")
    axis.plot(100 * stated, 100 * happened, color=color, marker=marker, label=name)
    losses[name] = log_loss(y_test, probability)
    distances[name] = np.mean(abs(happened - stated))
    print(f"{name}: log loss {losses[name]:.3f}, mean distance from the diagonal {distances[name]:.3f}")
axis.set(xlabel="stated probability, %", ylabel="rows of the class, %", aspect="equal")
axis.legend(fontsize=9)
plt.show()

# %%
# Result: the probabilities of the vote are too close to one half, and those of stacking less so. Without any further
# calibration, the probabilities of `RotastackClassifier` are nearest to the diagonal and have the lowest log loss.
