"""The check of new rows: arrays that need no check of scikit-learn's pass, all others get the same errors as ever."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import BaseEstimator
from sklearn.utils import validation

from rotastack.base.naming import validate_data

RULES = {"dtype": [np.float64, np.float32], "ensure_all_finite": "allow-nan"}
X = np.arange(6.0).reshape(3, 2)


def outcome(check, *given):
    """Return the checked rows, or the error, of new rows for an estimator fitted to two columns."""
    fitted = BaseEstimator()
    validation.validate_data(fitted, given[1] if len(given) > 1 else X)
    try:
        return check(fitted, given[0], reset=False, **RULES)
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize(
    "rows",
    [
        X,
        X[:1],
        X.astype(np.float32),
        np.asfortranarray(X),
        X[::-1],
        X.astype(int),
        X.astype(np.float16),
        np.array([[1.0, np.nan]]),
        np.array([[1e308, 1e308]]),
        X[:0],
        X[:, :1],
        X[0],
        X[None],
        X[:, :0],
    ],
)
def test_new_rows_have_the_answers_of_scikit_learn(rows):
    mine, theirs = outcome(validate_data, rows), outcome(validation.validate_data, rows)
    np.testing.assert_array_equal(mine, theirs)
    assert getattr(mine, "dtype", None) == getattr(theirs, "dtype", None)


def test_an_infinite_value_is_refused_by_its_column():
    assert outcome(validate_data, np.array([[1.0, np.inf]])).startswith("column 1: Input X contains infinity")


def test_an_array_for_named_columns_warns_as_in_scikit_learn():
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        outcome(validate_data, X, pd.DataFrame(X, columns=["a", "b"]))
