"""
When do rotations help, and when do they hurt?
==============================================

Is a forest better on randomly rotated columns? That depends on two things that this script turns up one by
one: a boundary that is oblique to the columns, which a rotation may straighten, and columns of noise, which
a rotation mixes into all others.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack import RandomRotationForestClassifier, RotastackClassifier
from rotastack.plots.style import MARKERS, METHOD_COLORS
from rotastack.trees import ForestClassifier

# %%
# Two problems
# ------------
# Four columns tell the class, others are noise. The boundary is either oblique, a plane through the sum of
# the four, or along the columns: an odd number of the first two above 0, so to say a chessboard.


def draw(kind, n_noise, n_rows, rng):
    """Return rows of 4 columns that count and `n_noise` that do not, and their classes."""
    X = rng.standard_normal((n_rows, 4 + n_noise))
    if kind == "oblique":
        return X, (X[:, :4].sum(axis=1) > 0).astype(int)
    return X, ((X[:, 0] > 0) ^ (X[:, 1] > 0)).astype(int)


# %%
# More and more noise
# -------------------
# Errors on 1000 new rows, after training on 300; means of three draws.

NOISE = (0, 4, 12, 28)
METHODS = {
    "forest": lambda seed: ForestClassifier(100, random_state=seed),
    "forest on rotations": lambda seed: RandomRotationForestClassifier(100, random_state=seed),
    "RotastackClassifier": lambda seed: RotastackClassifier(10, random_state=seed),
}


def mean_error(make, kind, n_noise):
    """Return the mean error over draws of the problem."""
    errors = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = draw(kind, n_noise, 300, rng)
        X_test, y_test = draw(kind, n_noise, 1000, rng)
        errors.append(np.mean(make(seed).fit(X, y).predict(X_test) != y_test))
    return np.mean(errors)


errors = {
    kind: {name: [mean_error(make, kind, n) for n in NOISE] for name, make in METHODS.items()}
    for kind in ("oblique", "along the columns")
}

figure, axes = plt.subplots(1, 2, figsize=(5.8, 3.4), sharey=True, layout="constrained")
shares = [100 * n / (4 + n) for n in NOISE]
for axis, (kind, lines) in zip(axes, errors.items(), strict=True):
    for (name, values), color, marker in zip(lines.items(), METHOD_COLORS, MARKERS, strict=False):
        axis.plot(shares, 100 * np.array(values), color=color, marker=marker, label=name)
        print(f"{kind}, {name}:", np.round(values, 3))
    axis.set(title=kind, xlabel="columns of noise, %")
axes[0].set(ylabel="error, %", ylim=(0, 50))
figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper center", ncols=3, fontsize=9, columnspacing=1)
plt.show()

# %%
# What one saw: rotations more than halve the error at an oblique boundary without noise, and lose this gain
# as columns of noise are added; they only hurt where the boundary is along the columns. `RotastackClassifier`
# was never more than two percentage points above the better of the two forests, and well below both with noise.
