"""Base class of the flagship's classifier and regressor."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from numbers import Integral
from time import perf_counter
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.metrics import get_scorer_names
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from rotastack.base.naming import refuse_no_columns
from rotastack.base.outputs import weighted_sum
from rotastack.base.row_weights import relative_weights, row_weights, weights_of
from rotastack.base.scikit import Interval, StrOptions, fit_context, safe_indexing
from rotastack.ensembles.flagship.families import FAMILIES, Family, TreeFamily, find_families
from rotastack.ensembles.flagship.family_rows import (
    FamilyRows,
    category_targets,
    draw_folds,
    group_numbers,
    weighted_rows,
)
from rotastack.ensembles.flagship.growing import grow_families
from rotastack.ensembles.flagship.grown_families import GrownFamilies, OnBags
from rotastack.ensembles.flagship.importances import OutOfBagImportances, scored, unseen_rows
from rotastack.ensembles.flagship.mixed_table import MixedTable
from rotastack.seeds import root_sequence
from rotastack.trees.growing import TrainingRows
from rotastack.trees.grown import GrownTrees

Fillings = Iterator[tuple[NDArray[np.float64], NDArray[np.float32]]]
"""Shares and encoded rows, in which values of training rows stand in for values that no training row has."""

_BLOCK = 2**22  # largest number of family outputs held in memory at once in predict


class _StepPrinter:
    """A printer of a line that begins with `name` after each step, with the step's seconds; silent if `verbose` is 0."""

    def __init__(self, name: str, verbose: int):
        self.name = name
        self.verbose = verbose
        self._since = perf_counter()

    def done(self, words: str) -> None:
        """Print the line of a completed step."""
        now = perf_counter()
        if self.verbose:
            print(f"[{self.name}] {words} ({now - self._since:.2f} s)", flush=True)
        self._since = now


def kept_families(weights: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Return the mask of the families of positive weight; of the first family if there are none."""
    kept = weights > 0
    kept[0] |= not kept.any()
    return kept


class RotastackEnsemble(OutOfBagImportances, BaseEstimator):
    """A forest of families of trees, with weights of the families fitted to their out-of-bag outputs."""

    _known_families: ClassVar[Mapping[str, Family]] = FAMILIES

    _parameter_constraints: ClassVar[dict] = {
        "trees_per_family": [Interval(Integral, 1, None, closed="left")],
        "families": [tuple, list],
        "categorical_features": [StrOptions({"from_dtype"}), "array-like", None],
        "oob_score": ["boolean", StrOptions(set(get_scorer_names())), callable],
        "n_jobs": [Integral, None],
        "verbose": ["verbose"],
    }

    __metadata_request__fit: ClassVar[dict] = {"groups": True}  # groups need no ``set_fit_request``

    combiner_: Any
    grown_: list[GrownFamilies]
    family_weights_: NDArray[np.float64]
    oob_score_: float
    n_groups_: int

    def __init__(
        self,
        trees_per_family: int,
        families: Sequence[str | TreeFamily],
        *,
        categorical_features: ArrayLike | str | None,
        oob_score: bool | str | Callable,
        n_jobs: int | None,
        random_state: Any,
        verbose: int,
    ):
        self.trees_per_family = trees_per_family
        self.families = families
        self.categorical_features = categorical_features
        self.oob_score = oob_score
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    @fit_context(prefer_skip_nested_validation=False)  # custom views have parameters to validate, too
    def fit(
        self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None, groups: ArrayLike | None = None
    ) -> Self:
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
        groups : array-like of shape (n_rows,), optional
            Labels of groups of rows that belong together, such as visits of a patient, at least 2 among rows of
            positive weight. A tree is grown on all rows of a group or on none, and a fold holds out whole groups. So
            out-of-bag results, intervals and the families' weights hold for rows of new groups. There are at most as
            many folds as groups. Bags are drawn by group; weights then count in the trees.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A missing target, infinite values, weights below 0, unknown families, text in a column that is not
            categorical, missing groups, or fewer than two groups. For a classifier: a continuous target, or fewer than
            two classes among rows of positive weight. For a regressor: a target that is a date or above 1e100.
        """
        step, sequence = _StepPrinter(type(self).__name__, self.verbose), root_sequence(self.random_state)
        refuse_no_columns(X)
        y = self._checked_target(y)
        rows = self._training_rows(X, y, sample_weight, groups, sequence)
        step.done(f"{len(rows.X)} rows read, {self.n_features_in_} columns as {rows.X.shape[1]}")
        families = find_families(self.families, len(rows.dummies), self._known_families)
        self.grown_, outputs = grow_families(
            families, self.trees_per_family, rows, sequence, n_jobs=self.n_jobs, done=step.done
        )
        self.families_ = tuple(name for grown in self.grown_ for name in grown.names)
        self._n_outputs = outputs.shape[2]
        self._weigh(outputs, rows, y, sequence)
        self.feature_importances_ = self._column_importances()
        self.family_weights_ = self.combiner_.weights_
        score = ""
        if self.oob_score is not False:
            self.oob_score_ = self._score_out_of_bag(y, rows.weights)
            score = f"; out-of-bag score {self.oob_score_:.4f}"
        self._switch_off()
        by_family = zip(self.families_, self.family_weights_, strict=True)
        step.done(f"weights of families: {', '.join(f'{name} {w:.2f}' for name, w in by_family)}{score}")
        self._rows_hash = self._hash_of(X, y)
        return self

    def _checked_target(self, y: ArrayLike) -> NDArray:
        """Return the labels or numbers of the rows."""
        raise NotImplementedError

    def _training_rows(
        self,
        X: Any,
        y: NDArray,
        sample_weight: ArrayLike | None,
        groups: ArrayLike | None,
        sequence: np.random.SeedSequence,
    ) -> FamilyRows:
        """Return the encoded rows with their targets, weights, groups and folds."""
        check_consistent_length(X, y)
        weights = relative_weights(row_weights(X, y, sample_weight, getattr(self, "class_weight", None)))
        weighted = weighted_rows(weights, len(y))
        row_groups = None if groups is None else group_numbers(groups, weighted)
        if row_groups is not None:
            self.n_groups_ = len(np.unique(row_groups[weighted]))
        target, n_classes, codes = self._targets(y, weights)
        folds = draw_folds(codes, weights, sequence, row_groups)
        self.table_ = MixedTable(self.categorical_features)
        encoded = self._encoded_by(TrainingRows(X, target, n_classes, weights), folds)
        return FamilyRows(
            encoded,
            target,
            n_classes,
            weights,
            codes=codes,
            folds=folds,
            dummies=self.table_.dummies_,
            row_groups=row_groups,
        )

    def _targets(
        self, y: NDArray, weights: NDArray[np.float64] | None
    ) -> tuple[NDArray, int | None, NDArray[np.integer]]:
        """Return the target of the trees, the number of classes (None in a regression), and the class numbers for views."""
        raise NotImplementedError

    def _weigh(
        self, outputs: NDArray[np.float64], rows: FamilyRows, y: NDArray, sequence: np.random.SeedSequence
    ) -> None:
        """Fit the families' weights to their unseen outputs (family, row, output), and set the out-of-bag attributes.

        Outputs are NaN for rows that all trees of a family have seen. `y` is the checked target of ``fit``.
        """
        raise NotImplementedError

    def _usual_score(self, y: NDArray, predicted: NDArray, weights: NDArray[np.float64] | None) -> float:
        """Return the weighted accuracy or R^2; NaN without rows."""
        raise NotImplementedError

    def _encoded_by(self, rows: TrainingRows, folds: NDArray[np.int32]) -> NDArray[np.float32]:
        """Fit the encoder of the table to the training rows that are in a fold, and return all rows encoded."""
        targets, weighted = category_targets(rows), np.flatnonzero(folds >= 0)
        if len(weighted) in (0, len(folds)):
            return self.table_.fit_transform(rows.X, self, targets, folds)
        some = safe_indexing(rows.X, weighted)
        learnt = self.table_.fit_transform(some, self, targets[weighted], folds[weighted])
        encoded = self.table_.transform(rows.X, self)
        encoded[weighted] = learnt
        return encoded

    @staticmethod
    def _cross_fitted(
        folds: NDArray[np.int32], combined: Callable[[NDArray[np.bool_], NDArray[np.bool_]], NDArray[np.float64]]
    ) -> NDArray[np.float64]:
        """Return the ensemble's outputs for training rows, with family weights fitted to the rows of other folds.

        ``combined(others, mine)`` returns outputs for the rows `mine` with weights fitted to `others`; both are masks.
        """
        held = [folds == fold for fold in np.unique(folds)] or [np.zeros(0, dtype=bool)]
        outputs = [combined(~mine if len(held) > 1 else mine, mine) for mine in held]
        return np.concatenate(outputs)[np.argsort(np.argsort(folds, kind="stable"))]

    def _switch_off(self) -> None:
        """Delete the families of weight 0, and the data of other families that predictions do not need."""
        kept = kept_families(self.family_weights_)
        self.combiner_.weights_ = self.family_weights_[kept]
        edges = np.cumsum([0, *(len(grown.names) for grown in self.grown_)])
        chosen = [kept[a:b] for a, b in pairwise(edges)]
        self.grown_ = [grown.keep(mine) for grown, mine in zip(self.grown_, chosen, strict=True) if mine.any()]
        for grown in self.grown_:
            grown.forget()

    def _score_out_of_bag(self, y: NDArray, weights: NDArray[np.float64] | None) -> float:
        """Return the score chosen by `oob_score` on the rows that have an out-of-bag prediction."""
        known = unseen_rows(self._out_of_bag())
        answers = self._answers(self._out_of_bag()[known])
        weights = weights_of(weights, known)
        if self.oob_score is True:
            return self._usual_score(y[known], answers["predict"], weights)
        if callable(self.oob_score):
            return float(self.oob_score(y[known], answers["predict"]))
        return scored(self, self.oob_score, answers, y[known], weights)

    def _column_importances(self) -> NDArray[np.float64]:
        """Return the importances of the input columns, with sum 1: the weighted mean of the families' shares."""
        by_family = np.concatenate([grown.importances() for grown in self.grown_])
        total = by_family.sum(axis=1, keepdims=True)
        by_family = np.divide(by_family, total, out=np.zeros_like(by_family), where=total > 0)
        weights = self.combiner_.weights_ if self.combiner_.weights_.any() else np.ones(len(by_family))
        encoded = weights @ by_family
        by_input = self.table_.by_input(encoded, self.n_features_in_)
        return by_input / by_input.sum() if by_input.any() else by_input

    def _encoded(self, X: ArrayLike) -> NDArray[np.float32]:
        """Return the encoded columns of new rows, with a warning of values that no training row has."""
        check_is_fitted(self)
        rows = self.table_.transform(X, self)
        self.table_.warn_of_lacking(X, rows)
        return rows

    def _predicted(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the ensemble's probabilities or predictions for encoded rows."""
        step = max(1, _BLOCK // (len(self.families_) * self._n_outputs))
        parts = [rows[start : start + step] for start in range(0, len(rows), step)]
        return np.concatenate([self._over_shown(part, self._predicted_at_once, self._mean) for part in parts])

    def _predicted_at_once(self, rows: NDArray[np.float32]) -> NDArray[np.float64]:
        """Return the ensemble's probabilities or predictions for encoded rows that have shown values only."""
        return self._combined(np.concatenate([grown.outputs(rows, self.n_jobs) for grown in self.grown_]))

    def _mean(self, fillings: Fillings) -> NDArray[np.float64]:
        """Return the mean of probabilities or predictions over the values that stand in for others."""
        shares, predicted = zip(*((share, self._predicted_at_once(rows).T) for share, rows in fillings), strict=True)
        return weighted_sum(shares, predicted).T

    def _over_shown(
        self,
        rows: NDArray[np.float32],
        known: Callable[[NDArray[np.float32]], NDArray[np.float64]],
        mixed: Callable[[Fillings], NDArray[np.float64]],
    ) -> NDArray[np.float64]:
        """Return ``known(rows)``; for the rows with values that no training row has ``mixed(fillings)``."""
        shown = self.table_.shown_
        new = shown.lacking(rows).any(axis=1)
        if not new.any():
            return known(rows)
        whole = rows.copy()
        whole[new] = next(shown.fillings(rows[new]))[1]
        result = known(whole)
        result[new] = mixed(shown.fillings(rows[new]))
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
