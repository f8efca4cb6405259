"""The flagship: a forest over families of views, and weights that show where rotations help."""

from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_consistent_length

from rotastack.base.classes import LabelClassifier
from rotastack.base.columns import refuse_missing_target
from rotastack.base.docstrings import documented
from rotastack.base.facts import Cost, Facts
from rotastack.base.row_weights import of_all_rows, per_row, row_weights, some
from rotastack.base.scikit import StrOptions, check_y, fit_context
from rotastack.combine.log_linear import LogLinearWeights
from rotastack.ensembles.flagship.families import TreeFamily
from rotastack.ensembles.flagship.rotastack import RIDGE, RotastackEnsemble
from rotastack.seeds import root_sequence

__all__ = ["RotastackClassifier"]


@documented
class RotastackClassifier(LabelClassifier, RotastackEnsemble):
    """A forest over a mixture of views, each switched off where it hurts.

    Families of trees are grown on the columns as they are, on linear discriminants, on principal axes, on
    sparse random rotations and on pairs of categories, as forests and boosted. Each view is fitted to the rows that its
    trees are grown on. One small convex problem, on each family's outputs for rows that its trees have not seen, gives
    the families their weights: the decision is their weighted geometric mean
    (:class:`~rotastack.combine.LogLinearWeights`).

    Parameters
    ----------
    trees_per_family : int, default=100
    families : sequence of str or TreeFamily, default=("rotations", "random_cuts", "discriminants", "pairs", "boosted", "boosted_large")
        "rotations": principal axes of blocks of three columns, random rotations of blocks of two to four, and linear discriminants of two
        random halves of the columns, for trees on bootstraps; "random_cuts", the same with cuts drawn at random. On the rows outside of one fold of five: "discriminants", the columns beside
        discriminants, for trees of C4.5 (half as many); "pairs", left out where there are no categories, numbers beside categories and
        pairs of these as shares of the classes; "boosted", gradient boosting of trees of up to 8 leaves on the columns, and "boosted_large" of up to 31, left out, with
        a warning, where there are more than 100 classes. Families of one's own are :class:`~rotastack.ensembles.TreeFamily` objects.
    %(categorical_features)s
    class_weight : dict, "balanced" or None, default=None
        Weights of the classes, as in scikit-learn's forests: bags are drawn by them. Bags are the smaller, down to 100
        draws, the more the weights differ, so that no row is drawn for a tree more than twice on average: a rare
        class that weighs much has rows out of bag, too.
    %(oob_score)s
    %(n_jobs)s
    %(random_state)s
    %(verbose)s

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    families_ : tuple of str
        Names of the families.
    family_weights_ : ndarray of shape (n_families,)
        Their weights in the pool: 0 switches a family off; the sum is free, and calibrates.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        The pool's probabilities from trees that have not seen a row, by weights of families that are fitted to the rows of
        other folds; NaN where all trees have seen it, and for rows of weight 0.
    oob_score_ : float
        Accuracy of `oob_decision_function_`, or what `oob_score` says, by weight, of the rows that have any.
    oob_family_errors_ : ndarray of shape (n_families,)
        Error of each family alone out of bag, by weight.
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
    Rows that are copies of each other can be in and out of one tree's bag: out-of-bag results are then as optimistic
    as if the row itself had been seen.

    A bag is of 100,000 draws at most, however many rows there are. There is no `warm_start`: a larger forest begins with the same trees, but the outputs out of
    bag, to which weights are fitted, are not kept.

    Memory: the forest takes 12 bytes a node (at most 2 n - 1 a tree) and 8 bytes a class for each leaf with several classes; the views
    at most ``4 p (q + 4)`` bytes a tree, where q is the number of directions (8 at most) or the size of a block (4 at most). Fitting
    needs up to 1.7 times the forest more, 32 bytes for each number of the table and 26 bytes a row, class and family. The table's columns are
    those that trees see: a category of k values has k, so text with thousands of values makes wide tables.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import RotastackClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = RotastackClassifier(random_state=0).fit(X, y)
    >>> clf.predict(X[[0, 60, 120]]).tolist(), clf.oob_score_ > 0.93
    ([0, 1, 2], True)
    >>> clf.families_
    ('rotations', 'random_cuts', 'discriminants', 'boosted', 'boosted_large')
    """

    study_facts: ClassVar[Facts] = Facts(
        rotates=True,
        cost=Cost(0, 7.2, 0.68, 60, 0.3, most_rows=40_000),
        boosted_cost=Cost(0, 0, 0, 10_000, 0.5, per_row=31_000, per_cell=210, per_leaf=57_000),
        trees=("trees_per_family",),
        families=3,
    )

    _parameter_constraints: ClassVar[dict] = {
        **RotastackEnsemble._parameter_constraints,
        "class_weight": [StrOptions({"balanced"}), dict, None],
    }

    oob_decision_function_: NDArray[np.float64]

    def __init__(
        self,
        trees_per_family: int = 100,
        families: tuple[str | TreeFamily, ...] = (
            "rotations",
            "random_cuts",
            "discriminants",
            "pairs",
            "boosted",
            "boosted_large",
        ),
        *,
        categorical_features: ArrayLike | str | None = "from_dtype",
        class_weight: dict | str | None = None,
        oob_score: bool | str | Callable = True,
        n_jobs: int | None = None,
        random_state: Any = None,
        verbose: int = 0,
    ):
        self.trees_per_family = trees_per_family
        self.families = families
        self.categorical_features = categorical_features
        self.class_weight = class_weight
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
            At least 0; rows of weight 0 are left out, but a class all of whose rows have it stays in ``classes_``, with
            probabilities near 0. Bags are drawn by them, and the families' weights and all
            out-of-bag scores heed them; views know only which rows are in a bag. Their scale does not count.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Fewer than two classes in rows that have a weight, a continuous or missing target, infinite values, weights below 0, unknown families, or
            text in a column that is not categorical.
        """
        refuse_missing_target(y)
        y = check_y(y, estimator=self)
        check_consistent_length(X, y)
        weights = per_row(row_weights(X, y, sample_weight, self.class_weight))
        if weights is not None and len(left := np.unique(y[weights > 0])) < 2:
            raise ValueError(f"rows of weight above 0 are of one class only ({left[0]}); at least 2 classes are needed")
        codes = self._numbered(y)
        _, outputs, folds = self._grow(X, codes, weights, root_sequence(self.random_state))
        there = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        self._weigh(outputs.compress(there, axis=1), codes[there], some(weights, there), folds[there])
        self.oob_decision_function_ = of_all_rows(self.oob_decision_function_, there)
        self._finish(y, weights)
        return self

    def _weigh(
        self, outputs: NDArray[np.float64], codes: NDArray[np.intp], weights: NDArray[np.float64] | None,
        folds: NDArray[np.int32],
    ) -> None:  # fmt: skip
        """Fit the families' weights to their out-of-bag outputs, (family, row, class), NaN where no tree has a row."""
        unseen = np.isnan(outputs[:, :, 0])
        self.oob_family_errors_ = np.array(
            [
                np.average(mine[~gone].argmax(axis=1) != codes[~gone], weights=some(weights, ~gone))
                if not gone.all()
                else np.nan
                for mine, gone in zip(outputs, unseen, strict=True)
            ]
        )
        outputs = np.where(unseen[:, :, None], 1 / len(self.classes_), outputs)
        never = np.asarray(unseen.all(axis=0))

        def fitted(rows: NDArray[np.bool_]) -> LogLinearWeights:
            return LogLinearWeights(RIDGE).fit(
                outputs[:, rows], codes[rows], len(self.classes_), sample_weight=some(weights, rows)
            )

        self.pool_ = fitted(np.ones(len(codes), dtype=bool))
        pooled = self._cross_fitted(folds, lambda others, mine: fitted(others).predict_proba(outputs[:, mine]))
        self.oob_decision_function_ = np.where(never[:, None], np.nan, pooled)

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        return np.concatenate([self.pool_.predict_proba(outputs) for outputs in self._outputs(self._encoded(X))])

    def _losses(self, answers: dict[str, NDArray], y: NDArray) -> NDArray[np.float64]:
        codes = np.searchsorted(self.classes_, y)
        return -np.log(answers["predict_proba"][np.arange(len(y)), codes])

    def _out_of_bag_rows(self) -> NDArray[np.bool_]:
        return np.isfinite(self.oob_decision_function_[:, 0])

    def _answers_out_of_bag(self) -> dict[str, NDArray]:
        return {
            "predict_proba": self.oob_decision_function_,
            "predict": self.classes_[np.nan_to_num(self.oob_decision_function_).argmax(axis=1)],
        }

    def _usual_score(self, y: NDArray, predicted: NDArray, weights: NDArray[np.float64] | None) -> float:
        return float(np.average(predicted == y, weights=weights)) if len(y) else float("nan")

    def _pool_out_of_bag(self, outputs: NDArray[np.float64]) -> dict[str, NDArray]:
        proba = self.pool_.predict_proba(np.where(np.isnan(outputs), 1 / len(self.classes_), outputs))
        return {"predict_proba": proba, "predict": self.classes_[proba.argmax(axis=1)]}
