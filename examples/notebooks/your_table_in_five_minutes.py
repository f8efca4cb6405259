# %% [markdown]
# # Your table in five minutes
#
# How well can a column of your table be predicted, and from which columns? Name your file and the target
# column in the first code cell, and run all cells. Without a file the notebook uses a generated table.
#
# Requirement: `pip install rotastack matplotlib`. No network is needed.

# %%
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import StratifiedKFold, cross_val_score

from rotastack import RotastackClassifier
from rotastack.data import read_table
from rotastack.plots.style import METHOD_COLORS
from rotastack.stats import corrected_t

TABLE = None  # path of your table: CSV, Excel, Parquet, ...; None: generated customers
TARGET = "left"  # column to predict: classes (for numbers use RotastackRegressor)

# %% [markdown]
# ## 1. The table
#
# `read_table` reads most formats. Categories stay text, and missing values stay missing: the table needs no
# encoding, imputation or scaling.


# %%
def customers(n_rows=1200, seed=0):
    """Return a table of customers with missing values; some customers leave."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "contract": rng.choice(["month", "year"], n_rows),
            "region": rng.choice(["north", "south", "east", "west"], n_rows),
            "months": rng.integers(1, 60, n_rows).astype(float),
            "paid": rng.gamma(4, 20, n_rows).round(2),
            "used": rng.gamma(4, 20, n_rows).round(2),
            "calls": rng.poisson(2, n_rows).astype(float),
        }
    )
    score = 1 - 0.06 * table["months"] + 0.03 * (table["paid"] - table["used"])
    score += (table["contract"] == "month") * (0.8 * table["calls"] - 1)
    leaves = rng.random(n_rows) < 1 / (1 + np.exp(-2 * score))
    for column in ("paid", "calls", "region"):
        table.loc[rng.random(n_rows) < 0.08, column] = np.nan
    return table.assign(left=np.where(leaves, "yes", "no"))


X, y = read_table(customers() if TABLE is None else TABLE, TARGET)
print(f"{len(X)} rows; classes: {y.value_counts().to_dict()}")
pd.DataFrame({"type": X.dtypes.astype(str), "missing, %": 100 * X.isna().mean(), "values": X.nunique()}).round(1)

# %% [markdown]
# ## 2. The fit
#
# `RotastackClassifier` grows families of trees on several views of the columns. The weights of the families
# are fitted to out-of-bag outputs. The out-of-bag error needs no held-out rows. No parameter needs a
# search.

# %%
forest = RotastackClassifier(trees_per_family=50, random_state=0).fit(X, y)
print(f"out-of-bag error: {100 * (1 - forest.oob_score_):.1f} %")
for name, weight in zip(forest.families_, forest.family_weights_, strict=True):
    print(f"{weight:.2f}  {name}")

# %% [markdown]
# ## 3. Comparison
#
# The baselines are the most common class and scikit-learn's boosting, on the same five folds. The test is
# the corrected t test, because folds share training rows and the plain t test has too small p-values. Five
# folds of one table can show only large differences.

# %%
text = X.select_dtypes(exclude="number").columns
methods = {
    "most common class": (DummyClassifier(), X),
    "HistGradientBoosting": (HistGradientBoostingClassifier(random_state=0), X.astype(dict.fromkeys(text, "category"))),
    "Rotastack": (RotastackClassifier(trees_per_family=20, random_state=0), X),
}
folds = StratifiedKFold(5, shuffle=True, random_state=0)
errors = {name: 1 - cross_val_score(model, table, y, cv=folds) for name, (model, table) in methods.items()}
for name, values in errors.items():
    print(f"{name}: error {100 * values.mean():.1f} %")
test = corrected_t(errors["HistGradientBoosting"], errors["Rotastack"], n_train=4, n_test=1)
more, low, high = 100 * np.array([test.difference, *test.interval])
print(f"HistGradientBoosting makes {more:.1f} percentage points more errors (below 0: fewer)")
print(f"(95 % confidence interval: {low:.1f} to {high:.1f}; p = {test.p:.2f})")

# %% [markdown]
# ## 4. Importances of columns
#
# Each column is shuffled, and the error is measured on out-of-bag rows. A column without a loss is not
# needed, or contains the same information as another column.

# %%
lost = forest.out_of_bag_importances(X, y)
order = lost.importances_mean.argsort()[-15:]
figure, axis = plt.subplots(figsize=(5.2, 0.8 + 0.3 * len(order)), layout="constrained")
axis.barh(
    X.columns[order], 100 * lost.importances_mean[order], xerr=100 * lost.importances_std[order], color=METHOD_COLORS[0]
)
axis.set_xlabel("increase of the error if shuffled, %")
plt.show()

# %% [markdown]
# ## 5. New rows
#
# New rows are a table with the same columns, such as `pd.read_csv("new.csv")`; this cell uses the first
# training rows. The probabilities are calibrated: of predictions with probability 0.8, about 80 % are right.

# %%
new = X.head()
pd.DataFrame(forest.predict_proba(new), columns=forest.classes_).round(2).assign(predicted=forest.predict(new))

# %% [markdown]
# ## Next steps
#
# The command `rotastack run customers.csv --target left` (`pip install 'rotastack[workflow]'`) compares the
# methods by repeated validation, with random forests and boosting, and writes a report, a model file and a
# study file that you can edit. `rotastack predict --study customers new.csv` predicts new rows.
