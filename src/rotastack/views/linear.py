"""Base classes of linear views: their parts, and how they are drawn or fitted."""

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.multiclass import check_classification_targets

from rotastack.base.naming import validate_data
from rotastack.base.scikit import fit_context
from rotastack.base.view import Part
from rotastack.seeds import root_sequence
from rotastack.views.base_view import FLOATS, BaseView


class LinearView(BaseView):
    """Base class of views with outputs that are linear functions of the columns.

    The outputs are ``(X - mean_) @ rotation_``. A subclass without `mean_` and `rotation_`, or with a faster way,
    defines its own `_map` and `linear_parts`.
    """

    mean_: NDArray[np.float64]
    rotation_: Any

    def linear_parts(self) -> list[Part]:
        """Return the parts of the view, side by side: columns, and the matrix that maps the columns.

        A part with None as its matrix keeps its columns unchanged. Trees depend neither on a shift nor on the order
        of outputs. So parts are not centred, and their outputs may have another order than ``transform``'s.
        """
        return [(np.arange(self.n_features_in_), self.rotation_)]

    def _map(self, X: NDArray[np.floating]) -> NDArray[np.floating]:
        return (X - self.mean_.astype(X.dtype)) @ self.rotation_.astype(X.dtype)

    @property
    def _n_features_out(self) -> int:
        return sum(len(columns) if R is None else R.shape[1] for columns, R in self.linear_parts())


class DrawnView(LinearView):
    """Base class of linear views that are drawn at random and use only the number of columns of training rows."""

    fitted_to_rows = False
    random_state: Any

    def _draw(self, n_features: int, sequence: np.random.SeedSequence) -> None:
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: object = None) -> Self:
        """Draw the view, which uses only the number of columns of `X`.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : ignored

        Returns
        -------
        self
        """
        n_features = validate_data(self, X, dtype=FLOATS).shape[1]
        self._draw(n_features, root_sequence(self.random_state))
        return self


class FittedView(LinearView):
    """Base class of linear views that are fitted to training rows and centred on their mean, `mean_`."""

    _needs_classes: ClassVar[bool] = False

    def _find(self, X: NDArray[np.float64], y: NDArray | None) -> None:
        """Fit the view to centred rows; for a view that needs classes, `y` holds at least two."""
        raise NotImplementedError

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Self:
        """Fit the view to training rows.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
            Classes. Views that separate classes need at least two; other views do not need `y`.

        Returns
        -------
        self
        """
        if y is None and not self._needs_classes:
            X = validate_data(self, X, dtype=FLOATS)
        else:
            X, y = validate_data(self, X, y, dtype=FLOATS)
        if self._needs_classes:
            check_classification_targets(y)
            classes = np.unique(np.asarray(y))
            if len(classes) < 2:
                raise ValueError(f"y has only one class ({classes[0]!r}); at least 2 classes are needed")
        whole = np.asarray(X, dtype=np.float64)
        self.mean_ = whole.mean(axis=0)
        self._find(whole - self.mean_, y)
        return self

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.required = self._needs_classes
        return tags


def kept_columns(n_components: int | None, n_features: int) -> int:
    """Return the number of columns that a view keeps of `n_features`, None for half; a ValueError for more than all."""
    if n_components is None:
        return -(-n_features // 2)
    if n_components > n_features:
        raise ValueError(f"n_components is {n_components}; at most {n_features}, the number of columns, is allowed")
    return int(n_components)
