"""Kernel ridge regression on folds: a family of smooth functions beside the families of trees."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.lapack import dposv
from scipy.spatial.distance import cdist

from rotastack.base.outputs import mean_of
from rotastack.blas import one_blas_thread
from rotastack.ensembles.flagship.family_rows import FamilyRows, n_folds
from rotastack.ensembles.flagship.grown_families import OnEachFold
from rotastack.trees.grown import GrownTrees

MOST_KERNEL_ROWS = 20_000
"""With more rows the family is left out: each row meets each point, and trees need less help."""

MOST_POINTS = 2_500
"""Largest number of training rows, a random sample, that are points of the kernel; each machine has four fifths."""

MOST_NESTED = 500
"""With more rows, choices and weights for a fold may use outputs of machines that have seen the fold."""

MOST_TRIED = 150
"""Largest number of training rows, a random sample, that width and penalty are chosen on."""

WIDTHS = (1.0, 0.5, 2.0, 0.25, 8.0)
"""Widths of the kernel that are tried, relative to the median distance of rows that differ; the first four for classes."""

PENALTIES = (0.1, 1.0, 0.01, 10.0, 0.001, 0.0001)
"""Penalties that are tried, the first four for classes. Without held-out rows the first width and penalty are used."""

FARTHEST = 5.0
"""Standardised columns are clipped at this number of standard deviations."""

_SMALLEST = -36.0  # of an exponent: kernels below exp(-36), 2e-16, would slow down sums and change none
_N_GRADIENTS = 60  # largest number of rows of a fold that gradients are taken at
_BLOCK = 2**21  # largest number of kernels held in memory at once in predict


@dataclass
class Machine:
    """A kernel ridge regression (Saunders, Gammerman and Vovk 1998).

    The prediction for x is ``offset + sum over points i of coefficient_i k(x, x_i)`` with the Gaussian kernel
    ``k(x, z) = exp(-gamma sum over columns j of metric_j (x_j - z_j)^2)``. The coefficients are
    ``(K + penalty W^-1)^-1 (y - offset)`` for rows with the weights W, and the offset is the weighted mean target.
    """

    metric: NDArray[np.float64]  # (n_columns,)
    gamma: float
    coefficients: NDArray[np.float64]  # (n_outputs, n_points); 0 for points that the machine is not fitted to
    offset: NDArray[np.float64]  # (n_outputs,)

    def kernels(self, rows: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
        return _decayed(_squares(rows, points, self.metric), self.gamma)

    def predictions(self, rows: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return predictions (row, output)."""
        return self.predictions_of(self.kernels(rows, points))

    def predictions_of(self, kernels: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return predictions (row, output); those for a row do not depend on other rows, as they would by BLAS."""
        return np.einsum("rp,op->ro", kernels, self.coefficients) + self.offset

    def squared_gradients(self, rows: NDArray[np.float64], points: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the sum of the squared derivatives by each column over rows and outputs, shape (n_columns,)."""
        kernels, total = self.kernels(rows, points), np.zeros(rows.shape[1])
        for coefficients in self.coefficients:
            weighted = kernels * coefficients
            total += ((weighted.sum(axis=1, keepdims=True) * rows - weighted @ points) ** 2).sum(axis=0)
        return total * (2 * self.gamma * self.metric) ** 2


@dataclass
class OnKernel(OnEachFold):
    """A family of kernel ridge regressions on standardised columns, one on the rows outside each fold.

    Classes have targets 0 and 1; outputs for classes are cut at 0 and divided by their sum.
    """

    names: tuple[str, ...]
    centre: NDArray[np.float64]  # (n_columns,): means; missing numbers count as means
    deviation: NDArray[np.float64]  # (n_columns,)
    points: NDArray[np.float64]  # (n_points, n_columns): standardised training rows
    machines: list[Machine]  # one for each fold
    pooled: list[Machine]  # for new rows: the machines, or one with their mean coefficients if their kernels are alike
    folds: NDArray[np.int32]  # the fold of each training row; -1 for rows of weight 0
    classes: bool
    gradients: NDArray[np.float64] | None = None  # (1, n_columns): sums of squared derivatives
    # (fold, row of positive weight, output): outputs of machines that have seen neither the row's fold nor this fold
    nested: NDArray[np.float64] | None = None

    def described(self, grown_on: str = "folds") -> str:
        return f"{', '.join(self.names)} of {len(self.points)} points fitted on {grown_on}"

    def forests(self) -> list[GrownTrees]:
        return []

    def outputs(self, rows, n_jobs=None):
        return self._finished(self._means(self.pooled, rows))[None]

    def _of_fold(self, fold, rows, n_jobs):
        return self._finished(self._means([self.machines[fold]], rows))

    def importances(self):
        assert self.gradients is not None
        return self.gradients

    def used_columns(self):
        return np.any([machine.metric for machine in self.machines], axis=0)

    def scale(self, unit: float) -> None:
        for machine in {id(machine): machine for machine in (*self.machines, *self.pooled)}.values():
            machine.coefficients *= unit
            machine.offset *= unit

    def forget(self) -> None:
        self.gradients = self.nested = None

    def standardised(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return standardised rows, clipped, with 0 for missing numbers."""
        scaled = np.clip((rows - self.centre) / self.deviation, -FARTHEST, FARTHEST)
        scaled[np.isnan(scaled)] = 0.0
        return scaled

    def _means(self, machines: list[Machine], rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the mean predictions of machines for rows, (row, output)."""
        means, step = np.empty((len(rows), len(machines[0].offset))), max(1, _BLOCK // len(self.points))
        for start in range(0, len(rows), step):
            block = slice(start, start + step)
            places = self.standardised(rows[block])
            means[block] = mean_of([machine.predictions(places, self.points) for machine in machines])
        return means

    def _finished(self, predictions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return the outputs (row, output) for predictions of machines."""
        if self.classes:
            predictions = np.maximum(predictions, 0)  # those of a row add up to 1
            predictions /= predictions.sum(axis=1, keepdims=True)
        return predictions


class _Sample(NamedTuple):
    """Training rows that machines are fitted to."""

    points: NDArray[np.float64]
    targets: NDArray[np.float64]  # (n_points, n_outputs)
    weights: NDArray[np.float64]
    folds: NDArray[np.int32]

    def of(self, places: NDArray[np.intp]) -> "_Sample":
        return _Sample(self.points[places], self.targets[places], self.weights[places], self.folds[places])


class _Choice(NamedTuple):
    width: float  # relative to the median distance of rows that differ
    penalty: float


def grow_kernel(
    name: str, rows: FamilyRows, gains: NDArray[np.float64] | None, sequence: np.random.SeedSequence
) -> tuple[OnKernel, NDArray[np.float64]]:
    """Fit a kernel ridge regression to the rows outside each fold; return the family and its unseen outputs.

    With `gains` (fold, column), the metric of a fold's machine is the share of each column in the gains of the fold.
    Width and penalty have the least squared error on held-out rows. For the unseen outputs (1, row, output) of a fold,
    the other folds choose them; for up to MOST_NESTED rows without `gains`, by machines that have not seen the fold.
    """
    weights = np.ones(len(rows.X)) if rows.weights is None else rows.weights
    weighted, all_folds = np.flatnonzero(weights), range(n_folds(rows.folds))
    order = _dealt(np.random.default_rng(sequence).permutation(weighted), rows.folds)
    nothing = np.empty((0, 0))
    found = OnKernel((name,), *_moments(rows.X[weighted]), nothing, [], [], rows.folds, rows.n_classes is not None)
    targets = rows.target[:, None] if rows.n_classes is None else np.eye(rows.n_classes)[rows.target]
    everything = _Sample(found.standardised(rows.X), targets, weights, rows.folds)
    tried, fitted = (everything.of(np.sort(order[:most])) for most in (MOST_TRIED, MOST_POINTS))
    metrics = [np.ones(rows.X.shape[1])] * len(all_folds) if gains is None else [_metric(mine) for mine in gains]
    n_tried = 4 if rows.n_classes else None
    choices = [_Choice(*c) for c in product(WIDTHS[:n_tried], PENALTIES[:n_tried])]
    nested = gains is None and len(all_folds) > 2 and len(weighted) <= MOST_NESTED
    with one_blas_thread():
        gammas, best, by_fold = _chosen(tried, metrics, choices, nested)
        fits = _Fits(fitted, metrics, gammas, knows_distances=gains is None and len(fitted.points) == len(weighted))
        found.points = fitted.points
        found.machines = [fits.without((fold,), best) for fold in all_folds]
        found.pooled = _pooled(found.machines)
        chosen = [fits.without((fold,), choice) for fold, choice in zip(all_folds, by_fold, strict=True)]
        outputs = fits.unseen_outputs(chosen, found, rows)
        if nested:
            by_out = [[fits.without((fold, out), by_fold[out]) for fold in all_folds] for out in all_folds]
            unseen = [fits.unseen_outputs(machines, found, rows) for machines in by_out]
            found.nested = np.concatenate(unseen)[:, weighted]
        held = [order[rows.folds[order] == fold][:_N_GRADIENTS] for fold in all_folds]
        gradients = [
            machine.squared_gradients(everything.points[mine], found.points)
            for machine, mine in zip(found.machines, held, strict=True)
        ]
        found.gradients = np.sum(gradients, axis=0)[None]
    return found, outputs


class _Fits:
    """Machines that are fitted to parts of a sample, each once; machines of one metric share the distances."""

    def __init__(
        self,
        sample: _Sample,
        metrics: Sequence[NDArray[np.float64]],
        gammas: NDArray[np.float64],
        knows_distances: bool,
    ):
        self.sample, self.metrics, self.gammas = sample, metrics, gammas
        self.knows_distances = knows_distances  # of one metric between all rows of positive weight
        self._shared = all(metric is metrics[0] for metric in metrics)
        self._squares = _squares(sample.points, sample.points, metrics[0]) if self._shared else None
        self._last: tuple[float, NDArray[np.float64]] | None = None  # the last kernels, with their gamma
        self._machines: dict[tuple[frozenset[int], _Choice], Machine] = {}

    def without(self, out: tuple[int, ...], choice: _Choice) -> Machine:
        """Return the machine of these options that has not seen the folds `out`; machines of different metrics have one."""
        key = frozenset(out), choice
        if key not in self._machines:
            fold = 0 if self._shared else out[0]
            mine = _inside(self.sample, out)
            fitted, gamma, metric = self.sample.of(mine), self.gammas[fold] / choice.width**2, self.metrics[fold]
            if self._shared:
                kernels = self._kernels(gamma)[np.ix_(mine, mine)]
            else:
                kernels = _decayed(_squares(fitted.points, fitted.points, metric), gamma)
            solution, offset = _solved(kernels, fitted, choice.penalty)
            coefficients = np.zeros((len(offset), len(self.sample.points)))
            coefficients[:, mine] = solution.T
            self._machines[key] = Machine(metric, gamma, coefficients, offset)
        return self._machines[key]

    def unseen_outputs(self, machines: list[Machine], family: OnKernel, rows: FamilyRows) -> NDArray[np.float64]:
        """Return the outputs (1, row, output) of the machines of the folds for the rows of their folds."""
        if not self.knows_distances:
            return replace(family, machines=machines).unseen_outputs(rows.X, rows.folds)
        outputs = np.full((len(rows.folds), self.sample.targets.shape[1]), np.nan)
        for fold, machine in enumerate(machines):
            kernels = self._kernels(machine.gamma)[self.sample.folds == fold]
            outputs[rows.folds == fold] = machine.predictions_of(kernels)
        return family._finished(outputs)[None]

    def _kernels(self, gamma: float) -> NDArray[np.float64]:
        """Return the kernels of all pairs of points; those of the last gamma are kept."""
        if self._last is None or self._last[0] != gamma:
            assert self._squares is not None
            self._last = gamma, _decayed(self._squares, gamma)
        return self._last[1]


def _dealt(shuffled: NDArray[np.intp], folds: NDArray[np.int32]) -> NDArray[np.intp]:
    """Return row numbers by fold in turn, so that the first of them are of all folds, whatever the folds' sizes."""
    turns = np.empty(len(shuffled), dtype=np.intp)
    for fold in np.unique(folds[shuffled]):
        mine = folds[shuffled] == fold
        turns[mine] = np.arange(mine.sum())
    return shuffled[np.argsort(turns, kind="stable")]


def _pooled(machines: list[Machine]) -> list[Machine]:
    """Return the machine of the mean coefficients, or the machines if their kernels differ."""
    first, *others = machines
    if any(machine.gamma != first.gamma or (machine.metric != first.metric).any() for machine in others):
        return machines
    coefficients, offset = (mean_of([getattr(m, name) for m in machines]) for name in ("coefficients", "offset"))
    return [Machine(first.metric, first.gamma, coefficients, offset)]


def _moments(X: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return mean and standard deviation of the known values of each column; deviation 1 instead of 0."""
    known = np.isfinite(X)
    counts = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, X, 0).sum(axis=0, dtype=np.float64) / counts
    variance = np.where(known, (X - centre) ** 2, 0).sum(axis=0) / counts
    return centre, np.sqrt(np.where(variance > 0, variance, 1))


def _metric(gains: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return each column's share of the gains, times the number of columns; 1 without gains."""
    return gains * len(gains) / gains.sum() if gains.any() else np.ones(len(gains))


def _inside(sample: _Sample, out: Collection[int]) -> NDArray[np.intp]:
    """Return the numbers of the rows of a sample that are in none of the folds `out`."""
    return np.flatnonzero(~np.isin(sample.folds, [*out]))


def _squares(
    rows: NDArray[np.float64], points: NDArray[np.float64], metric: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return squared distances; by differences, as sums of products would leave noise for rows that nearly agree."""
    if (metric == 1).all():
        return cdist(rows, points, "sqeuclidean")
    used = metric > 0
    return cdist(rows[:, used], points[:, used], "sqeuclidean", w=metric[used])


def _decayed(squares: NDArray[np.float64], gamma: float) -> NDArray[np.float64]:
    """Return the kernels of squared distances."""
    exponents = squares * -gamma
    return np.exp(np.maximum(exponents, _SMALLEST, out=exponents), out=exponents)


def _solved(
    kernels: NDArray[np.float64], sample: _Sample, penalty: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the coefficients (point, output) and the offset (output,) of a machine; `kernels` is overwritten."""
    offset = sample.weights @ sample.targets / sample.weights.sum()
    kernels[np.diag_indices(len(kernels))] += penalty / sample.weights
    _, solution, failed = dposv(kernels.T, sample.targets - offset, lower=1, overwrite_a=1)  # LAPACK reads by column
    if failed:
        raise np.linalg.LinAlgError("kernels and penalty are not positive definite")
    return solution, offset


def _chosen(
    sample: _Sample, metrics: Sequence[NDArray[np.float64]], choices: Sequence[_Choice], nested: bool
) -> tuple[NDArray[np.float64], _Choice, list[_Choice]]:
    """Return the gamma of each fold's metric at width 1, the best choice, and the best choice for each fold.

    The choice for a fold has the least loss on the other folds; `nested`: of machines that have not seen the fold.
    """
    n_machines = len(metrics)
    gammas = np.ones(n_machines)
    losses = np.zeros((n_machines, len(choices)))
    others = np.zeros((n_machines, n_machines, len(choices)))  # (a, b): losses on fold b that choose for fold a
    for fold in range(n_machines):
        if not fold or metrics[fold] is not metrics[0]:
            squares = _squares(sample.points, sample.points, metrics[fold])
        gammas[fold] = 0.5 / np.median(squares[squares > 0]) if squares.any() else 1.0
        losses[fold] = _losses(squares, gammas[fold], sample, (fold,), choices)
        for other in range(fold) if nested else ():
            others[fold, other], others[other, fold] = _losses(squares, gammas[fold], sample, (other, fold), choices)
    if not nested:
        others[:] = losses
        others[np.diag_indices(n_machines)] = 0
    return gammas, choices[losses.sum(axis=0).argmin()], [choices[k] for k in others.sum(axis=1).argmin(axis=1)]


def _losses(
    squares: NDArray[np.float64], gamma: float, sample: _Sample, out: Sequence[int], choices: Sequence[_Choice]
) -> NDArray[np.float64]:
    """Return squared errors (fold, choice) on each of the folds `out` of machines that are fitted to the other folds."""
    mine, losses = _inside(sample, out), np.zeros((len(out), len(choices)))
    if not len(mine):
        return losses
    held, fitted = [np.flatnonzero(sample.folds == fold) for fold in out], sample.of(mine)
    last = None
    for k, (width, penalty) in enumerate(choices):
        if width != last:
            last = width
            kernels = _decayed(squares[:, mine], gamma / width**2)
            inner = kernels[mine]
        coefficients, offset = _solved(inner.copy(), fitted, penalty)
        for fold, rows in enumerate(held):
            residuals = sample.targets[rows] - offset - kernels[rows] @ coefficients
            losses[fold, k] = sample.weights[rows] @ (residuals**2).sum(axis=1)
    return losses
