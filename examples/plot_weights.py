"""
How are rotations weighed by rank?
==================================

How much more weight should the best rotation get than the tenth? Rotations are ranked by the complexity of their
trees, the simplest first, and weighted by rank (thesis, figure 2.1, equations 2.6 and 2.7). CUT
gives the weight 1/h to each of the first h rotations; EXP halves the weight every h ranks.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack.combine import RotationWeights
from rotastack.plots.style import METHOD_COLORS

R = 100

# %%
# Two weightings, three settings of each
# --------------------------------------
# The complexities rise with the number of the rotation, so the number is the rank.

complexity, oob_error = np.arange(R), np.zeros(R)

figure, axis = plt.subplots(figsize=(6.4, 3.8), layout="constrained")
for weighting, dash in (("cut", "dashed"), ("exp", "solid")):
    for h, color in zip((5, 10, 20), METHOD_COLORS, strict=False):
        weights = RotationWeights(weighting, h).rank(complexity, oob_error).weights_
        axis.plot(
            np.arange(1, R + 1), weights, linestyle=dash, color=color,
            label=f"{weighting}, h = {h}",
        )  # fmt: skip
axis.set(xlabel="rank", ylabel="weight", xlim=(1, R), ylim=(0, None))
axis.legend(frameon=False, ncols=2)
plt.show()

# %%
# Result: CUT gives equal weights to the first h ranks and no weight to the others. EXP gives about half of its weight
# to the first h ranks, and some weight to all others.
