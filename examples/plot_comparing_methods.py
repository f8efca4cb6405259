"""
Is one method better than another over data sets?
=================================================

If one method wins on nine data sets of twelve, is the method better, or lucky? `rotastack.stats` takes any table of
scores, with a row for each data set and a column for each method. This example first computes such a table.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import StratifiedKFold, cross_val_score

from rotastack import RandomRotationForestClassifier, RotastackClassifier, RotationForestClassifier
from rotastack.data import load_dataset
from rotastack.plots.critical_difference import plot_critical_difference
from rotastack.plots.screen import on_screen
from rotastack.stats import bayesian_signed_rank, compare
from rotastack.trees import ForestClassifier, TreeClassifier

# %%
# A table of errors
# -----------------
# The data sets need no network. At most 300 rows of each are used, with two-fold cross-validation, which is enough for
# an illustration.

DATASETS = (
    "iris", "wine", "wdbc", "balance-scale", "twonorm", "ringnorm", "waveform-21-simulated",
    "waveform-40-simulated", "led24-simulated", "noisy-square", "monks-1", "tic-tac-toe",
)  # fmt: skip
METHODS = {
    "one tree": TreeClassifier(random_state=0),
    "forest": ForestClassifier(100, random_state=0),
    "random rotations": RandomRotationForestClassifier(100, random_state=0),
    "Rotation Forest": RotationForestClassifier(30, random_state=0),
    "RotastackClassifier": RotastackClassifier(10, random_state=0),
}


def errors_on(name):
    """Return the error of each method on a data set."""
    X, y = load_dataset(name)
    rows = np.random.default_rng(0).permutation(len(y))[:300]
    X, y = pd.get_dummies(X, dtype=float).to_numpy()[rows], y.to_numpy()[rows]
    folds = StratifiedKFold(2, shuffle=True, random_state=0)
    return {method: 1 - cross_val_score(model, X, y, cv=folds).mean() for method, model in METHODS.items()}


errors = pd.DataFrame({name: errors_on(name) for name in DATASETS}).T
print(errors.round(3).to_string())

# %%
# How probable is it that one is better?
# --------------------------------------
# A p-value does not answer this question. The Bayesian signed-rank test returns the probabilities that the first method
# is better, that the second is better, and that both are practically equal (within one percentage point).

pair = errors["forest"], errors["RotastackClassifier"]
probabilities = bayesian_signed_rank(*pair, higher_is_better=False, rope=0.01, random_state=0)
print(probabilities)

# %%
# Ranks
# -----
# Methods are ranked on each data set. A bar joins methods with average ranks that differ by less than the critical
# difference: there are too few data sets to show that these methods differ.

comparison = compare(errors, higher_is_better=False)
print(comparison.average_ranks.round(2).to_dict(), f"p = {comparison.p_value:.3f}")
print("p-values against the forest:", comparison.holm_p("forest").round(3).to_dict())
figure = on_screen(plot_critical_difference(comparison))
figure.set_size_inches(5.6, 2.2)
plt.show()

# %%
# Result: at a level of 5 %, ranks over twelve data sets distinguish a single tree from the better ensembles, but not
# the ensembles from each other. By the Bayesian test, `RotastackClassifier` is far more probably better than the forest
# than practically equal or worse.
