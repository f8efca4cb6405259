"""
What does the flagship make of a mixed table with missing values?
=================================================================

Can a table with numbers, categories and gaps be fitted as it is, and which of its families of trees does
`RotastackClassifier` then listen to? The table is drawn here, so that it is known what there is to find.
"""

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from rotastack import RotastackClassifier
from rotastack.plots.style import METHOD_COLORS

# %%
# The table
# ---------
# Loans fail where the debt is large for the income, which is an oblique boundary, and where trade and region
# go badly together, which is a pair of categories. Hours are noise. Every column but the trade has gaps, and
# one loan in twenty comes out by chance.


def loans(n_rows, rng):
    """Return loans, with gaps, and what became of them."""
    table = pd.DataFrame(
        {
            "income": rng.lognormal(1.0, 0.4, n_rows),
            "debt": rng.lognormal(1.0, 0.4, n_rows),
            "hours": rng.normal(40, 5, n_rows),
            "region": rng.choice(["north", "south", "east", "west"], n_rows),
            "trade": rng.choice(["farm", "shop", "office"], n_rows),
        }
    )
    bad_pair = (table["region"] + table["trade"]).isin(["northfarm", "southshop", "eastoffice", "westfarm"])
    fails = table["debt"] + 1.5 * bad_pair > table["income"] + 0.5
    fails ^= rng.random(n_rows) < 0.05
    for column in ("income", "debt", "hours", "region"):
        table.loc[rng.random(n_rows) < 0.05, column] = np.nan
    return table, np.where(fails, "fails", "is paid back")


X, y = loans(1500, np.random.default_rng(0))
X, X_new, y, y_new = train_test_split(X, y, test_size=700, random_state=0)
print(X.head())

# %%
# The fit
# -------
# Nothing is encoded, filled in or scaled beforehand. Each family of trees sees the columns in its own way;
# the weights are fitted to outputs for rows that the trees have not seen (out of bag), so no rows have to be
# kept aside.

forest = RotastackClassifier(trees_per_family=50, random_state=0).fit(X, y)
error, error_new = 1 - forest.oob_score_, np.mean(forest.predict(X_new) != y_new)
print(f"error out of bag {error:.3f}, on new rows {error_new:.3f}")

# %%
# Who is listened to
# ------------------
# A family of weight 0 is switched off.

figure, (left, right) = plt.subplots(1, 2, figsize=(5.8, 3.6), sharey=True, layout="constrained")
names = forest.families_
left.barh(names, forest.family_weights_, color=METHOD_COLORS[0])
left.set_xlabel("weight of the family")
left.invert_yaxis()
right.barh(names, 100 * forest.oob_family_errors_, color=METHOD_COLORS[1])
right.axvline(100 * error, color="black", linestyle="dashed", label="all families together")
right.set_xlabel("error out of bag, %")
figure.legend(loc="outside upper right", fontsize=9)
plt.show()

# %%
# What one saw: all families together err less than the best of them alone, boosting is switched off, and the
# error out of bag was right about new rows to within two percentage points.
