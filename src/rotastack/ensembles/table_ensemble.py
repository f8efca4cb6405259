"""Base class of ensembles on numeric tables: the shared parameters and the checks of the table."""

from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin

from rotastack.base.columns import present_target
from rotastack.base.naming import validate_data
from rotastack.base.scikit import StrOptions
from rotastack.ensembles.table import INPUT_RULES, categorical_mask, refuse_missing
from rotastack.views.scaling import SCALERS

_WAY_OUT = (
    "column {column} contains {what} (such as {example}); numbers are needed; encode categories as 0/1 columns (OneHotEncoder, or "
    "rotastack.data.TablePreprocessor, also for dates) and name these in categorical_features; RotastackClassifier and "
    "RotastackRegressor take such columns unchanged"
)


class TableEnsemble(BaseEstimator):
    """An ensemble that scales the numeric columns of a table and leaves its categorical columns unchanged."""

    _parameter_constraints: ClassVar[dict] = {
        "scaling": [StrOptions(set(SCALERS)), None],
        "categorical_features": ["array-like", None],
        "n_jobs": [Integral, None],
    }
    scaling: str | None
    categorical_features: ArrayLike | None
    n_jobs: int | None
    random_state: Any
    n_features_in_: int

    def _training_table(self, X: ArrayLike, y: ArrayLike) -> tuple[NDArray, NDArray, NDArray[np.bool_]]:
        """Return the checked training rows, the target, and the mask of categorical columns."""
        y = present_target(y)
        is_regressor = isinstance(self, RegressorMixin)
        X, y = validate_data(self, X, y, message=_WAY_OUT, y_numeric=is_regressor, **INPUT_RULES)
        if self.scaling is None:
            refuse_missing(X, self)
        return X, y, categorical_mask(self.categorical_features, self)

    def _table(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the checked rows to predict."""
        X = validate_data(self, X, message=_WAY_OUT, reset=False, **INPUT_RULES)
        if self.scaling is None:
            refuse_missing(X, self)
        return X

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.scaling is not None
        return tags
