"""
What do class weights do on an unbalanced table?
================================================

If one row in twenty is of a rare class, does a weight on this class find more of its rows, and at what price? The same
forest is fitted with five weights. Each weight is compared with other thresholds of the unweighted forest's
probability.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve, precision_score, recall_score

from rotastack import RotastackClassifier
from rotastack.plots.style import METHOD_COLORS

# %%
# The table
# ---------
# Rare rows lie around a point away from the centre of the common rows. Common rows are more numerous nearly everywhere.


def draw(n_rows, rng):
    """Return rows and their classes; one row in twenty is rare (class 1)."""
    y = (np.arange(n_rows) % 20 == 0).astype(int)
    X = rng.standard_normal((n_rows, 6))
    X[y == 1] = 0.8 * X[y == 1] + 0.9
    return X, y


rng = np.random.default_rng(0)
X, y = draw(2000, rng)
X_test, y_test = draw(10_000, rng)

# %%
# Five weights
# ------------
# `class_weight` multiplies the weights of rows, and trees draw their bags by these weights. "balanced" is 19 here, so
# both classes have the same total weight.

WEIGHTS = (1, 3, 6, 19, 60)
forests = {weight: RotastackClassifier(30, class_weight={1: weight}, random_state=0).fit(X, y) for weight in WEIGHTS}

figure, axis = plt.subplots(figsize=(5.2, 4.2), layout="constrained")
precision, recall, _ = precision_recall_curve(y_test, forests[1].predict_proba(X_test)[:, 1])
axis.plot(100 * recall[::20], 100 * precision[::20], color="#777777", label="all thresholds of the unweighted forest")
found = {}
for weight, forest in forests.items():
    predicted = forest.predict(X_test)
    found[weight] = recall_score(y_test, predicted), precision_score(y_test, predicted)
    print(
        f"weight {weight:2d}: finds {100 * found[weight][0]:.0f} % of the rare rows;"
        f" {100 * found[weight][1]:.0f} % of what it calls rare is rare;"
        f" {100 * np.mean(predicted != y_test):.1f} % errors"
    )
    axis.annotate(f"{weight}", 100 * np.array(found[weight]), (5, 5), textcoords="offset points")
axis.plot(
    *(100 * np.array(list(found.values())).T), "o", color=METHOD_COLORS[1],
    label="forests with this weight of the rare class",
)  # fmt: skip
axis.set(xlabel="rare rows that are found (recall), %", ylabel="of the rows found, rare (precision), %", ylim=(0, 100))
axis.legend(fontsize=9)
plt.show()

# %%
# Result: a larger weight raises the recall of rare rows and lowers the precision. Each weight gives a point near the
# curve of the unweighted forest, as another threshold does.
