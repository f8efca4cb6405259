"""
What do rotations do to feature importances?
============================================

Do the importances of a forest on rotations still show which columns count? Each split of such a forest is on a
weighted sum of columns, and the gain of the split is shared among the columns by their squared weights. Two kinds of
importances are compared on generated rows, for which the right answer is known.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.inspection import permutation_importance

from rotastack import RandomRotationForestClassifier, RotastackClassifier
from rotastack.plots.style import METHOD_COLORS
from rotastack.trees import ForestClassifier

# %%
# Ten columns, of which three count
# ---------------------------------

rng = np.random.default_rng(0)
X, X_test = rng.standard_normal((2, 600, 10))
names = ["x1", "x2", "x3", *(f"noise {k}" for k in range(1, 8))]


def label(rows):
    """Return the classes, by an oblique boundary in the first two columns that the third column shifts a little."""
    return (rows[:, 0] + rows[:, 1] + 0.5 * rows[:, 2] > 0).astype(int)


y, y_test = label(X), label(X_test)

# %%
# Decreases of impurity, and shuffled columns
# -------------------------------------------
# `feature_importances_` are available after `fit`. Permutation importances count how many more rows are wrong after a
# column is shuffled. They work for any model and need held-out rows, or no extra rows with
# `RotastackClassifier.out_of_bag_importances`.

MODELS = {
    "forest": ForestClassifier(200, random_state=0),
    "forest on rotations": RandomRotationForestClassifier(200, random_state=0),
    "RotastackClassifier": RotastackClassifier(20, random_state=0),
}
decrease, shuffled = {}, {}
for name, model in MODELS.items():
    model.fit(X, y)
    decrease[name] = model.feature_importances_
    shuffled[name] = permutation_importance(model, X_test, y_test, n_repeats=3, random_state=0).importances_mean
    print(
        f"{name}: the noise has {100 * decrease[name][3:].sum():.0f} % of the decreases of impurity,"
        f" and {100 * shuffled[name][3:].sum() / shuffled[name].sum():.0f} % of the errors by shuffling"
    )

figure, axes = plt.subplots(1, 2, figsize=(5.8, 4.4), sharey=True, layout="constrained")
places = np.arange(len(names))
for axis, importances, text in (
    (axes[0], decrease, "share of the decrease\nof impurity, %"),
    (axes[1], shuffled, "more rows wrong\nif shuffled, %"),
):
    for k, (name, values) in enumerate(importances.items()):
        axis.barh(places + 0.27 * (k - 1), 100 * values, height=0.27, color=METHOD_COLORS[k], label=name)
    axis.set_xlabel(text)
axes[0].set_yticks(places, names)
axes[0].invert_yaxis()
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, columnspacing=1)
plt.show()

# %%
# Result: rotations spread the decreases of impurity over the columns, so the seven columns of noise get a larger
# share than the three columns that count. Permutation importances agree for all models, and are close to 0 for noise.
