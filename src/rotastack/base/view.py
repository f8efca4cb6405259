"""What a pool asks of a view, the transformer through which a member gets its numeric columns.

Any scikit-learn transformer is a view. Those of :mod:`rotastack.views` tell more of themselves, which saves
work: linear views are evaluated inside the compiled forest, and a view that is the same for all training rows
is drawn once for all folds. The functions here answer for any transformer, and for None, the identity.
"""

from typing import Any, Protocol, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.frozen import FrozenEstimator
from sklearn.utils import get_tags

__all__ = ["LinearMap", "Part", "View", "depends_on_rows", "is_drawn", "is_linear", "needs_labels"]

Part = tuple[NDArray[np.intp], NDArray[np.float64] | None]
"""Part of a linear view: columns, and the matrix (columns in, outputs) that maps them; None hands them on as they are."""


class View(Protocol):
    """A transformer of the numeric columns."""

    def fit(self, X: ArrayLike, y: ArrayLike | None = None) -> Any:
        """Fit the view to training rows, and to their labels if it :func:`needs_labels`."""

    def transform(self, X: ArrayLike) -> NDArray[np.floating]:
        """Return the outputs for rows."""


class LinearMap(View, Protocol):
    """A view whose outputs are, but for a shift, linear functions of the columns."""

    def linear_parts(self) -> list[Part]:
        """Return the parts of the fitted view; its outputs are theirs, side by side."""


def is_linear(view: Any) -> TypeGuard[LinearMap]:
    """Tell whether a view has ``linear_parts``."""
    return hasattr(view, "linear_parts")


def depends_on_rows(view: Any) -> bool:
    """Tell whether a view depends on the rows it is fitted to, and not on the number of columns alone.

    Views say so by the attribute ``fitted_to_rows``; one without it depends on them.
    """
    return view is not None and not is_drawn(view) and getattr(view, "fitted_to_rows", True)


def is_drawn(view: Any) -> bool:
    """Tell whether a view is fitted already and used as it is.

    Such are rotations made by ``RandomRotation.from_matrix``, and what stands in a ``FrozenEstimator``.
    """
    return isinstance(view, FrozenEstimator) or getattr(view, "given_", False)


def needs_labels(view: Any) -> bool:
    """Tell whether a view cannot be fitted without labels, by its scikit-learn tags."""
    if is_drawn(view) or not hasattr(view, "__sklearn_tags__"):
        return False
    return get_tags(view).target_tags.required
