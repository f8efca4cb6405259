# %% [markdown]
# # Your table in five minutes
#
# What can be foretold from a table of your own, how well, and by which columns? Name your file and the column
# to foretell in the first cell of code, and run all cells. As it stands the notebook draws a table itself.
#
# It needs `pip install rotastack matplotlib`, and no network.

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

TABLE = None  # the path of yours: CSV, Excel, Parquet, ...; None draws customers
TARGET = "left"  # the column to foretell: classes (for numbers, RotastackRegressor does the same)

# %% [markdown]
# ## 1. The table
#
# `read_table` reads most files as they are. Categories stay text and gaps stay gaps: nothing has to be
# encoded, filled in or scaled.


# %%
def customers(n_rows=1200, seed=0):
    """Return customers, with gaps, some of whom leave."""
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
# `RotastackClassifier` grows families of trees on several views of the columns, and weighs them by their
# outputs for rows that the trees have not seen. From the same rows comes an error that needs no rows kept
# aside. No setting needs a search.

# %%
forest = RotastackClassifier(trees_per_family=50, random_state=0).fit(X, y)
print(f"error out of bag: {100 * (1 - forest.oob_score_):.1f} %")
for name, weight in zip(forest.families_, forest.family_weights_, strict=True):
    print(f"{weight:.2f}  {name}")

# %% [markdown]
# ## 3. Is that good?
#
# Against guessing the most common class, and against scikit-learn's boosting, on the same five folds. The
# test is the corrected t test: folds share training rows, for which the plain one is too bold. Five folds of
# one table can show large differences only.

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
print(f"(95 % of confidence: {low:.1f} to {high:.1f}; p = {test.p:.2f})")

# %% [markdown]
# ## 4. Which columns count?
#
# Each column is shuffled, and rows are judged by trees that have not seen them. A column that loses nothing
# may be left out, or stand for the same as another.

# %%
lost = forest.out_of_bag_importances(X, y)
order = lost.importances_mean.argsort()[-15:]
figure, axis = plt.subplots(figsize=(5.2, 0.8 + 0.3 * len(order)), layout="constrained")
axis.barh(
    X.columns[order], 100 * lost.importances_mean[order], xerr=100 * lost.importances_std[order], color=METHOD_COLORS[0]
)
axis.set_xlabel("more rows wrong if shuffled, %")
plt.show()

# %% [markdown]
# ## 5. New rows
#
# New rows are a table of the same columns, such as `pd.read_csv("new.csv")`; here are the first of those that
# are there. A probability of .8 is right some eight times in ten: the weights of the families calibrate.

# %%
new = X.head()
pd.DataFrame(forest.predict_proba(new), columns=forest.classes_).round(2).assign(predicted=forest.predict(new))

# %% [markdown]
# ## From here
#
# The command `rotastack run customers.csv --target left` (`pip install 'rotastack[workflow]'`) does all of
# this by nested or repeated validation, against a random forest and boosting, and writes a report, a model
# file and a study that can be edited; `rotastack predict --study customers new.csv` predicts.
