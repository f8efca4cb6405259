"""
Do prediction intervals keep their promise?
===========================================

Does a 90 % interval hold nine new values in ten, both where the noise is small and where the noise is
large? `RotastackRegressor` computes intervals from out-of-bag residuals. It needs no held-out rows and fits no second
model.
"""

import matplotlib.pyplot as plt
import numpy as np

from rotastack import RotastackRegressor
from rotastack.plots.style import METHOD_COLORS

# %%
# Power by wind
# -------------
# The power of a turbine grows with the wind and levels off. Its scatter is largest at medium wind. One more column
# counts a little, and another is noise.


def yields(n_rows, rng):
    """Return rows (wind in m/s, temperature in degrees Celsius, a column of noise) and power in kW."""
    wind, temperature = rng.uniform(0, 20, n_rows), rng.normal(10, 8, n_rows)
    power = 2000 / (1 + np.exp(-0.9 * (wind - 9))) - 5 * (temperature - 10)
    scatter = 20 + 250 * np.exp(-(((wind - 9) / 3) ** 2))
    return np.c_[wind, temperature, rng.random(n_rows)], power + scatter * rng.standard_normal(n_rows)


rng = np.random.default_rng(0)
X, y = yields(1000, rng)
X_test, y_test = yields(5000, rng)
forest = RotastackRegressor(30, random_state=0).fit(X, y)
print(f"out-of-bag R^2 {forest.oob_score_:.3f}, on new rows {forest.score(X_test, y_test):.3f}")

# %%
# Intervals with a coverage of 90 %
# ---------------------------------

low, high = forest.predict_interval(X_test, coverage=0.9).T
inside = (low <= y_test) & (y_test <= high)
wind = X_test[:, 0]
bins = np.arange(0, 20, 2)
held = [inside[(start <= wind) & (wind < start + 2)].mean() for start in bins]
print(f"inside: {100 * inside.mean():.1f} %; by wind from {100 * min(held):.0f} to {100 * max(held):.0f} %")

figure, (top, bottom) = plt.subplots(2, 1, figsize=(5.2, 5.2), sharex=True, height_ratios=(2, 1), layout="constrained")
typical = np.c_[np.linspace(0.1, 19.9, 200), np.full(200, 10.0), np.full(200, 0.5)]
band = forest.predict_interval(typical, coverage=0.9)
top.fill_between(typical[:, 0], *band.T, color=METHOD_COLORS[4], alpha=0.5, linewidth=0, label="interval of 90 %")
top.plot(typical[:, 0], forest.predict(typical), color=METHOD_COLORS[0], label="prediction")
top.plot(wind[:600], y_test[:600], ".", color=METHOD_COLORS[7], markersize=2, label="new values")
top.set_ylabel("power, kW")
top.legend(fontsize=9, loc="lower right")
bottom.bar(bins + 1, 100 * np.array(held), width=1.8, color=METHOD_COLORS[4])
bottom.axhline(90, color="black", linestyle="dashed")
bottom.set(xlabel="wind, m/s", ylabel="inside, %", ylim=(50, 100))

# %%
# Other coverages
# ---------------

COVERAGES = (0.5, 0.8, 0.9, 0.95)
kept = []
for coverage in COVERAGES:
    low, high = forest.predict_interval(X_test, coverage=coverage).T
    kept.append(np.mean((low <= y_test) & (y_test <= high)))
    width = np.mean(high - low)
    print(f"nominal {100 * coverage:.0f} %, inside {100 * kept[-1]:.1f} %, mean width {width:.0f} kW")
plt.show()

# %%
# Result: the share of new values inside is within three percentage points of the nominal coverage. Intervals are wide
# where the scatter is large. They are too narrow where the scatter begins and ends, and slightly too wide where it is
# small.
