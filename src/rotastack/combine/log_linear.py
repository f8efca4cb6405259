"""Log-linear weights: a weighted geometric mean of families' probabilities, with fitted weights."""

from collections.abc import Sequence
from numbers import Real
from typing import ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls
from scipy.special import log_softmax, softmax
from sklearn.base import clone

from rotastack.base.combiner import Combiner, Members
from rotastack.base.outputs import weighted_sum
from rotastack.base.scikit import Interval, fit_context
from rotastack.blas import one_blas_thread
from rotastack.errors import RotastackError

LEAST = 0.01
"""Weight of each member that beats chance if all fitted weights are 0: such members are overconfident, not useless."""

_STEPS = 100
_TOLERANCE = 1e-10


class LogLinearWeights(Combiner):
    """A combiner that multiplies the members' probabilities, each raised to a fitted weight.

    The probability of class c is proportional to the product over members g of ``q[g, c] ** w[g]``,
    where q are the members' probabilities, moved slightly away from 0 and 1. The weights w are at least 0.
    They minimise the log loss on rows that the members have not seen, plus a ridge penalty on the distance to
    equal weights: a convex problem. A weight of 0 switches a member off. The sum of the weights is free and
    calibrates. If all weights are 0, the members that are right more often than chance get small equal ones.

    Parameters
    ----------
    ridge : float, default=2.0
        Factor of the squared distance to equal weights. The log loss is a sum over rows, not a mean.

    Attributes
    ----------
    weights_ : ndarray of shape (n_members,)
    n_iter_ : int
        Number of Newton steps.

    Examples
    --------
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 50)
    >>> good, noise = np.clip(y + rng.normal(0, 0.4, 100), 0, 1), rng.random(100)
    >>> outputs = np.stack([np.c_[1 - p, p] for p in (good, noise)])
    >>> pool = LogLinearWeights().fit(outputs, y, 2)
    >>> bool(pool.weights_[0] > 2 * pool.weights_[1])
    True
    """

    trained = True
    _parameter_constraints: ClassVar[dict] = {"ridge": [Interval(Real, 0, None, closed="neither")]}

    def __init__(self, ridge: float = 2.0):
        self.ridge = ridge

    @fit_context(prefer_skip_nested_validation=True)
    def fit(
        self,
        outputs: NDArray[np.floating],
        y: NDArray[np.integer],
        n_classes: int,
        sequence: np.random.SeedSequence | None = None,
        sample_weight: NDArray[np.floating] | None = None,
    ) -> Self:
        """Fit the weights.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)
            Probabilities for rows that the members have not seen.
        y : ndarray of shape (n_rows,)
            Class numbers.
        n_classes : int
        sequence : numpy.random.SeedSequence, optional
            Not used: the fit is not random.
        sample_weight : ndarray of shape (n_rows,), optional
            Weights of the rows in the log loss.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            `ridge` not above 0, or outputs outside [0, 1].
        """
        logs = _logs(outputs)
        y = np.asarray(y)
        weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight, dtype=np.float64)
        with one_blas_thread():
            self.weights_, self.n_iter_ = _minimize(logs, y, weight, float(self.ridge))
        if not self.weights_.any():
            self.weights_ = np.where(_right(logs, y, weight) > 1 / n_classes, LEAST, 0.0)
        return self

    def _is_nested(self, bagged: bool) -> bool:
        return not bagged  # out-of-bag means of families are outputs for rows that members have not seen

    def _fit_to(self, members: Members) -> Self:
        return clone(self).fit(*members.family_outputs())

    def _decide(self, outputs: NDArray, families: Sequence[str]) -> NDArray[np.float64]:
        if len(self.weights_) < len(outputs):  # weights of families, from bags
            of = np.array(families)
            outputs = np.stack([outputs[of == name].mean(axis=0) for name in dict.fromkeys(families)])
        return self.predict_proba(outputs)

    def predict_proba(self, outputs: NDArray[np.floating]) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        outputs : ndarray of shape (n_members, n_rows, n_classes)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        return softmax(weighted_sum(self.weights_, _logs(outputs)), axis=1)


def _logs(outputs: NDArray[np.floating]) -> NDArray[np.float64]:
    """Return logarithms of probabilities moved away from 0, shape (n_members, n_rows, n_classes)."""
    outputs = np.asarray(outputs, dtype=np.float64)
    n_classes = outputs.shape[2]
    if not (outputs.min(initial=0) >= 0 and outputs.max(initial=0) <= 1 + 1e-6):
        raise RotastackError("log-linear weights need probabilities from 0 to 1")
    least = 0.01 if n_classes <= 50 else min(0.01, 0.05 / n_classes)
    return np.log((1 - least * n_classes) * outputs + least)


def _right(logs: NDArray[np.float64], y: NDArray[np.integer], weight: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each member's weighted accuracy on the rows where its probabilities differ between classes."""
    decided = (np.ptp(logs, axis=2) > 0) * weight
    right = (logs.argmax(axis=2) == y) * decided
    return right.sum(axis=1) / np.maximum(decided.sum(axis=1), np.finfo(float).tiny)


def _minimize(
    logs: NDArray[np.float64], y: NDArray[np.integer], weight: NDArray[np.float64], ridge: float
) -> tuple[NDArray[np.float64], int]:
    """Return the weights and the number of Newton steps; each step solves a quadratic problem with bounds exactly.

    scipy's L-BFGS-B takes up to 15 times as long on small tables, where it would be a fifth of the flagship's fit.
    """
    n_members = len(logs)
    rows = np.arange(len(y))
    flat = logs.reshape(n_members, -1)
    right = logs[:, rows, y]  # (member, row)
    gain = right @ weight
    equal = 1 / n_members
    rounding = 1e-14 * weight.sum() * logs.min(initial=0) ** 2  # of the sums that the Hessian is a difference of
    damping = max(ridge, rounding)

    def objective(w: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        log_p = log_softmax(weighted_sum(w, logs), axis=1)
        loss = -float(weight @ log_p[rows, y])
        return loss + ridge * float(np.sum((w - equal) ** 2)), np.exp(log_p)

    w = np.full(n_members, equal)
    value, p = objective(w)
    for step in range(1, _STEPS + 1):
        p *= weight[:, None]
        expected = np.empty_like(right)  # mean logarithm under the probabilities p, times the row's weight
        hessian = np.empty((n_members, n_members))
        for g in range(n_members):
            scaled = p * logs[g]
            expected[g] = scaled.sum(axis=1)
            hessian[g] = flat @ scaled.ravel()
        gradient = expected.sum(axis=1) - gain + 2 * ridge * (w - equal)
        unweighted = np.divide(expected, weight, out=np.zeros_like(expected), where=weight > 0)
        hessian += 2 * damping * np.eye(n_members) - expected @ unweighted.T
        target = nonnegative_minimum(hessian, hessian @ w - gradient)
        move = target - w
        slope = float(gradient @ move)
        if slope > -_TOLERANCE * max(1.0, abs(value)):
            return target, step
        size = 1.0
        while True:
            tried, p = objective(w + size * move)
            if tried <= value + 1e-4 * size * slope or size < 1e-10:
                break
            size /= 2
        w, value = np.maximum(w + size * move, 0), tried
    return w, _STEPS


def nonnegative_minimum(hessian: NDArray[np.float64], linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the w >= 0 that minimises w'Hw / 2 - linear'w, for a positive definite Hessian H."""
    factor = np.linalg.cholesky(hessian)
    return nnls(factor.T, np.linalg.solve(factor, linear))[0]
