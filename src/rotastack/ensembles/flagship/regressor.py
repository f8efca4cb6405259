"""The flagship for numbers: a forest over families of views, weighed by squared error."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_consistent_length

from rotastack.base.columns import holds_dates, refuse_missing_target
from rotastack.base.docstrings import documented
from rotastack.base.facts import Cost, Facts
from rotastack.base.outputs import r_squared
from rotastack.base.row_weights import of_all_rows, per_row, row_weights, some
from rotastack.base.scikit import check_y, fit_context
from rotastack.combine.least_squares import LeastSquaresWeights
from rotastack.ensembles.flagship.families import NUMBER_FAMILIES, TreeFamily
from rotastack.ensembles.flagship.residuals import OutOfBagResiduals
from rotastack.ensembles.flagship.rotastack import RIDGE, RotastackEnsemble, kept_families
from rotastack.ensembles.flagship.training_rows import HEAVIEST, MOST_DRAWS
from rotastack.seeds import child, root_sequence

__all__ = ["RotastackRegressor"]

N_SLICES = 4
"""Views that tell classes apart are given so many slices of the target, cut at its quantiles."""


@documented
class RotastackRegressor(RegressorMixin, RotastackEnsemble):
    """A regression forest over a mixture of views, each switched off where it hurts.

    Families of trees are grown on the columns as they are, on linear discriminants, on principal axes, on
    sparse random rotations and on pairs of categories, as forests and boosted. Each view is fitted to the rows that its trees
    are grown on, with slices of the target as classes (sliced inverse regression). The prediction is a weighted sum of
    the families' predictions, with weights fitted by least squares to those for rows that their trees have not seen
    (:class:`~rotastack.combine.LeastSquaresWeights`).

    Parameters
    ----------
    trees_per_family : int, default=100
    families : sequence of str or TreeFamily, default=("random_cuts", "discriminants", "pairs", "boosted")
        "random_cuts": principal axes of blocks of three columns, random rotations of blocks of two to four, and linear discriminants of two
        random halves of the columns, for trees on bootstraps that cut all of them at random. On the rows outside of one fold of five: "discriminants", the columns beside
        discriminants, for trees that cut them in the same way; "pairs", left out where there are no categories, numbers
        beside categories and pairs of these as mean targets; "boosted", gradient boosting of trees of up to 8 leaves on the
        columns. Families of one's own are :class:`~rotastack.ensembles.TreeFamily` objects.
    %(categorical_features)s
    %(oob_score)s
    %(n_jobs)s
    %(random_state)s
    %(verbose)s

    Attributes
    ----------
    families_ : tuple of str
        Names of the families.
    family_weights_ : ndarray of shape (n_families,)
        Their weights in the pool: 0 switches a family off. Their sum is free: it is mostly above 1, for forests predict
        too near the mean.
    oob_prediction_ : ndarray of shape (n_rows,)
        The pool's predictions by trees that have not seen a row, by weights of families that are fitted to the rows of
        other folds; NaN where all trees have seen it, and for rows of weight 0.
    oob_score_ : float
        R^2 of `oob_prediction_`, or what `oob_score` says, by weight.
    oob_family_errors_ : ndarray of shape (n_families,)
        Mean squared error of each family alone out of bag, by weight.
    residuals_ : OutOfBagResiduals
        Differences of the targets to `oob_prediction_`, and how far they spread where: what intervals are made of.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of impurity that each column brings, adding up to 1: the mean over the trees of a family, and over families by
        their weights. A split on a weighted sum of columns counts for these in proportion to their squared weights; a category's
        dummies and a date's parts count for their column, the share of missing values for those that miss any. These are decreases on the rows that the trees
        were grown on: columns of noise get a share too, those with many values more of it, and columns that stand for each
        other divide theirs. :meth:`out_of_bag_importances` has the first two faults not.
    grown_ : list of GrownFamilies
        The families that have a weight, with their trees: those grown on bags together, then each of the others. What their nodes keep is what predictions need.
    forest_ : GrownTrees
        The trees of families on bags that have a weight, family after family.

    Notes
    -----
    Columns are scaled to [0, 1] by training rows. Missing numbers stay missing: trees learn at each split where they go, and views
    fill them with means of the rows that they are fitted to. A category becomes a 0/1 column for each of its values, or one if there are two.
    Predictions may lie beyond the targets seen, by as much as the weights add up to more than 1. Rows that are copies of
    each other can be in and out of one tree's bag: out-of-bag results are then as optimistic as if the row itself had been seen.

    A bag is of 100,000 draws at most, however many rows there are. There is no `warm_start`: a larger forest begins with the same trees, but the outputs out of
    bag, to which weights are fitted, are not kept.

    Memory: the forest takes 12 bytes a node (at most 2 n - 1 a tree) and 8 bytes a leaf; fitting needs up to 1.7 times that more, the table
    and the views as much as the classifier's. All columns are looked at for each split, also the k of a category of k values: with thousands of them fitting takes long.

    References
    ----------
    Li, K.-C. (1991). Sliced inverse regression for dimension reduction. Journal of the American Statistical Association
    86, 316-327.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import RotastackRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = RotastackRegressor(random_state=0).fit(X, y)
    >>> reg.predict(X[:3]).shape, reg.oob_score_ > 0.4
    ((3,), True)
    >>> reg.families_
    ('random_cuts', 'discriminants', 'boosted')
    """

    study_facts: ClassVar[Facts] = Facts(
        rotates=True,
        cost=Cost(0, 0, 10, 100, most_rows=40_000),
        boosted_cost=Cost(0, 0, 0, 7_000, per_row=76_000, per_cell=2_100, most_rows=40_000),
        trees=("trees_per_family",),
        families=2,
    )

    _known_families: ClassVar[Mapping[str, TreeFamily]] = NUMBER_FAMILIES

    oob_prediction_: NDArray[np.float64]

    def __init__(
        self,
        trees_per_family: int = 100,
        families: tuple[str | TreeFamily, ...] = ("random_cuts", "discriminants", "pairs", "boosted"),
        *,
        categorical_features: ArrayLike | str | None = "from_dtype",
        oob_score: bool | str | Callable = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.trees_per_family = trees_per_family
        self.families = families
        self.categorical_features = categorical_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)  # views of one's own have parameters, too
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit views, grow trees, and weigh the families.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            Missing values are allowed.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            At least 0; rows of weight 0 are left out. Bags are drawn by them, and the families' weights and all
            out-of-bag scores heed them; views know only which rows are in a bag. Their scale does not count.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Infinite values, a target that is missing, a date or above 1e100, weights below 0, unknown families, or text in a
            column that is not categorical.
        """
        target = np.asarray(y)
        if target.ndim == 1 and target.dtype.kind not in "biuf" and holds_dates(target):
            raise ValueError("the target is a date; make a number of it, such as days or years")
        refuse_missing_target(y)
        y = check_y(y, y_numeric=True, estimator=self).astype(np.float64)
        check_consistent_length(X, y)
        weights = per_row(row_weights(X, y, sample_weight))
        unit = _unit(y if weights is None else y[weights > 0])
        sequence = root_sequence(self.random_state)
        rows, outputs, folds = self._grow(X, _slices(y, weights), weights, sequence, numbers=y / unit)
        there = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        self._weigh(outputs.compress(there, axis=1)[:, :, 0], y[there] / unit, some(weights, there), folds[there])
        judged = np.flatnonzero(there)[np.isfinite(self.oob_prediction_)]
        self.residuals_ = OutOfBagResiduals.of(
            rows.X[judged], y[judged] / unit, self.oob_prediction_[np.isfinite(self.oob_prediction_)], some(weights, judged),
            child(sequence, "residuals"), heaviest=HEAVIEST, most=MOST_DRAWS, n_jobs=self.n_jobs,
        )  # fmt: skip
        self.oob_prediction_ = of_all_rows(self.oob_prediction_, there)
        if unit != 1:
            for grown in self.grown_:
                grown.scale(unit)
            self.pool_.intercept_ *= unit
            self.oob_prediction_ *= unit
            self.residuals_.measure_in(unit)
            self.oob_family_errors_ *= unit**2
        self._finish(y, weights)
        return self

    def _weigh(
        self, outputs: NDArray[np.float64], y: NDArray[np.float64], weights: NDArray[np.float64] | None,
        folds: NDArray[np.int32],
    ) -> None:  # fmt: skip
        """Fit the families' weights to their out-of-bag outputs, (family, row), NaN where no tree has a row."""
        unseen = np.isnan(outputs)
        seen = np.asarray(~unseen.all(axis=0))
        weight = np.ones(len(y)) if weights is None else weights
        losses = np.where(unseen, 0, weight * (outputs - y) ** 2).sum(axis=1)
        counts = np.where(unseen, 0, weight).sum(axis=1)
        self.oob_family_errors_ = np.divide(losses, counts, out=np.full(len(losses), np.nan), where=counts > 0)
        outputs, y, weights, folds = _with_stand_ins(outputs[:, seen]), y[seen], some(weights, seen), folds[seen]

        def fitted(rows: NDArray[np.bool_]) -> LeastSquaresWeights:
            return LeastSquaresWeights(RIDGE).fit(outputs[:, rows], y[rows], some(weights, rows))

        self.pool_ = fitted(np.ones(len(y), dtype=bool))
        self.oob_prediction_ = np.full(len(seen), np.nan)
        self.oob_prediction_[seen] = self._cross_fitted(
            folds, lambda others, mine: fitted(others).predict(outputs[:, mine])
        )
        # Families without a weight are forgotten, and tell nothing of a row that only they have not seen.
        self.oob_prediction_[unseen[kept_families(self.pool_.weights_)].all(axis=0)] = np.nan

    def predict(self, X: ArrayLike, quantiles: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the pool's prediction for each row, or quantiles of what the target may be.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        quantiles : array-like of shape (n_quantiles,), optional
            Between 0 and 1.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_quantiles)
            Quantiles rise with their level, and none lies beyond the training targets. They are the prediction and quantiles of
            residuals out of bag: each is divided by the mean residual around its row, which a small forest of 100 trees tells, and
            counts from the quantiles .1 and .9 of these among rows of similar predictions.

        Raises
        ------
        ValueError
            Quantiles beyond 0 and 1, or no row was out of bag.

        Examples
        --------
        >>> import numpy as np
        >>> from rotastack import RotastackRegressor
        >>> rng = np.random.default_rng(0)
        >>> X = rng.random((400, 2))
        >>> y = X[:, 0] + np.where(X[:, 1] > 0.5, 1.0, 0.1) * rng.normal(size=400)
        >>> reg = RotastackRegressor(20, random_state=0).fit(X, y)
        >>> low, high = reg.predict([[0.5, 0.2], [0.5, 0.8]], quantiles=[0.1, 0.9]).T
        >>> bool((high - low)[1] > 3 * (high - low)[0])
        True
        """
        rows = self._encoded(X)
        predicted = np.concatenate([self.pool_.predict(outputs[:, :, 0]) for outputs in self._outputs(rows)])
        if quantiles is None:
            return predicted
        levels = np.asarray(quantiles)
        if levels.dtype.kind not in "iuf" or levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a list of numbers from 0 to 1, got {quantiles!r}")
        if not len(self.residuals_.scores):
            raise ValueError("quantiles need rows out of bag; grow more trees per family")
        spreads = self._over_known(rows, lambda some, _: self.residuals_.spreads(some, self.n_jobs))
        return self.residuals_.quantiles(predicted, spreads, levels.astype(np.float64))

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for the target of each row, equal shares of residuals being left out on both sides.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        coverage : float, default=0.9
            Share of new rows whose target is to lie within, where predictions are low as where they are high.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Lower and upper end: the quantiles ``(1 - coverage) / 2`` and ``(1 + coverage) / 2`` of :meth:`predict`. Neither lies beyond the
            training targets, though a prediction may. Else the prediction lies within unless nearly all residuals are on one side.

        Raises
        ------
        ValueError
            `coverage` not between 0 and 1, or no row was out of bag.

        References
        ----------
        Johansson, U., Bostrom, H., Lofstrom, T. and Linusson, H. (2014). Regression conformal prediction with random
        forests. Machine Learning 97, 155-176.
        """
        if not isinstance(coverage, Real) or not 0 < coverage < 1:
            raise ValueError(f"coverage must lie between 0 and 1, got {coverage!r}")
        return self.predict(X, quantiles=[(1 - coverage) / 2, (1 + coverage) / 2])

    def _losses(self, answers: dict[str, NDArray], y: NDArray) -> NDArray[np.float64]:
        return (y - answers["predict"]) ** 2

    def _out_of_bag_rows(self) -> NDArray[np.bool_]:
        return np.isfinite(self.oob_prediction_)

    def _answers_out_of_bag(self) -> dict[str, NDArray]:
        return {"predict": self.oob_prediction_}

    def _usual_score(self, y: NDArray, predicted: NDArray, weights: NDArray[np.float64] | None) -> float:
        return r_squared(predicted, y, weights)

    def _pool_out_of_bag(self, outputs: NDArray[np.float64]) -> dict[str, NDArray]:
        return {"predict": self.pool_.predict(_with_stand_ins(outputs[:, :, 0]))}


def _with_stand_ins(known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return outputs (family, row); where a family has no tree for a row, the mean of the others stands in."""
    gaps = np.isnan(known)
    return np.where(gaps, np.where(gaps, 0, known).sum(axis=0) / (~gaps).sum(axis=0), known)


def _unit(y: NDArray[np.float64]) -> float:
    """Return a power of two to measure targets in: 1, but where they lie so close that trees would not tell them apart.

    Raises
    ------
    ValueError
        Targets that cannot be squared.
    """
    most = np.abs(y).max()
    if most > 1e100:
        raise ValueError(f"y holds values of up to {most:g}; at most 1e100 is allowed")
    spread = np.ptp(y)
    return float(2.0 ** np.floor(np.log2(spread))) if 0 < spread < 1e-3 else 1.0


def _slices(y: NDArray[np.float64], weights: NDArray[np.float64] | None) -> NDArray[np.intp]:
    """Number the slices that quantiles of the target cut, of rows that have a weight; equal targets stay together."""
    there = y if weights is None or not weights.any() else y[weights > 0]
    edges = np.quantile(there, np.arange(1, N_SLICES) / N_SLICES, method="inverted_cdf")
    slices = np.searchsorted(np.unique(edges), y)
    return np.unique(slices, return_inverse=True)[1]
