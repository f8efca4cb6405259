"""
Weights of rotations by rank
============================

Rotations are ranked by the complexity of the trees on them, the simplest first, and weighed by rank (thesis, figure 2.1,
equations 2.6 and 2.7): CUT gives 1/h to each of the first h, EXP halves the weight every h ranks.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack.combine import RotationWeights

R = 100

# %%
# Complexities that rise with the rotation's number make the number the rank.

complexity, oob_error = np.arange(R), np.zeros(R)

figure, axis = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for weighting, dash in (("cut", "dashed"), ("exp", "solid")):
    for h in (5, 10, 20):
        weights = RotationWeights(weighting, h).rank(complexity, oob_error).weights_
        axis.plot(
            np.arange(1, R + 1), weights, linestyle=dash, color=f"C{(5, 10, 20).index(h)}",
            label=f"{weighting}, h = {h}",
        )  # fmt: skip
axis.set(xlabel="rank", ylabel="weight", xlim=(1, R), ylim=(0, None))
axis.legend(frameon=False, ncols=2)
plt.show()
