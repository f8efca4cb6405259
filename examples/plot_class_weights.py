"""
What do class weights do on an unbalanced table?
================================================

If one row in twenty is of the class that matters, does a weight on that class find more of these rows, and
at what price? The same forest is fitted with five weights; what it finds is held against what another
threshold of the unweighted forest's probability would find.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.metrics import precision_recall_curve, precision_score, recall_score

from rotastack import RotastackClassifier
from rotastack.plots.style import METHOD_COLORS

# %%
# The table
# ---------
# Rare rows lie about a point off the centre of the others, which outnumber them nearly everywhere.


def draw(n_rows, rng):
    """Return rows of which one in twenty is rare (class 1)."""
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
# `class_weight` multiplies the weights of rows; trees draw their bags by them. "balanced" is 19 here: both
# classes weigh the same.

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
# What one saw: the larger the weight, the more rare rows are found and the fewer of those found are rare.
# Small weights choose a point of the unweighted forest's curve, as another threshold would; weights of 19 and
# more, where most rare rows are found, gave a somewhat better trade than a threshold.
