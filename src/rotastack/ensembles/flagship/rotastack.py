"""The flagship: the base of its classifier and its regressor."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_is_fitted

from rotastack.base.outputs import mean_of
from rotastack.base.row_weights import some
from rotastack.base.scikit import Interval, StrOptions, safe_indexing
from rotastack.ensembles.flagship.families import FAMILIES, TreeFamily, find_families
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.ensembles.flagship.grown_families import GrownFamilies, OnBags
from rotastack.ensembles.flagship.importances import OutOfBagImportances, scored
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.ensembles.flagship.steps import Steps
from rotastack.ensembles.flagship.training_rows import TrainingRows
from rotastack.trees.grown import GrownTrees

__all__ = ["RotastackEnsemble", "kept_families"]

RIDGE = 0.1
"""Pull of the families' weights to equal ones, against a loss that is a sum over rows."""

_BLOCK = 2**22  # numbers of families' outputs held at once in predict


def kept_families(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return which families have a weight; the first one if none has."""
    kept = weights > 0
    kept[0] |= not kept.any()
    return kept


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

    _known_families: ClassVar[Mapping[str, TreeFamily]] = FAMILIES

    _parameter_constraints: ClassVar[dict] = {
        "trees_per_family": [Interval(Integral, 1, None, closed="left")],
        "families": [tuple, list],
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
    grown_: list[GrownFamilies]
    family_weights_: NDArray[np.float64]
    oob_score_: float

    def _grow(
        self,
        X: ArrayLike,
        codes: NDArray[np.integer],
        weights: NDArray[np.float64] | None,
        sequence: np.random.SeedSequence,
        numbers: NDArray[np.float64] | None = None,
    ) -> tuple[TrainingRows, NDArray[np.float64], NDArray[np.int32]]:
        """Learn the table, and grow the forest.

        Parameters
        ----------
        X : array-like or table of shape (n_rows, n_features)
        codes : ndarray of shape (n_rows,)
            Class numbers, from which views learn.
        weights : ndarray of shape (n_rows,) or None
        sequence : numpy.random.SeedSequence
        numbers : ndarray of shape (n_rows,), optional
            Targets of the trees of a regressor; those of a classifier are the class numbers.

        Returns
        -------
        rows : TrainingRows
        outputs : ndarray of shape (n_families, n_rows, n_outputs)
            Of the families, out of bag; NaN where no tree of a family has a row out of bag.
        folds : ndarray of int32 of shape (n_rows,)
            Whose rows trees on folds have not seen, and weights of families are not fitted to; -1 for rows of weight 0.
        """
        self._clock = Steps(type(self).__name__, self.verbose)
        rows = TrainingRows(np.empty((len(codes), 0), np.float32), codes, weights, (), numbers)
        folds = rows.folds(sequence)
        rows = replace(rows, X=self._read(X, rows.encoding_targets(), folds), groups=self.table_.groups_)
        self._clock.done(f"{len(rows.X)} rows read, {self.n_features_in_} columns as {rows.X.shape[1]}")
        families = find_families(self.families, len(rows.groups), self._known_families)
        self.grown_, outputs = grow_families(
            families, self.trees_per_family, rows, folds, sequence, n_jobs=self.n_jobs, done=self._clock.done
        )
        self.families_ = tuple(name for grown in self.grown_ for name in grown.names)
        self._n_outputs = outputs.shape[2]
        return rows, outputs, folds

    def _read(self, X: ArrayLike, targets: NDArray[np.float64], folds: NDArray[np.int32]) -> NDArray[np.float32]:
        """Learn the table from the training rows that are in a fold, and return the numbers of all."""
        self.table_ = MixedTable(self.categorical_features)
        there = np.flatnonzero(folds >= 0)
        if len(there) in (0, len(folds)):
            return self.table_.fit_transform(X, self, targets, folds)
        learnt = self.table_.fit_transform(safe_indexing(X, there), self, targets[there], folds[there])
        rows = self.table_.transform(X, self)
        rows[there] = learnt
        return rows

    @staticmethod
    def _cross_fitted(
        folds: NDArray[np.int32], pooled: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return pooled outputs of training rows, each by weights that the row has no say in.

        Parameters
        ----------
        folds : ndarray of int of shape (n_rows,)
        pooled : callable
            ``pooled(others, mine)`` returns the outputs of the rows `mine` by weights fitted to `others`; both are masks.
        """
        held = [folds == fold for fold in np.unique(folds)] or [np.zeros(0, dtype=bool)]
        found = [pooled(~mine if len(held) > 1 else mine, mine) for mine in held]
        return np.concatenate(found)[np.argsort(np.argsort(folds, kind="stable"))]

    def _finish(self, y: NDArray, weights: NDArray[np.float64] | None) -> None:
        """Tell how good the weighed families are out of bag, on rows of targets `y`, and what columns bring them."""
        known = self._out_of_bag_rows()
        self.__dict__.pop("oob_score_", None)
        if self.oob_score is not False:
            self.oob_score_ = self._score_out_of_bag(y, known, weights)
        self.feature_importances_ = self._column_importances()
        self._switch_off()
        found = zip(self.families_, self.family_weights_, strict=True)
        score = "" if self.oob_score is False else f"; score out of bag {self.oob_score_:.4f}"
        self._clock.done(f"weights of families: {', '.join(f'{name} {w:.2f}' for name, w in found)}{score}")
        del self._clock

    def _switch_off(self) -> None:
        """Forget the trees of families that have no weight, and of others what predictions do not need."""
        self.family_weights_ = self.pool_.weights_
        kept = kept_families(self.family_weights_)
        self.pool_.weights_ = self.family_weights_[kept]
        edges = np.cumsum([0, *(len(grown.names) for grown in self.grown_)])
        chosen = [kept[a:b] for a, b in pairwise(edges)]
        self.grown_ = [grown.keep(mine) for grown, mine in zip(self.grown_, chosen, strict=True) if mine.any()]
        for grown in self.grown_:
            grown.forget()

    def _score_out_of_bag(self, y: NDArray, known: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> float:
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
        by_family = np.concatenate([grown.importances() for grown in self.grown_])
        whole = by_family.sum(axis=1, keepdims=True)
        by_family = np.divide(by_family, whole, out=np.zeros_like(by_family), where=whole > 0)
        weights = self.pool_.weights_ if self.pool_.weights_.any() else np.ones(len(by_family))
        encoded = weights @ by_family
        found = self.table_.by_input(encoded, self.n_features_in_)
        return found / found.sum() if found.any() else found

    def _encoded(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the numbers of new rows."""
        check_is_fitted(self)
        return self.table_.transform(X, self)

    def _outputs(self, rows: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
        """Yield the families' outputs for blocks of rows, (family, row, output)."""
        step = max(1, _BLOCK // (len(self.families_) * self._n_outputs))
        for start in range(0, len(rows), step):
            yield self._outputs_of(rows[start : start + step])

    def _outputs_of(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the outputs of families for rows, (family, row, output)."""

        def found(some: NDArray[np.float32], _: Any) -> NDArray[np.float64]:
            return np.concatenate([grown.outputs(some, self.n_jobs) for grown in self.grown_]).swapaxes(0, 1)

        return self._over_known(rows, found).swapaxes(0, 1)

    def _over_known(
        self, rows: NDArray[np.float32], found: Callable[[NDArray[np.float32], Any], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return what is found for rows, (row, ...): the mean over known categories where one is unknown.

        `found` takes rows, and which of all they are.
        """
        unknown = self.table_.unknown(rows)
        if not unknown.any():
            return found(rows, slice(None))
        result = found(next(self.table_.filled(rows)), slice(None))
        copies = [found(filled, unknown) for filled in self.table_.filled(rows[unknown])]
        result[unknown] = mean_of(copies)
        return result

    @property
    def forest_(self) -> GrownTrees:
        """The trees of the families on bags that have a weight, family after family."""
        check_is_fitted(self)
        on_bags = [grown.trees for grown in self.grown_ if isinstance(grown, OnBags)]
        if not on_bags:
            raise AttributeError(f"no family is grown on bags; the trees of {', '.join(self.families_)} are in grown_")
        return GrownTrees.concatenate(on_bags)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
