"""
Can a forest be pruned to a tenth?
==================================

If only 20 of 200 trees are kept, does the choice of trees matter, and is their error higher than that of all trees?
Trees are chosen by their votes on out-of-bag rows, so no held-out rows are needed. The answer depends on the
data, so two data sets are compared.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.frozen import FrozenEstimator

from rotastack import PrunedEnsembleClassifier, RandomRotationForestClassifier
from rotastack.combine.pruning import MDMPruner, OrientationPruner, ReducedErrorPruner
from rotastack.data import load_dataset
from rotastack.plots.style import METHOD_COLORS

# %%
# Two data sets
# -------------
# The boundary of balance-scale, the side to which a balance tips, is oblique, and some rotations align it with an axis.
# For the 64 pixels of digits no rotation is much better than another.

sides = [part.to_numpy() for part in load_dataset("balance-scale")]
pixels = [part[:900] for part in load_digits(return_X_y=True)]
SETS = {"balance-scale": (sides, 400), "digits": (pixels, 500)}

# %%
# 200 trees, and 20 of them
# -------------------------
# Each of six random splits trains on 400 or 500 rows and measures the error on the other rows. The forest is frozen,
# so all pruners choose from the same trees.

PRUNERS = {
    "orientation": OrientationPruner(0.1),
    "reduced error": ReducedErrorPruner(0.1),
    "margin distance": MDMPruner(0.1),
}


def fitted(X, y, seed):
    """Return the forest, a forest with a tenth of the trees, and the forest pruned by each pruner."""
    forest = RandomRotationForestClassifier(200, random_state=seed).fit(X, y)
    models = {"all 200": forest, "first 20": RandomRotationForestClassifier(20, random_state=seed).fit(X, y)}
    for name, pruner in PRUNERS.items():
        models[name] = PrunedEnsembleClassifier(FrozenEstimator(forest), pruner, selection="oob").fit(X, y)
    return models


figure, axes = plt.subplots(2, 1, figsize=(5.2, 5.2), sharex=True, layout="constrained")
means = {}
for axis, (title, ((X, y), n_train)) in zip(axes, SETS.items(), strict=True):
    errors = []
    for seed in range(6):
        order = np.random.default_rng(seed).permutation(len(y))
        train, test = order[:n_train], order[n_train:]
        models = fitted(X[train], y[train], seed)
        errors.append([100 * np.mean(model.predict(X[test]) != y[test]) for model in models.values()])
    places = np.arange(len(models))
    axis.plot(np.transpose(errors), places, "o", color=METHOD_COLORS[4], markersize=5)
    means[title] = dict(zip(models, np.mean(errors, axis=0), strict=True))
    axis.plot(list(means[title].values()), places, "|", color=METHOD_COLORS[1], markersize=18, markeredgewidth=3)
    axis.set_yticks(places, models)
    axis.margins(y=0.15)
    axis.invert_yaxis()
    axis.set_title(title)
    print(title, {name: f"{mean:.1f} %" for name, mean in means[title].items()})
axes[1].set_xlabel("error on new rows, %; bar: mean of six splits")
plt.show()

# %%
# Result: on balance-scale, twenty trees chosen by orientation have no higher error than all 200. On digits, a tenth
# of the trees has twice the error of the whole forest, chosen or not. So compare a pruner with the whole forest, and
# with a small forest, on your own data.
