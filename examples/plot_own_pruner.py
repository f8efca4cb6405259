"""
How is a pruner of one's own written?
=====================================

What does it take to try another rule for which members to keep? A pruner sees the members' votes and the true classes, never the models; one that orders the
members states their order, and keeping the first of them is done for it.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack import PrunedEnsembleClassifier, RandomRotationForestClassifier
from rotastack.combine.pruning import OrientationPruner
from rotastack.combine.pruning.base import OrderingPruner
from rotastack.data import load_dataset
from rotastack.plots.style import METHOD_COLORS

# %%
# The pruner
# ----------
# The simplest rule: members that err least by themselves come first. `ballots` has the votes, the classes `y`, and sums over them that many rules need, such as each
# member's own error.


class AccuracyPruner(OrderingPruner):
    """Keep the members that err least by themselves."""

    def __init__(self, n_select=0.2, vote="simple"):
        self.n_select = n_select
        self.vote = vote

    def _order(self, ballots):
        return ballots.own_errors.argsort(kind="stable")


# %%
# What it keeps
# -------------
# `order_` has all members, the first to keep first: errors on new rows are drawn for any number of them, means over ten splits. That members err little is not all
# that counts: orientation prefers those that are right where the others are wrong.

X, y = (part.to_numpy() for part in load_dataset("balance-scale"))
curves = {"accuracy": [], "orientation": [], "as they were grown": []}
for seed in range(10):
    order = np.random.default_rng(seed).permutation(len(y))
    train, test = order[:400], order[400:]
    forest = RandomRotationForestClassifier(200, random_state=seed)
    for name, pruner in (("accuracy", AccuracyPruner(None)), ("orientation", OrientationPruner(None))):
        pruned = PrunedEnsembleClassifier(forest, pruner, selection="oob").fit(X[train], y[train])
