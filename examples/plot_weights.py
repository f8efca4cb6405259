"""
How are rotations weighed by rank?
==================================

How much more than the tenth should the best rotation count? Rotations are ranked by the complexity of the
trees on them, the simplest first, and weighed by rank (thesis, figure 2.1, equations 2.6 and 2.7): CUT
gives 1/h to each of the first h, EXP halves the weight every h ranks.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack.combine import RotationWeights
from rotastack.plots.style import METHOD_COLORS

R = 100

# %%
# Two weightings, three settings of each
# --------------------------------------
# Complexities that rise with the rotation's number make the number the rank.

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
# What one saw: CUT treats the first h ranks alike and drops the others; EXP has about half of its weight on
# the first h, and lets all others have some.
