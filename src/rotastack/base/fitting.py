"""Fitting of estimators to the rows of one member: classifiers whose rows may lack a class, and regressors."""

from collections.abc import Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.validation import has_fit_parameter

from rotastack.base.outputs import unit_of
from rotastack.seeds import integer_seed

COVERAGE = 0.9
"""Coverage of the prediction intervals of regressors."""

FAR, SMALL, LARGE = 1000, 1e-2, 1e12
"""Targets are far from 0 if the middle is more than `FAR` half ranges away; half ranges are small and large beyond these."""


@runtime_checkable
class Rotates(Protocol):
    """An estimator of Rotastack that rotates the numeric columns, and needs the numbers of the categorical ones."""

    categorical_features: Any

    def unrotated(self) -> Any:
        """Return the unfitted counterpart of this estimator without rotations."""


@dataclass
class AlignedClassifier:
    """A fitted classifier whose probabilities have one column for each of `n_classes` classes.

    A class without training rows has probability 0.
    """

    estimator: Any
    classes: NDArray[np.intp]
    n_classes: int

    def outputs(self, X: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return probabilities, or the 0/1 votes of a classifier without probabilities; shape (n_rows, n_classes)."""
        proba = (
            self.estimator.predict_proba(X)
            if hasattr(self.estimator, "predict_proba")  # optional for scikit-learn classifiers
            else np.eye(len(self.classes))[self.estimator.predict(X)]
        )
        return self.aligned(proba)

    def staged(self, X: NDArray[np.floating]) -> Iterator[NDArray[np.float32]]:
        """Yield the outputs of the first member, of the first two, and so on."""
        return map(self.aligned, self.estimator.staged_predict_proba(X))

    def own_target(self, y: NDArray[np.integer]) -> NDArray[np.integer]:
        """Return the numbers that the estimator has for the classes `y` of training rows."""
        return np.searchsorted(self.classes, y)

    def aligned(self, known: NDArray[np.floating]) -> NDArray[np.float32]:
        """Return `known`, whose columns are the classes in training, with a column for every class."""
        if len(self.classes) == self.n_classes:
            return np.asarray(known, dtype=np.float32)
        aligned = np.zeros((*known.shape[:-1], self.n_classes), dtype=np.float32)
        aligned[..., self.classes] = known
        return aligned


def set_up_columns(estimator: Any, n_numeric: int, n_other: int) -> Any:
    """Return the estimator, set up for `n_numeric` numeric columns, then `n_other` categorical ones (0/1 dummies).

    An estimator that does not rotate, or has its categorical columns set already, is returned as it is. Without numeric
    columns the unrotated counterpart is returned.
    """
    if not isinstance(estimator, Rotates) or estimator.categorical_features is not None:
        return estimator
    if n_numeric == 0:
        return estimator.unrotated()
    return clone(estimator).set_params(categorical_features=list(range(n_numeric, n_numeric + n_other)))


def check_takes_weights(estimator: Any, otherwise: str = "") -> None:
    """Raise a ValueError that ends in `otherwise` if ``fit`` of an estimator takes no ``sample_weight``."""
    if not has_fit_parameter(estimator, "sample_weight"):
        raise ValueError(f"{type(estimator).__name__}.fit has no parameter sample_weight{otherwise}")


def fit_aligned(
    estimator: Any,
    X: NDArray[np.floating],
    y: NDArray[np.integer],
    n_classes: int,
    sequence: np.random.SeedSequence,
    sample_weight: NDArray[np.floating] | None = None,
    groups: NDArray | None = None,
) -> AlignedClassifier:
    """Clone, seed and fit a classifier to class numbers, of which some may have no rows.

    `sequence` seeds every ``random_state`` of the clone; ``sample_weight`` is only for an estimator whose ``fit`` takes it.
    Groups of rows are used if the estimator takes them (:func:`takes_groups`).
    """
    classes, codes = np.unique(y, return_inverse=True)
    fresh: Any = DummyClassifier() if len(classes) == 1 else seeded(estimator, sequence)
    return AlignedClassifier(fresh.fit(X, codes, **_fit_keywords(fresh, sample_weight, groups)), classes, n_classes)


def takes_groups(estimator: Any) -> bool:
    """Return whether ``fit`` has the parameter ``groups``, and the estimator requests it (metadata routing)."""
    if not has_fit_parameter(estimator, "groups"):
        return False
    return bool(get_routing_for_object(estimator).consumes("fit", ["groups"]))


def _fit_keywords(estimator: Any, sample_weight: NDArray | None, groups: NDArray | None) -> dict[str, NDArray]:
    """Return the keywords of ``fit``; groups only if it takes them."""
    weights = {} if sample_weight is None else {"sample_weight": sample_weight}
    return weights if groups is None or not takes_groups(estimator) else {**weights, "groups": groups}


@dataclass
class FittedRegressor:
    """A fitted regressor whose outputs have one column, or with `intervals` three, from ``estimator.predict_interval``.

    It was fitted to ``(y - centre) / unit``. These two are no fields, so that a usual model file has neither.
    """

    estimator: Any
    intervals: bool = False
    centre, unit = 0.0, 1.0

    def outputs(self, X: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return predictions, shape (n_rows, 1), or ``rotastack.base.outputs.NUMBERS``, shape (n_rows, 3)."""
        return self._with_interval(np.asarray(self.estimator.predict(X), dtype=np.float64).ravel(), X)

    def staged(self, X: NDArray[np.floating]) -> Iterator[NDArray[np.float64]]:
        """Yield the outputs of the first member, of the first two, and so on; ends of intervals are NaN."""
        for predicted in self.estimator.staged_predict(X):
            yield self._with_interval(np.asarray(predicted, dtype=np.float64).ravel())

    def own_target(self, y: NDArray) -> NDArray:
        """Return `y`; for classes see ``AlignedClassifier.own_target``."""
        return y

    def _with_interval(self, predicted: NDArray[np.float64], X: NDArray | None = None) -> NDArray[np.float64]:
        predicted = predicted * self.unit + self.centre
        if not self.intervals:
            return predicted[:, None]
        ends = np.full((len(predicted), 2), np.nan)
        if X is not None and hasattr(self.estimator, "predict_interval"):
            ends[:] = self.estimator.predict_interval(X, coverage=COVERAGE)
        return np.column_stack([predicted, ends])


def fit_regressor(
    estimator: Any,
    X: NDArray[np.floating],
    y: NDArray[np.floating],
    sequence: np.random.SeedSequence,
    sample_weight: NDArray[np.floating] | None = None,
    intervals: bool = False,
    moves: bool = False,
    groups: NDArray | None = None,
) -> FittedRegressor:
    """Clone, seed and fit a regressor; for parameters see :func:`fit_aligned` and :class:`FittedRegressor`.

    With `moves`, for an estimator of few digits, targets far from 0 are centred, and tiny or huge ones are scaled.
    """
    centre, unit = _centre_and_unit(y) if moves else (0.0, 1.0)
    keywords = _fit_keywords(estimator, sample_weight, groups)
    fitted = FittedRegressor(seeded(estimator, sequence).fit(X, (y - centre) / unit, **keywords), intervals)
    if (centre, unit) != (0.0, 1.0):
        fitted.centre, fitted.unit = centre, unit
    return fitted


def _centre_and_unit(y: NDArray[np.floating]) -> tuple[float, float]:
    """Return 0 and 1 for targets that trees in float32 can tell apart, else the middle of the targets and their unit."""
    middle, half = y.max() / 2 + y.min() / 2, y.max() / 2 - y.min() / 2
    centre = float(middle) if abs(middle) > FAR * half else 0.0
    return centre, 1.0 if SMALL <= half <= LARGE else unit_of(half)


def seeded(estimator: Any, sequence: np.random.SeedSequence) -> Any:
    """Return a clone with every ``random_state``, nested ones included, set to the integer of `sequence`."""
    fresh: Any = clone(estimator)
    names = {name for name in fresh.get_params() if name.split("__")[-1] == "random_state"}
    # get_params of some estimators lists only the parameters that were set
    if "random_state" in signature(type(fresh).__init__).parameters:
        names.add("random_state")
    return fresh.set_params(**dict.fromkeys(names, integer_seed(sequence)))
