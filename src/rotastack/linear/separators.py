"""Base classes of the linear classifiers: fit of each class against the rest, row weights, and decisions."""

from abc import abstractmethod
from numbers import Integral, Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from rotastack.base.classes import present_target
from rotastack.base.naming import validate_data
from rotastack.base.scikit import Interval, StrOptions, check_feature_names_in, check_sample_weight, fit_context
from rotastack.base.warned import warn, warn_of_scales
from rotastack.blas import one_blas_thread
from rotastack.linear.primal import solve_primal
from rotastack.linear.problem import Problem, Solution

POSITIVE = Interval(Real, 0, None, closed="neither")
LEAST_ONE = Interval(Integral, 1, None, closed="left")
POWER = Interval(Real, 1, None, closed="left")
EXACT_TOL, WARN_GAP, LARGEST = 1e-14, 1e-6, 1e100
CLASS_WEIGHT = [StrOptions({"balanced"}), dict, None]


class LinearSeparator(ClassifierMixin, BaseEstimator):
    """A linear classifier of two classes, or several that each separate a class from the rest."""

    _parameter_constraints: ClassVar[dict] = {"lam": [POSITIVE], "tol": [POSITIVE, None], "max_iter": [LEAST_ONE]}
    lam: float
    _problem: str
    max_iter: int

    @fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the classifier; with more than two classes, each class against the rest.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Dense, without missing values. Columns should have similar scales, as the penalty treats all alike.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row's loss; rows of weight 0 are left out. Larger weights make the penalty smaller.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `y` has only one class, values or targets are missing, or a parameter is out of its range.
        TypeError
            `X` is sparse.

        Warns
        -----
        UserWarning
            The standard deviations of columns differ by a factor of more than 1000.
        ConvergenceWarning
            The optimum was not reached; the message bounds the distance.
        """
        y = present_target(y)
        X, y = validate_data(self, X, y, dtype=np.float64, order="C")
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        weights = check_sample_weight(sample_weight, X, dtype=np.float64, ensure_non_negative=True)
        used = weights > 0
        if getattr(self, "class_weight", None) is not None:
            weights = weights.copy()
            weights[used] *= compute_sample_weight(self.class_weight, y[used])
            if not (np.isfinite(weights).all() and (weights >= 0).all()):
                raise ValueError(f"class_weight={self.class_weight!r}: weights must be finite and at least 0")
            used = weights > 0
        if not used.all():
            X, y, weights = X[used], y[used], weights[used]
        self.classes_, codes = np.unique(y, return_inverse=True)
        n_classes = len(self.classes_)
        if n_classes < 2:
            name = f" ({self.classes_.tolist()[0]!r})" if n_classes else ""
            raise ValueError(f"y has only one class{name}; at least 2 classes are needed")
        warn_of_scales(
            X,
            check_feature_names_in(self),
            f"{type(self).__name__}: the penalty is equal for all columns",
            "scale the columns first, for example with MinMaxScaler((-1, 1)).",
        )
        if max(-X.min(), X.max()) > LARGEST:
            raise ValueError(f"X contains values beyond {LARGEST:g}, whose squares overflow; scale the columns")
        self._begin(codes)
        positives = range(n_classes) if n_classes > 2 else [1]
        solutions = []
        with one_blas_thread():
            for positive in positives:
                self._problem = f"{self.classes_.tolist()[positive]!r} against the rest: " if n_classes > 2 else ""
                solutions.append(self._solve(X, np.where(codes == positive, 1.0, -1.0), weights))
        del self._problem
        self._keep(solutions)
        return self

    def _begin(self, codes: NDArray[np.intp]) -> None:
        """Compute values that all classes share, before the first is solved."""

    @abstractmethod
    def _solve(self, X, labels, weights) -> Solution:
        """Return the solution that separates rows labelled 1 from rows labelled -1."""

    def _keep(self, solutions: list[Solution]) -> None:
        """Set the fitted attributes from the solutions for all classes."""
        several = len(solutions) > 1
        self.coef_ = np.stack([s.W.mean(axis=1) for s in solutions])
        self.intercept_ = np.array([s.b.mean() for s in solutions])
        paths = [np.array(s.path) for s in solutions]
        self.objective_path_ = paths if several else paths[0]
        of_classes = [
            {"objective": s.objective, "n_iter": s.n_iter, "duality_gap": s.gap, **s.attributes} for s in solutions
        ]
        for name in of_classes[0]:
            values = [attributes[name] for attributes in of_classes]
            setattr(self, f"{name}_", np.array(values) if several else values[0])

    def _exact(self, problem: Problem, tol: float | None) -> Solution:
        solution = solve_primal(problem, EXACT_TOL if tol is None else tol, self.max_iter)
        if solution.gap > (WARN_GAP if tol is None else tol):
            advice = "scale the columns, lower lam, or raise max_iter"
            self._warn(solution, advice)
        return solution

    def _warn(self, solution: Solution, advice: str) -> None:
        if solution.bound > 0:
            distance = f"at most {100 * (solution.objective / solution.bound - 1):.2g} % above the optimum"
        elif solution.unit is not None:
            distance = f"at most {solution.objective - solution.bound:.2g} above the optimum"
        else:
            distance = "at an unknown distance above the optimum"
        warn(
            f"{type(self).__name__}: {self._problem}stopped after {solution.n_iter} iterations with an objective of "
            f"{solution.objective:.6g}, {distance} (duality_gap_ {solution.gap:.2g}); {advice}",
            ConvergenceWarning,
        )

    def decision_function(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the signed value of the (mean) linear function.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            Above 0 for ``classes_[1]``; with more than two classes, one column for each class.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        values = X @ self.coef_.T + self.intercept_
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        values = self.decision_function(X)
        return self.classes_[values.argmax(axis=1) if values.ndim == 2 else (values > 0).astype(np.intp)]


class LinearEnsemble(LinearSeparator):
    """An ensemble of linear members whose mean decides."""

    n_estimators: int

    def _keep(self, solutions: list[Solution]) -> None:
        super()._keep(solutions)
        shape = (len(solutions), self.n_estimators)
        coef = np.stack([np.broadcast_to(s.W.T, (self.n_estimators, s.W.shape[0])) for s in solutions])
        intercept = np.stack([np.broadcast_to(s.b, shape[1:]) for s in solutions])
        several = len(solutions) > 1
        self.coef_members_ = coef if several else coef[0]
        self.intercept_members_ = intercept if several else intercept[0]
