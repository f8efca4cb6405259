"""The flagship regressor: a forest of several families of trees, with a fitted weight for each family."""

from collections.abc import Callable, Mapping
from numbers import Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from rotastack.base.classes import float_target, present_target
from rotastack.base.outputs import r_squared, unit_of
from rotastack.base.reading import is_dates
from rotastack.base.row_weights import of_all_rows, weights_of
from rotastack.base.scikit import check_y
from rotastack.base.traits import Traits
from rotastack.base.warned import warn
from rotastack.combine.least_squares import LeastSquaresWeights
from rotastack.ensembles.flagship.families import NUMBER_FAMILIES, RIDGE, Family, TreeFamily
from rotastack.ensembles.flagship.residuals import OutOfBagResiduals
from rotastack.ensembles.flagship.rotastack import Fillings, RotastackEnsemble, kept_families
from rotastack.seeds import child

N_SLICES = 4
"""Number of slices of the target, cut at its quantiles, that serve as classes for views."""


class RotastackRegressor(RegressorMixin, RotastackEnsemble):
    """A regression forest of several families of trees, and a kernel machine; a family that does not help gets weight 0.

    The families are forests on linear discriminants, principal axes, sparse random rotations and pairs of categories,
    boosted trees on the unchanged columns, and kernel ridge regressions. Each view is fitted to rows that its trees
    are grown on, with slices of the target as classes (sliced inverse regression). The prediction is a weighted sum of
    the families' predictions. The weights are fitted by least squares to predictions for rows that the families have not
    seen (:class:`~rotastack.combine.LeastSquaresWeights`).

    Parameters
    ----------
    trees_per_family : int, default=100
    families : sequence of str or TreeFamily, default=("random_cuts", "discriminants", "pairs", "boosted", "kernel")
        Names of families, or custom :class:`~rotastack.ensembles.TreeFamily` objects.
        "random_cuts": principal axes of blocks of three columns, random rotations of blocks of two to four columns, and
        linear discriminants of two random halves of the columns; trees on bootstraps with random cuts of all columns.
        All other families are fitted to the rows outside each of five folds. "discriminants": the columns and
        discriminants, trees with random cuts. "pairs": numbers, and the mean targets of categories and of pairs of
        categories; left out without categories. "boosted": gradient boosting of trees of up to 8 leaves. "kernel":
        ridge regressions with a Gaussian kernel of at most 2,500 standardised rows; a squared difference counts by its
        column's share of the gains of the first boosted family outside the fold; all columns alike without one. The
        family is left out for more than 20,000 rows.
    categorical_features : "from_dtype", array-like of int, bool or str, or None, default="from_dtype"
        Categorical columns. "from_dtype": the columns of a pandas, polars or Arrow table that are not numeric (numbers
        stored as objects are not). Of these, dates and free text become numbers; ids and columns of one value are left out with a warning.
        Missing values are a category.
    oob_score : bool, str or callable, default=True
        Score in `oob_score_`; more is better. True is accuracy or R^2, a string is the name of a scikit-learn scorer
        (such as "roc_auc" or "neg_log_loss"), a function is ``f(y_true, y_pred)``. False computes no score.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    verbose : int, default=0
        1 prints a line after each step of ``fit``, with the duration of the step in seconds.

    Attributes
    ----------
    families_ : tuple of str
        Names of the families: first those on bags, then those on folds, then the kernel.
    family_weights_ : ndarray of shape (n_families,)
        Weights of the families. Weight 0 switches a family off. The sum of the weights is free; it is mostly above 1,
        because forests predict too near the mean.
    oob_prediction_ : ndarray of shape (n_rows,)
        The ensemble's prediction for each training row, from trees that have not seen the row and family weights
        fitted to the rows of other folds. NaN for rows that all trees have seen and for rows of weight 0.
    oob_score_ : float
        R^2 of `oob_prediction_`, or the score chosen by `oob_score`, on rows without NaN. The score is weighted unless
        `oob_score` is a function.
    oob_family_errors_ : ndarray of shape (n_families,)
        Weighted mean squared error of each family on rows that its trees have not seen.
    residuals_ : OutOfBagResiduals
        Targets minus `oob_prediction_`, and a model of their spread, from which intervals are computed.
    feature_importances_ : ndarray of shape (n_features,)
        Decrease of impurity by splits on each column; the sum is 1. This is the mean over the trees of a
        family, and the weighted mean over families. A split on a weighted sum of columns counts for these
        columns in proportion to their squared weights. A kernel has squared derivatives by standardised columns
        instead of decreases. Dummies and parts of dates count for their input column. The share of missing
        values counts for the columns with missing values. Decreases are measured on the rows that the trees
        were grown on, so noise columns get a share, which is larger for columns with many values. Redundant
        columns divide their share. :meth:`out_of_bag_importances` has neither fault of noise columns; redundant
        columns divide their share there, too.
    grown_ : list of GrownFamilies
        The families of positive weight with their trees, in the order of `families_`; families on bags that share a
        criterion are one entry. Nodes store only the data that predictions need.
    forest_ : GrownTrees
        The trees of the families on bags of positive weight, family after family.
    n_groups_ : int
        Number of groups with rows of positive weight; only if ``fit`` got groups.

    Notes
    -----
    Columns are scaled to [0, 1] on the training rows. At each split, trees learn the branch of missing numbers; views
    fill missing numbers with means of their training rows. A category of up to 30 values becomes a 0/1 column for each
    value (one column for two values). A category of more values becomes the mean target of its rows.

    A value that no training row has is a new category, or a missing value in a column without missing training values.
    The prediction is then the mean over the column's values in training: at most 20 categories by their frequencies, or
    20 values at equally spaced quantiles. For several such columns in a row, the mean is over 20 training rows at quantiles of the
    target. Quantiles and intervals are those of the mixture. A warning names the columns and rows.

    Predictions may lie outside the range of the training targets if the weights sum to more than 1.
    If rows have copies, or a patient has several rows, a tree may have seen a copy of an out-of-bag row, or its
    patient. Out-of-bag results are then optimistic, unless ``fit`` gets `groups`. Rounds of boosters, and the width
    and the penalty of kernels, are chosen by the rows that are held out, which makes them slightly optimistic, too.

    A bag has at most 40,000 draws. There is no `warm_start`: a larger forest begins with the same trees, but the
    out-of-bag outputs, to which weights are fitted, are not stored.

    Memory: the forest takes 12 bytes a node (at most 2 n - 1 nodes a tree) and 8 bytes a leaf. Fitting needs up to 1.7
    times the forest more, and as much as the classifier for the table, the views and the kernel.

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
    ('random_cuts', 'discriminants', 'boosted', 'kernel')
    """

    study_traits: ClassVar[Traits] = Traits(
        rotates=True, rotated_families=("rotations", "random_cuts"), trees=("trees_per_family",), families=2
    )

    _known_families: ClassVar[Mapping[str, Family]] = NUMBER_FAMILIES

    def __init__(
        self,
        trees_per_family: int = 100,
        families: tuple[str | TreeFamily, ...] = ("random_cuts", "discriminants", "pairs", "boosted", "kernel"),
        *,
        categorical_features: ArrayLike | str | None = "from_dtype",
        oob_score: bool | str | Callable = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        super().__init__(
            trees_per_family,
            families,
            categorical_features=categorical_features,
            oob_score=oob_score,
            n_jobs=n_jobs,
            random_state=random_state,
            verbose=verbose,
        )

    def _checked_target(self, y):
        target = np.asarray(y)
        if target.ndim == 1 and target.dtype.kind not in "biuf" and is_dates(target):
            raise ValueError("the target is a date; convert the dates to numbers, such as days or years")
        return float_target(check_y(present_target(y), y_numeric=True, estimator=self))

    def _targets(self, y, weights):
        weighted = y if weights is None else y[weights > 0]
        return y / _unit(weighted), None, _slices(y, weighted)

    def _weigh(self, outputs, rows, y, sequence):
        weighted = rows.weighted
        unit = _unit(y[weighted])
        outputs, y = outputs.compress(weighted, axis=1)[:, :, 0], rows.target[weighted]
        weights, folds = weights_of(rows.weights, weighted), rows.folds[weighted]
        gaps = np.isnan(outputs)
        known = np.asarray(~gaps.all(axis=0))
        weight = np.ones(len(y)) if weights is None else weights
        losses = np.where(gaps, 0, weight * (outputs - y) ** 2).sum(axis=1)
        counts = np.where(gaps, 0, weight).sum(axis=1)
        self.oob_family_errors_ = np.divide(losses, counts, out=np.full(len(losses), np.nan), where=counts > 0)
        outputs = _with_stand_ins(outputs[:, known])
        y, weights, folds = y[known], weights_of(weights, known), folds[known]

        def fitted(rows: NDArray[np.bool_]) -> LeastSquaresWeights:
            return LeastSquaresWeights(RIDGE).fit(outputs[:, rows], y[rows], weights_of(weights, rows))

        self.combiner_ = fitted(np.ones(len(y), dtype=bool))
        found = self._cross_fitted(folds, lambda others, mine: fitted(others).predict(outputs[:, mine]))
        predicted = of_all_rows(found, known)
        # Trees of families of weight 0 are deleted, so rows that only these trees have not seen have no prediction.
        predicted[gaps[kept_families(self.combiner_.weights_)].all(axis=0)] = np.nan
        self.oob_prediction_ = of_all_rows(predicted, weighted)
        judged = np.flatnonzero(np.isfinite(self.oob_prediction_))
        self.residuals_ = OutOfBagResiduals.of(
            rows.take(judged),
            self.oob_prediction_[judged],
            child(sequence, "residuals"),
            None if rows.row_groups is None else rows.row_groups[judged],
            self.n_jobs,
        )
        if unit != 1:
            for grown in self.grown_:
                grown.scale(unit)
            self.combiner_.intercept_ *= unit
            self.oob_prediction_ *= unit
            self.residuals_.measure_in(unit)
            self.oob_family_errors_ *= unit**2

    def predict(self, X: ArrayLike, quantiles: ArrayLike | None = None) -> NDArray[np.float64]:
        """Return the prediction for each row, or quantiles of its target.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        quantiles : array-like of shape (n_quantiles,), optional
            Levels from 0 to 1; None returns the predictions.

        Returns
        -------
        ndarray of shape (n_rows,), or (n_rows, n_quantiles)
            Quantiles increase with their level and lie in the range of the training targets. They are the prediction
            plus quantiles of out-of-bag residuals. Each residual is divided by the mean size of residuals around its
            row, which a forest of 100 trees predicts. These ratios are measured relative to their quantiles .1 and .9
            among rows of similar predictions.

        Warns
        -----
        UserWarning
            Values that no training row has.

        Raises
        ------
        ValueError
            Quantiles outside [0, 1], or no row has an out-of-bag prediction.

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
        if quantiles is None:
            return self._predicted(rows)
        levels = np.asarray(quantiles)
        if levels.dtype.kind not in "iuf" or levels.ndim != 1 or not ((levels >= 0) & (levels <= 1)).all():
            raise ValueError(f"quantiles must be a list of numbers from 0 to 1, got {quantiles!r}")
        if not len(self.residuals_.scores):
            raise ValueError("quantiles need out-of-bag rows; grow more trees per family")
        levels = levels.astype(np.float64)

        def predicted(rows: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
            return self._predicted(rows), self.residuals_.spreads(rows, self.n_jobs)

        def mixed(fillings: Fillings) -> NDArray[np.float64]:
            parts = [(share, *predicted(filled)) for share, filled in fillings]
            return self.residuals_.mixed_quantiles(*map(np.stack, zip(*parts, strict=True)), levels)

        return self._over_shown(rows, lambda part: self.residuals_.quantiles(*predicted(part), levels), mixed)

    def predict_interval(self, X: ArrayLike, coverage: float = 0.9) -> NDArray[np.float64]:
        """Return an interval for the target of each row; equal shares of residuals lie outside on both sides.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
        coverage : float, default=0.9
            Intended share of new rows with the target inside the interval, for low and for high predictions.

        Returns
        -------
        ndarray of shape (n_rows, 2)
            Lower and upper end: the quantiles ``(1 - coverage) / 2`` and ``(1 + coverage) / 2`` of :meth:`predict`.
            Both lie in the range of the training targets. The prediction lies inside, unless it is outside this range
            or nearly all residuals have the same sign: it is a mean, and the ends are quantiles.

        Warns
        -----
        UserWarning
            Out-of-bag rows are too few: intervals from n rows hold the share (n - 1) / (n + 1) of new rows at most.

        Raises
        ------
        ValueError
            `coverage` is not between 0 and 1, or no row has an out-of-bag prediction.

        References
        ----------
        Johansson, U., Bostrom, H., Lofstrom, T. and Linusson, H. (2014). Regression conformal prediction with random
        forests. Machine Learning 97, 155-176.
        """
        if not isinstance(coverage, Real) or not 0 < coverage < 1:
            raise ValueError(f"coverage must lie between 0 and 1, got {coverage!r}")
        n = len(self.residuals_.scores)
        if n and coverage > (most := (n - 1) / (n + 1)) + 1e-9:
            warn(f"intervals from {n} out-of-bag rows cover at most {most:.1%} of new rows, not {coverage:.4g}")
        return self.predict(X, quantiles=[(1 - coverage) / 2, (1 + coverage) / 2])

    def _combined(self, outputs):
        return self.combiner_.predict(_with_stand_ins(outputs[:, :, 0]))

    def _answers(self, combined):
        return {"predict": combined}

    def _losses(self, combined, y):
        return (y - combined) ** 2

    def _usual_score(self, y, predicted, weights):
        return r_squared(predicted, y, weights)


def _with_stand_ins(outputs: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return outputs (family, row) with NaN replaced by the mean of the other families."""
    gaps = np.isnan(outputs)
    return np.where(gaps, np.where(gaps, 0, outputs).sum(axis=0) / (~gaps).sum(axis=0), outputs)


def _unit(y: NDArray[np.float64]) -> float:
    """Return a power of two to divide targets by; 1 unless the differences of targets are too small for trees."""
    spread = np.ptp(y)
    return unit_of(spread) if spread < 1e-3 else 1.0


def _slices(y: NDArray[np.float64], weighted: NDArray[np.float64]) -> NDArray[np.intp]:
    """Return the slice number of each target; the edges are quantiles of `weighted`, the targets of rows of positive weight."""
    edges = np.quantile(weighted, np.arange(1, N_SLICES) / N_SLICES, method="inverted_cdf")
    slices = np.searchsorted(np.unique(edges), y)
    return np.unique(slices, return_inverse=True)[1]
