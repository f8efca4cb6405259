"""Base class of the flagship's classifier and regressor."""

from collections.abc import Callable, Iterator, Mapping
from itertools import pairwise
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rotastack.base.outputs import mean_of
from rotastack.base.row_weights import relative_weights, row_weights, weights_of
from rotastack.base.scikit import Interval, StrOptions, fit_context, safe_indexing
from rotastack.ensembles.flagship.families import FAMILIES, TreeFamily, find_families
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.ensembles.flagship.grown_families import GrownFamilies, OnBags
from rotastack.ensembles.flagship.importances import OutOfBagImportances, scored
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.ensembles.flagship.training_rows import TrainingRows, category_targets, draw_folds
from rotastack.trees.grown import GrownTrees

__all__ = ["RotastackEnsemble", "StepPrinter", "kept_families"]


class StepPrinter:
    """A printer of one line after each step, with the duration of the step in seconds.

    Parameters
    ----------
    name : str
        Name of the estimator, the beginning of each line.
    verbose : int
        0 prints nothing.

    Examples
    --------
    >>> StepPrinter("Forest", 1).done("100 trees grown")  # doctest: +ELLIPSIS
    [Forest] 100 trees grown (... s)
    """

    def __init__(self, name: str, verbose: int = 0):
        self.name = name
        self.verbose = verbose
        self._since = perf_counter()

    def done(self, words: str) -> None:
        """Print the line of a completed step."""
        now = perf_counter()
        if self.verbose:
            print(f"[{self.name}] {words} ({now - self._since:.2f} s)", flush=True)
        self._since = now


RIDGE = 0.1
"""Factor of the ridge that pulls the families' weights to equal weights; the loss is a sum over rows."""

_BLOCK = 2**22  # largest number of family outputs held in memory at once in predict


def kept_families(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the families of positive weight; of the first family if there are none."""
    kept = weights > 0
    kept[0] |= not kept.any()
    return kept


class RotastackEnsemble(OutOfBagImportances, BaseEstimator):
    """A forest of families of trees, with weights of the families fitted to their out-of-bag outputs.

    Parameters
    ----------
    categorical_features : "from_dtype", array-like of int, bool or str, or None, default="from_dtype"
        Categorical columns. "from_dtype": the columns of a pandas, polars or Arrow table that are not numeric (numbers
        stored as objects are not). Of these, dates become numbers, and ids and free text are left out with a warning.
        Missing values are a category. A category that no training row has gives a warning: it counts as missing if its
        column has missing values in training; otherwise outputs are averaged over the known categories.
    oob_score : bool, str or callable, default=True
        Score in `oob_score_`; more is better. True is accuracy or R^2, a string is the name of a scikit-learn scorer
        (such as "roc_auc" or "neg_log_loss"), a function is ``f(y_true, y_pred)``. False computes no score.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.
    verbose : int, default=0
        1 prints a line after each step of ``fit``, with the duration of the step in seconds.
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

    combiner_: Any
    grown_: list[GrownFamilies]
    family_weights_: NDArray[np.float64]
    oob_score_: float

    @fit_context(prefer_skip_nested_validation=False)  # custom views have parameters to validate, too
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Fit views, grow trees, and fit the weights of the families.

        Parameters
        ----------
        X : array-like or DataFrame of shape (n_rows, n_features)
            Missing values are allowed.
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weights of at least 0; their scale has no effect. Rows of weight 0 are left out, but a class with only such
            rows stays in ``classes_``, with probabilities near 0. Bags are drawn by weight. The families' weights and
            the out-of-bag scores use the row weights. Views weigh all rows in a bag alike.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A missing target, infinite values, weights below 0, unknown families, or text in a column that is not
            categorical. For a classifier: a continuous target, or fewer than two classes among rows of positive weight.
            For a regressor: a target that is a date or above 1e100.
        """
        y = self._target(y)
        check_consistent_length(X, y)
        weights = relative_weights(row_weights(X, y, sample_weight, getattr(self, "class_weight", None)))
        self._fit(X, y, weights, np.ones(len(y), dtype=bool) if weights is None else weights > 0)
        self._finish(y, weights)
        return self

    def _target(self, y: ArrayLike) -> NDArray:
        """Return the checked target."""
        raise NotImplementedError

    def _fit(self, X: ArrayLike, y: NDArray, weights: NDArray[np.float64] | None, weighted: NDArray[np.bool_]) -> None:
        """Grow the families and weigh them; `weighted` is the mask of the rows of positive weight."""
        raise NotImplementedError

    def _grow(
        self,
        X: ArrayLike,
        codes: NDArray[np.integer],
        weights: NDArray[np.float64] | None,
        sequence: np.random.SeedSequence,
        numbers: NDArray[np.float64] | None = None,
    ) -> tuple[TrainingRows, NDArray[np.float64], NDArray[np.int32]]:
        """Encode the training rows and grow the families; return the rows, unseen outputs and folds.

        Parameters
        ----------
        X : array-like or table of shape (n_rows, n_features)
        codes : ndarray of shape (n_rows,)
            Class numbers, the target of views.
        weights : ndarray of shape (n_rows,) or None
        sequence : numpy.random.SeedSequence
        numbers : ndarray of shape (n_rows,), optional
            Target of a regressor's trees; the target of a classifier's trees is `codes`.

        Returns
        -------
        rows : TrainingRows
        outputs : ndarray of shape (n_families, n_rows, n_outputs)
            Outputs of the families, from trees that have not seen the row; NaN if all trees of a family have seen it.
        folds : ndarray of int32 of shape (n_rows,)
            Fold of each row, for trees on folds and for cross-fitted family weights; -1 for rows of weight 0.
        """
        self._clock = StepPrinter(type(self).__name__, self.verbose)
        folds = draw_folds(codes, weights, sequence)
        table = self._read(X, category_targets(codes, weights, numbers), folds)
        rows = TrainingRows(table, codes, weights, self.table_.groups_, numbers)
        self._clock.done(f"{len(rows.X)} rows read, {self.n_features_in_} columns as {rows.X.shape[1]}")
        families = find_families(self.families, len(rows.groups), self._known_families)
        self.grown_, outputs = grow_families(
            families, self.trees_per_family, rows, folds, sequence, n_jobs=self.n_jobs, done=self._clock.done
        )
        self.families_ = tuple(name for grown in self.grown_ for name in grown.names)
        self._n_outputs = outputs.shape[2]
        return rows, outputs, folds

    def _read(self, X: ArrayLike, targets: NDArray[np.float64], folds: NDArray[np.int32]) -> NDArray[np.float32]:
        """Fit the encoder of the table to the training rows that are in a fold, and return all rows encoded."""
        self.table_ = MixedTable(self.categorical_features)
        weighted = np.flatnonzero(folds >= 0)
        if len(weighted) in (0, len(folds)):
            return self.table_.fit_transform(X, self, targets, folds)
        learnt = self.table_.fit_transform(safe_indexing(X, weighted), self, targets[weighted], folds[weighted])
        rows = self.table_.transform(X, self)
        rows[weighted] = learnt
        return rows

    @staticmethod
    def _cross_fitted(
        folds: NDArray[np.int32], pooled: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return pooled outputs of training rows, with family weights fitted to the rows of other folds.

        Parameters
        ----------
        folds : ndarray of int of shape (n_rows,)
        pooled : callable
            ``pooled(others, mine)`` returns outputs of the rows `mine` with weights fitted to `others`; both are masks.
        """
        held = [folds == fold for fold in np.unique(folds)] or [np.zeros(0, dtype=bool)]
        outputs = [pooled(~mine if len(held) > 1 else mine, mine) for mine in held]
        return np.concatenate(outputs)[np.argsort(np.argsort(folds, kind="stable"))]

    def _finish(self, y: NDArray, weights: NDArray[np.float64] | None) -> None:
        """Set the out-of-bag score and the importances, and delete the families of weight 0."""
        unseen = self._out_of_bag_rows()
        self.__dict__.pop("oob_score_", None)
        if self.oob_score is not False:
            self.oob_score_ = self._score_out_of_bag(y, unseen, weights)
        self.feature_importances_ = self._column_importances()
        self._switch_off()
        by_family = zip(self.families_, self.family_weights_, strict=True)
        score = "" if self.oob_score is False else f"; out-of-bag score {self.oob_score_:.4f}"
        self._clock.done(f"weights of families: {', '.join(f'{name} {w:.2f}' for name, w in by_family)}{score}")
        del self._clock

    def _switch_off(self) -> None:
        """Delete the trees of families of weight 0, and the data of other families that predictions do not need."""
        self.family_weights_ = self.combiner_.weights_
        kept = kept_families(self.family_weights_)
        self.combiner_.weights_ = self.family_weights_[kept]
        edges = np.cumsum([0, *(len(grown.names) for grown in self.grown_)])
        chosen = [kept[a:b] for a, b in pairwise(edges)]
        self.grown_ = [grown.keep(mine) for grown, mine in zip(self.grown_, chosen, strict=True) if mine.any()]
        for grown in self.grown_:
            grown.forget()

    def _score_out_of_bag(self, y: NDArray, known: NDArray[np.bool_], weights: NDArray[np.float64] | None) -> float:
        """Return the score chosen by `oob_score` on the rows in the mask `known`."""
        answers = {name: answer[known] for name, answer in self._answers_out_of_bag().items()}
        weights = weights_of(weights, known)
        if self.oob_score is True:
            return self._usual_score(y[known], answers["predict"], weights)
        if callable(self.oob_score):
            return float(self.oob_score(y[known], answers["predict"]))
        return scored(self, self.oob_score, answers, y[known], weights)

    def _usual_score(self, y: NDArray, predicted: NDArray, weights: NDArray[np.float64] | None) -> float:
        """Return the weighted accuracy or R^2; NaN without rows."""
        raise NotImplementedError

    def _answers_out_of_bag(self) -> dict[str, NDArray]:
        """Return the out-of-bag predictions for the training rows, by method name."""
        raise NotImplementedError

    def _column_importances(self) -> NDArray[np.float64]:
        """Return the decrease of impurity by input column, weighted by family, with sum 1."""
        by_family = np.concatenate([grown.importances() for grown in self.grown_])
        total = by_family.sum(axis=1, keepdims=True)
        by_family = np.divide(by_family, total, out=np.zeros_like(by_family), where=total > 0)
        weights = self.combiner_.weights_ if self.combiner_.weights_.any() else np.ones(len(by_family))
        encoded = weights @ by_family
        by_input = self.table_.by_input(encoded, self.n_features_in_)
        return by_input / by_input.sum() if by_input.any() else by_input

    def _encoded(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the encoded columns of new rows."""
        check_is_fitted(self)
        return self.table_.transform(X, self)

    def _outputs(self, rows: NDArray[np.float32]) -> Iterator[NDArray[np.float64]]:
        """Yield the families' outputs for blocks of rows, shape (n_families, n_rows, n_outputs)."""
        step = max(1, _BLOCK // (len(self.families_) * self._n_outputs))
        for start in range(0, len(rows), step):
            yield self._outputs_of(rows[start : start + step])

    def _outputs_of(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the families' outputs for rows, shape (n_families, n_rows, n_outputs)."""

        def outputs(part: NDArray[np.float32], _: Any) -> NDArray[np.float64]:
            return np.concatenate([grown.outputs(part, self.n_jobs) for grown in self.grown_]).swapaxes(0, 1)

        return self._over_known(rows, outputs).swapaxes(0, 1)

    def _over_known(
        self, rows: NDArray[np.float32], found: Callable[[NDArray[np.float32], Any], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return ``found(rows, ...)``, shape (n_rows, ...); rows with unknown categories get the mean over known ones.

        The second argument of `found` selects its rows among all rows: a slice or a mask.
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
        """The trees of the families on bags of positive weight, family after family."""
        check_is_fitted(self)
        on_bags = [grown.trees for grown in self.grown_ if isinstance(grown, OnBags)]
        if not on_bags:
            raise AttributeError(f"no family has bags; the trees of {', '.join(self.families_)} are in grown_")
        return GrownTrees.concatenate(on_bags)

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags
