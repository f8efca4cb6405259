"""Properties of views: a view is the transformer of a member's numeric columns.

Any scikit-learn transformer is a view. The views of :mod:`rotastack.views` have extra attributes, which save work: the
compiled forest evaluates linear views itself, and a view that does not depend on the training rows is drawn once for
all folds. The functions of this module accept any transformer, and None, the identity.
"""

from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags

Part = tuple[NDArray[np.intp], NDArray[np.float64] | None]
"""Part of a linear view: its columns, and the matrix (n_columns, n_outputs) that maps them; None is the identity."""


class View(Protocol):
    """A transformer of the numeric columns."""

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Any:
        """Fit the view to training rows, and to their labels if the view :func:`needs_labels`."""

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the transformed columns of rows."""


class LinearMap(View, Protocol):
    """A view whose outputs are linear functions of the columns, plus constants."""

    def linear_parts(self) -> list[Part]:
        """Return the parts of the fitted view, whose outputs side by side are the outputs of the view."""


def is_linear(view: Any) -> TypeGuard[LinearMap]:
    """Return whether a view has the method ``linear_parts``."""
    return hasattr(view, "linear_parts")


def depends_on_rows(view: Any) -> bool:
    """Return whether a view depends on its training rows, beyond their number of columns.

    The attribute ``fitted_to_rows`` of a view states this; a view without the attribute depends on the rows.
    """
    return view is not None and not is_fixed(view) and getattr(view, "fitted_to_rows", True)


def is_fixed(view: Any) -> bool:
    """Return whether a view is fitted already and never fitted again.

    Examples are rotations made by ``RandomRotation.from_matrix``, and any transformer in a ``FrozenEstimator``.
    """
    return isinstance(view, FrozenEstimator) or getattr(view, "given_", False)


def needs_labels(view: Any) -> bool:
    """Return whether a view needs labels in ``fit``, according to its scikit-learn tags."""
    if is_fixed(view) or not hasattr(view, "__sklearn_tags__"):
        return False
    return get_tags(view).target_tags.required
