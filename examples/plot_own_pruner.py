"""
How is a pruner of one's own written?
=====================================

How much code does another rule for the choice of members need? A pruner reads the members' votes and the
true classes, never the models. An ordering pruner only defines the order of the members; its base class does the rest.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.frozen import FrozenEstimator

from rotastack import PrunedEnsembleClassifier, RandomRotationForestClassifier
from rotastack.combine.pruning import OrderingPruner, OrientationPruner, ordered_curve
from rotastack.data import load_dataset
from rotastack.plots.style import DASHES, METHOD_COLORS

# %%
# The pruner
# ----------
# The simplest rule puts the members with the lowest own error first. `vote_table` has the votes, the classes
# `y`, and sums over votes that many rules need, for example each member's own error.


class AccuracyPruner(OrderingPruner):
    """Keep the members with the lowest own error."""

    def __init__(self, n_select=0.5, vote="simple"):
        self.n_select = n_select
        self.vote = vote

    def _order(self, vote_table):
        return vote_table.own_errors.argsort(kind="stable")


# %%
# A forest, pruned
# ----------------
# Members vote on their out-of-bag rows. `n_select=None` keeps the number of members with the lowest error there.

X, y = (part.to_numpy() for part in load_dataset("balance-scale"))
forest = RandomRotationForestClassifier(200, random_state=0)
pruned = PrunedEnsembleClassifier(forest, AccuracyPruner(None), selection="oob").fit(X[::2], y[::2])
error = np.mean(pruned.predict(X[1::2]) != y[1::2])
print(f"kept {len(pruned.selected_)} of {pruned.n_members_}; error {error:.3f}")

# %%
# Is the rule a good one?
# -----------------------
# `order_` has all members in the order in which they are kept, so the error on new rows can be drawn for any number
# of members. The figure shows means of eight splits. A low error of single members is not all that counts: orientation
# prefers members that are right on rows where the other members are wrong.

PRUNERS = {"accuracy (ours)": AccuracyPruner(), "orientation": OrientationPruner()}
curves = {"as they were grown": [], **{name: [] for name in PRUNERS}}
for seed in range(8):
    shuffled = np.random.default_rng(seed).permutation(len(y))
    train, test = shuffled[:400], shuffled[400:]
    forest = RandomRotationForestClassifier(200, random_state=seed).fit(X[train], y[train])
    votes, truth = (np.searchsorted(forest.classes_, labels) for labels in (forest.tree_votes(X[test]), y[test]))
    curves["as they were grown"].append(ordered_curve(votes, truth, np.arange(200)))
    for name, pruner in PRUNERS.items():
        pruned = PrunedEnsembleClassifier(FrozenEstimator(forest), pruner, selection="oob").fit(X[train], y[train])
        curves[name].append(ordered_curve(votes, truth, pruned.pruner_.order_))

figure, axis = plt.subplots(figsize=(5.2, 3.6), layout="constrained")
means = {name: 100 * np.mean(lines, axis=0) for name, lines in curves.items()}
for (name, mean), color, dash in zip(means.items(), METHOD_COLORS, DASHES, strict=False):
    axis.plot(np.arange(1, 201), mean, color=color, linestyle=dash, label=name)
    print(f"{name}: {mean[19]:.1f} % errors with the first 20, {mean[199]:.1f} % with all")
axis.set(xlabel="trees kept, the first of the order", ylabel="error on new rows, %", xscale="log", ylim=(6, 16))
axis.set_xticks([1, 10, 100, 200], ["1", "10", "100", "200"])
axis.legend(fontsize=9)
plt.show()

# %%
# Result: on this data set the simple rule has about the same error as orientation. About 20 chosen trees have about
# the error of all 200, and a lower error than the first 20.
