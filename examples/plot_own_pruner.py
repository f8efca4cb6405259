"""
How is a pruner of one's own written?
=====================================

What does it take to try another rule for which members to keep? A pruner sees the members' votes and the
true classes, never the models; one that orders the members states their order, and the rest is done for it.
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
# The simplest rule: members that err least by themselves come first. `ballots` has the votes, the classes
# `y`, and sums over them that many rules need, such as each member's own error.


class AccuracyPruner(OrderingPruner):
    """Keep the members that err least by themselves."""

    def __init__(self, n_select=0.5, vote="simple"):
        self.n_select = n_select
        self.vote = vote

    def _order(self, ballots):
        return ballots.own_errors.argsort(kind="stable")


# %%
# A forest, pruned
# ----------------
# Members vote on rows out of their bags. `n_select=None` keeps as many as err least there.

X, y = (part.to_numpy() for part in load_dataset("balance-scale"))
forest = RandomRotationForestClassifier(200, random_state=0)
pruned = PrunedEnsembleClassifier(forest, AccuracyPruner(None), selection="oob").fit(X[::2], y[::2])
error = np.mean(pruned.predict(X[1::2]) != y[1::2])
print(f"kept {len(pruned.selected_)} of {pruned.n_members_}; error {error:.3f}")

# %%
# Is the rule a good one?
# -----------------------
# `order_` has all members, the first to keep first, so that the error on new rows can be drawn for any number
# of them; means of eight splits. That members err little is not all that counts: orientation prefers those
# that are right where the others are wrong.

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
# What one saw: on this table the rule of one line does about as well as orientation: some 20 of 200 trees,
# chosen, do as well as all 200, and better than the first 20.
