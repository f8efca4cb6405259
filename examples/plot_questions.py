"""
What can be asked of a fitted forest?
=====================================

Which columns count, for which class and in which way, and how certain are the predictions? `RotastackClassifier` is a
scikit-learn estimator, so scikit-learn's tools answer these questions, on a data frame with categories. The table is
generated here, so the right answers are known.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.calibration import CalibratedClassifierCV, CalibrationDisplay
from sklearn.inspection import PartialDependenceDisplay, permutation_importance
from sklearn.model_selection import train_test_split

from rotastack import RotastackClassifier
from rotastack.plots.style import METHOD_COLORS

try:
    import shap
except ModuleNotFoundError:
    shap = None

# %%
# The table
# ---------
# Whether a customer leaves depends on the months as a customer, on the contract, and, for monthly contracts, on the
# calls. The shade has no effect.


def customers(n_rows, rng):
    """Return customers, with missing values, and whether they leave."""
    table = pd.DataFrame(
        {
            "contract": rng.choice(["month", "year"], n_rows),
            "shade": rng.choice(["red", "green", "blue"], n_rows),
            "months": rng.integers(1, 60, n_rows).astype(float),
            "calls": rng.poisson(2, n_rows).astype(float),
        }
    )
    monthly = table["contract"] == "month"
    score = 1.5 - 0.08 * table["months"] + monthly * (0.9 * table["calls"] - 1)
    leaves = rng.random(n_rows) < 1 / (1 + np.exp(-score))
    table.loc[rng.random(n_rows) < 0.1, "calls"] = np.nan
    return table, np.where(leaves, "leaves", "stays")


X, y = customers(1500, np.random.default_rng(0))
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=500, random_state=0)
forest = RotastackClassifier(random_state=0).fit(X_train, y_train)

# %%
# Importance of columns
# ---------------------
# Decreases of impurity are available after `fit`, but a column of noise gets a share of them. Permutation importances
# do not have this fault. scikit-learn computes them on held-out rows. The forest computes them on out-of-bag rows,
# also by class, and needs no held-out rows.

held_out = permutation_importance(forest, X_test, y_test, scoring="neg_log_loss", n_repeats=5, random_state=0)
out_of_bag = forest.out_of_bag_importances(X_train, y_train, "neg_log_loss")

figure, axes = plt.subplots(2, 2, figsize=(6, 5), sharey=True, layout="constrained")
for axis, title, unit, values in (
    (axes[0, 0], "decreases of impurity", "share", forest.feature_importances_),
    (axes[0, 1], "shuffled, held out", "log loss gained", held_out.importances_mean),
    (axes[1, 0], "shuffled, out of bag", "log loss gained", out_of_bag.importances_mean),
):
    axis.barh(X.columns, values, color=METHOD_COLORS[0])
    axis.set_title(title, fontsize=11)
    axis.set_xlabel(unit)
for k, (name, values) in enumerate(zip(forest.classes_, out_of_bag.by_class.T, strict=True)):
    axes[1, 1].barh(np.arange(X.shape[1]) + 0.4 * k - 0.2, values, height=0.4, color=METHOD_COLORS[k], label=name)
axes[1, 1].set_title("out-of-bag, by class", fontsize=11)
axes[1, 1].set_xlabel("log loss gained")
axes[1, 1].legend(fontsize=8)

# %%
# Partial dependence
# ------------------
# Partial dependence is the mean probability of staying if all customers had the same months, or the same contract.

display = PartialDependenceDisplay.from_estimator(
    forest, X_test, ["months", "contract"],
    categorical_features=["contract", "shade"], response_method="predict_proba", method="brute", grid_resolution=20,
)  # fmt: skip
display.figure_.set_layout_engine("constrained")

# %%
# One customer
# ------------
# SHAP's permutation explainer works with any model. It passes arrays to the model, so categories are coded as numbers.
# This figure needs the package `shap`.

CATEGORIES = {name: sorted(X[name].unique()) for name in ("contract", "shade")}


def coded(table):
    """Return the table with categories coded as numbers."""
    return table.assign(**{name: table[name].map(values.index) for name, values in CATEGORIES.items()}).astype(float)


def leaving(rows):
    """Return the probability of leaving for rows of :func:`coded`."""
    table = pd.DataFrame(rows, columns=X.columns)
    names = {name: np.array(values, dtype=object)[table[name].astype(int)] for name, values in CATEGORIES.items()}
    return forest.predict_proba(table.assign(**names))[:, 0]


if shap is not None:
    explainer = shap.PermutationExplainer(leaving, coded(X_train)[:50].to_numpy(), seed=0)
    explained = explainer(coded(X_test)[:1].to_numpy())
    figure, axis = plt.subplots(figsize=(5, 2.2), layout="constrained")
    axis.barh(X.columns, explained.values[0])
    axis.set_title(f"what makes {leaving(coded(X_test)[:1]).item():.2f} of {explained.base_values[0]:.2f}", fontsize=9)

# %%
# Calibration
# -----------
# The weights of families already calibrate the probabilities. scikit-learn's calibration works with this classifier
# as with any other.

calibrated = CalibratedClassifierCV(RotastackClassifier(random_state=0), method="sigmoid", cv=3)
calibrated.fit(X_train, y_train)
figure, axis = plt.subplots(figsize=(4, 4), layout="constrained")
for name, model in (("as it is", forest), ("calibrated", calibrated)):
    CalibrationDisplay.from_estimator(
        model, X_test, y_test, n_bins=8, strategy="quantile", pos_label="stays", name=name, ax=axis
    )
plt.show()

# %%
# Result: permutation importances are large for the columns that count, and not for the noise. Customers with more
# months stay. The probabilities are near the diagonal without further calibration.
