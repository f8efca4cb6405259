"""The flagship: the base of its classifier and its regressor."""

from collections.abc import Callable, Iterator, Sequence
from numbers import Integral, Real
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_is_fitted

from rotastack.base.row_weights import some
from rotastack.base.scikit import Interval, StrOptions, safe_indexing
from rotastack.ensembles.flagship.families import TreeFamily, planned_families
from rotastack.ensembles.flagship.importances import OutOfBagImportances, scored
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.ensembles.flagship.steps import Steps
from rotastack.trees.bags import Bags
from rotastack.trees.growing import TreeOptions, grow_forest
from rotastack.trees.grown import GrownTrees

__all__ = ["RotastackEnsemble"]

HEAVIEST = 2.0
"""No row is drawn for a bag more often than this on average: one in seven trees, at least, has not seen it."""

MOST_DRAWS = 100_000
"""For a bag, however many rows there are: trees on noisy rows have nearly as many nodes as draws, and a million are too many."""

_BLOCK = 2**22  # numbers of families' outputs held at once in predict


class RotastackEnsemble(OutOfBagImportances, BaseEstimator):
    """A forest of families of trees, and weights of the families fitted to their out-of-bag outputs.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like of int, bool or str, or None, default="from_dtype"
        Columns of categories, which become 0/1 columns; "from_dtype": the columns of a table (of pandas, polars or Arrow) that are no
        numbers (so are numbers that are stored as objects), but for dates, which become numbers, and ids and free text, which
        are left out with a warning. A missing category is one of its own. One that no training row has counts as missing if
        training rows are missing there; otherwise outputs are averaged over known categories. Either is warned of.
    oob_score : bool, str or callable, default=True
        What `oob_score_` is: with True accuracy or R^2, otherwise a scorer of scikit-learn by its name (such as "roc_auc" or
        "neg_log_loss"), or ``f(y_true, y_pred)``; more is better. With False there is none.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    verbose : int, default=0
        With 1, a line is printed after each step of ``fit``: what was done, and the seconds it took.
    """

    _parameter_constraints: ClassVar[dict] = {
        "trees_per_family": [Interval(Integral, 1, None, closed="left")],
        "families": [tuple, list],
        "ridge": [Interval(Real, 0, None, closed="neither")],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "oob_score": ["boolean", StrOptions(set(get_scorer_names())), callable],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    trees_per_family: int
    categorical_features: ArrayLike | str | None
    oob_score: bool | str | Callable
    n_jobs: int | None
    random_state: Any
    verbose: int

    pool_: Any
    forest_: GrownTrees
    oob_score_: float

    def _read(self, X: ArrayLike, weights: NDArray[np.float64] | None = None) -> NDArray[np.float32]:
        """Learn the table from the training rows that have a weight, and return the numbers of all."""
        self._clock = Steps(type(self).__name__, self.verbose)
        self.table_ = MixedTable(self.categorical_features)
        if weights is None or weights.all():
            rows = self.table_.fit_transform(X, self)
        else:
            self.table_.fit_transform(safe_indexing(X, np.flatnonzero(weights)), self)
            rows = self.table_.transform(X, self)
        self._clock.done(f"{len(rows)} rows read, {self.n_features_in_} columns as {rows.shape[1]}")
        return rows

    def _grow(
        self,
        rows: NDArray[np.float32],
        families: Sequence[TreeFamily],
        codes: NDArray[np.integer],
        weights: NDArray[np.float64] | None,
        sequence: np.random.SeedSequence,
        numbers: NDArray[np.float64] | None = None,
    ) -> NDArray[np.float64]:
        """Grow the forest, and return the families' out-of-bag outputs.

        Parameters
        ----------
        rows : ndarray of shape (n_rows, n_columns)
        families : sequence of TreeFamily
        codes : ndarray of shape (n_rows,)
            Class numbers, from which views learn.
        weights : ndarray of shape (n_rows,) or None
        sequence : numpy.random.SeedSequence
        numbers : ndarray of shape (n_rows,), optional
            Targets of the trees of a regressor; those of a classifier are the class numbers.

        Returns
        -------
        ndarray of shape (n_families, n_rows, n_outputs)
            NaN where no tree of a family has a row out of bag.
        """
        self.families_ = tuple(family.name for family in families)
        n_classes = int(codes.max()) + 1
        bags = Bags.of(len(rows), weights, HEAVIEST, MOST_DRAWS)
        with_views = planned_families(
            families, self.trees_per_family, rows, codes, n_classes, sequence,
            groups=self.table_.groups_, numbers=numbers, bags=bags, n_jobs=self.n_jobs,
        )  # fmt: skip
        self._clock.done(f"views of {', '.join(self.families_)} fitted")
        target, n_outputs = (codes, n_classes) if numbers is None else (numbers, None)
        self.forest_, out_of_bag = grow_forest(
            rows, target, with_views, TreeOptions(), sequence,
            n_classes=n_outputs, weights=weights, bags=bags, describe_nodes=False, n_jobs=self.n_jobs,
        )  # fmt: skip
        assert out_of_bag is not None
        self._clock.done(f"{len(self.forest_)} trees grown, {len(self.forest_.nodes)} nodes")
        return np.stack([family.means() for family in out_of_bag])

    def _finish(self, y: NDArray, weights: NDArray[np.float64] | None) -> None:
        """Tell how good the weighed families are out of bag, on rows of targets `y`, and what columns bring them."""
        known = self._out_of_bag_rows()
        self.__dict__.pop("oob_score_", None)
        if self.oob_score is not False:
            self.oob_score_ = self._score_out_of_bag(y, known, weights)
        self.feature_importances_ = self._column_importances()
        self.forest_.decreases = None
        found = zip(self.families_, self.family_weights_, strict=True)
        score = "" if self.oob_score is False else f"; score out of bag {self.oob_score_:.4f}"
        self._clock.done(f"weights of families: {', '.join(f'{name} {w:.2f}' for name, w in found)}{score}")
        del self._clock

    def _score_out_of_bag(
        self, y: NDArray, known: NDArray[np.bool_], weights: NDArray[np.float64] | None
    ) -> float:
        """Return the score that is asked for, over the rows that are known."""
        answers = {name: answer[known] for name, answer in self._answers_out_of_bag().items()}
        weights = some(weights, known)
        if self.oob_score is True:
            return self._usual_score(y[known], answers["predict"], weights)
        if callable(self.oob_score):
            return float(self.oob_score(y[known], answers["predict"]))
        return scored(self, self.oob_score, answers, y[known], weights)

    def _usual_score(self, y: NDArray, predicted: NDArray, weights: NDArray[np.float64] | None) -> float:
        """Return the accuracy or R^2, by weight; NaN without rows."""
        raise NotImplementedError

    def _answers_out_of_bag(self) -> dict[str, NDArray]:
        """Return what the methods of prediction give for the training rows out of bag."""
        raise NotImplementedError

    def _column_importances(self) -> NDArray[np.float64]:
        """Return the decreases of impurity by input column, families by their weights; they add up to 1."""
        by_family = self._family_importances()
        whole = by_family.sum(axis=1, keepdims=True)
        by_family = np.divide(by_family, whole, out=np.zeros_like(by_family), where=whole > 0)
        weights = self.family_weights_ if self.family_weights_.any() else np.ones(len(by_family))
        encoded = weights @ by_family
        found = self.table_.by_input(encoded, self.n_features_in_)
        return found / found.sum() if found.any() else found

    def _family_importances(self) -> NDArray[np.float64]:
        """Return the mean decreases of impurity of each family's trees, (family, column of the encoded table)."""
        by_tree = self.forest_.importances(per_tree=True)
        return by_tree.reshape(len(self.families_), self.trees_per_family, -1).mean(axis=1)

    def _encoded(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the numbers of new rows."""
        check_is_fitted(self)
        return self.table_.transform(X, self)

    def _outputs(self, rows: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
        """Yield the families' outputs for blocks of rows, (family, row, output)."""
        n_families = len(self.families_)
        groups = np.repeat(np.arange(n_families), self.trees_per_family)
        step = max(1, _BLOCK // (n_families * self.forest_.values.shape[1]))
        for start in range(0, len(rows), step):
            yield self._sums(rows[start : start + step], groups) / self.trees_per_family

    def _sums(self, rows: NDArray[np.float32], groups: NDArray[np.intp]) -> NDArray[np.float64]:
        """Return the sums over the trees of families, (family, row, output)."""
        n_families = len(self.families_)
        by_row = self._over_known(
            rows,
            lambda some, _: self.forest_.group_sums(some, groups, n_families, self.n_jobs).swapaxes(0, 1),
        )
        return by_row.swapaxes(0, 1)

    def _over_known(
        self, rows: NDArray[np.float32], found: Callable[[NDArray[np.float32], Any], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return what is found for rows, (row, ...): the mean over known categories where one is unknown.

        `found` takes rows, and which of all they are.
        """
        unknown = self.table_.unknown(rows)
        result = found(rows, slice(None))
        if unknown.any():
            copies = [found(filled, unknown) for filled in self.table_.filled(rows[unknown])]
            result[unknown] = np.mean(copies, axis=0)
        return result

    @property
    def family_weights_(self) -> NDArray[np.float64]:
        """Weight of each of ``families_`` in the pool."""
        check_is_fitted(self)
        return self.pool_.weights_

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
