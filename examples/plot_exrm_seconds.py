"""
How does the training time of linear machines grow with the rows?
=================================================================

Does training take longer with more members, and with more rows? This is the fourth picture of figure 1 of Guo, Wang
and Ling, *Exclusivity regularized machine*: seconds of training (the fastest of three runs, on one thread) against the
number of generated rows of 22 columns, with squared losses. **The script measures these seconds while it runs**: other
programs that run at the same time lengthen them, and no two runs agree.
"""

import matplotlib.pyplot as plt
import numpy as np
from _shared import LAM, MEMBERS, linear_problem, seconds_of_training

from rotastack import ExclusivityRegularizedClassifier, PrimalSVMClassifier
from rotastack.plots.style import MARKERS, METHOD_COLORS

SIZES = (100, 1000, 10_000)

# %%
# The machines
# ------------
# The printed algorithm (ALM) starts from random members. The exact solver trains one machine for any number of members.

machines = {"PSVM": PrimalSVMClassifier(LAM)}
for n_members in MEMBERS:
    machines[f"ExRM {n_members}, exact"] = ExclusivityRegularizedClassifier(n_members, LAM)
for n_members in MEMBERS:
    machines[f"ExRM {n_members}, ALM"] = ExclusivityRegularizedClassifier(
        n_members, LAM, solver="alm", init="random", random_state=0
    )

# %%
# Seconds on 100 to 10,000 rows
# -----------------------------

X, y = linear_problem(max(SIZES), np.random.default_rng(0))

figure, axis = plt.subplots(figsize=(6.4, 4), layout="constrained")
for (label, machine), color, marker in zip(machines.items(), METHOD_COLORS, MARKERS, strict=False):
    seconds = [seconds_of_training(machine, X[:n], y[:n], n_runs=3) for n in SIZES]
    axis.plot(
        SIZES, seconds, marker=marker, color=color, label=label, linestyle="dashed" if "ALM" in label else "solid"
    )
axis.set(xscale="log", yscale="log", xlabel="training rows", ylabel="seconds")
figure.legend(loc="outside right upper", frameon=False)
plt.show()

# %%
# Result: from the smallest to the largest data set, the seconds grow by no more than the factor of the rows. The
# printed algorithm takes longer with each member, while the exact solver does not.
