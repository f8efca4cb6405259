"""Base class of the ensemble classifiers and regressors on a pool."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.combiner import Combiner, Members
from rotastack.base.row_weights import of_all_rows, relative_weights, row_weights
from rotastack.base.scikit import HasMethods, Interval, fit_context
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.nested import HeldOut
from rotastack.ensembles.pooled.pool import Pool, PoolOptions, Recipe, fit_pool
from rotastack.ensembles.table import TableEnsemble, warn_of_unequal_scales
from rotastack.resampling.folds import fold_groups, given_folds
from rotastack.seeds import child, root_sequence
from rotastack.trees.growing import TrainingRows
from rotastack.views.scaling import SCALERS

_OF_ROWS = {"oob_decision_function_": np.nan, "oob_prediction_": np.nan, "oof_proba_": np.nan, "folds_": -1}
_BLOCK = 2**22  # largest number of member outputs held in memory at once in predict


@dataclass
class PoolMembers(Members):
    """The members of a fitted ensemble, with their training rows."""

    ensemble: "PooledEnsemble"
    rows: TrainingRows

    def complexity_and_error(self):
        members = self.ensemble.pool_.members
        complexity = rotation_complexity([m.n_nodes for m in members], [m.depth for m in members], len(self.rows.X))
        # If the pool drew bags, a forest's out-of-bag rows may be copies of rows in the forest's bags.
        error = self.ensemble.oob_errors_ if self.ensemble.bootstrap else [m.oob_error for m in members]
        unrotated = [k for k, m in enumerate(members) if m.kept_view is None]
        return complexity, error, unrotated[0] if unrotated else None


class PooledEnsemble(TableEnsemble):
    """An ensemble with a view for each member and a combiner of the members' outputs."""

    _parameter_constraints: ClassVar[dict] = {
        **TableEnsemble._parameter_constraints,
        "view": [HasMethods(["fit", "transform"]), list, None],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "combiner": [HasMethods(["predict_proba"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "bootstrap": ["boolean"],
        "cv": [Interval(Integral, 3, None, closed="left"), HasMethods(["split", "get_n_splits"]), Iterable],
    }
    refit: bool = True  # train the members, and a trained combiner, on all rows
    pool_: Pool
    families_: list[str]
    oob_errors_: NDArray[np.float64]

    def __init__(
        self,
        view: Any = None,
        estimator: Any = None,
        combiner: Combiner | None = None,
        n_estimators: int = 10,
        *,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        cv: Any = 5,
        n_jobs: int | None = None,
        random_state: Any = None,
    ):
        self.view = view
        self.estimator = estimator
        self.combiner = combiner
        self.n_estimators = n_estimators
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.bootstrap = bootstrap
        self.cv = cv
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _recipes(self, n_numeric: int, sequence: np.random.SeedSequence) -> list[Recipe]:
        """Return one recipe for each member; its view is unfitted, or was drawn by `sequence`."""
        estimator = self._member_estimator()
        views = self.view if isinstance(self.view, list) else [("all", self.view, 1.0)]
        for entry in views:
            if not isinstance(entry, tuple | list) or len(entry) != 3:
                raise ValueError(f"view must be a list of (name, transformer, share), got the entry {entry!r}")
        counts = _apportion(self.n_estimators, [share for _, _, share in views])
        return [
            Recipe(view, estimator, name)
            for (name, view, _), count in zip(views, counts, strict=True)
            for _ in range(count)
        ]

    def _member_estimator(self) -> Any:
        raise NotImplementedError

    def _combiner(self) -> Combiner:
        combiner = Voting() if self.combiner is None else self.combiner
        if not isinstance(combiner, Combiner):
            raise ValueError(f"combiner must be a rotastack.base.combiner.Combiner, got {combiner!r}")
        return combiner

    def _check(self, recipes: list[Recipe], combiner: Combiner) -> None:
        """Raise ValueError if members or the combiner are not for the task."""
        raise NotImplementedError

    def _moves(self) -> bool:
        """Return whether the members may get a centred and scaled target."""
        return False

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the members and the combiner.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            Weights of at least 0; their scale has no effect. Rows of weight 0 are left out. With `bootstrap`, or if the
            estimator takes no weights (nearest neighbours), members are trained on rows drawn by weight. Otherwise the
            estimator gets the weights, with a mean of 1. A trained combiner must take weights. A pruner counts all rows alike.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A missing target, infinite values, missing values without scaling, too few rows for the folds, folds that do
            not hold out each row once, or weights for a combiner that does not take weights. For a classifier: a
            regressor as estimator, a continuous target or fewer than two classes. For a regressor: a classifier as
            estimator, a view that needs class labels, or a combiner for classes only.
        """
        table, y, categorical = self._training_table(X, y)
        target, n_classes = self._target(y)
        weights = row_weights(table, y, sample_weight)
        positive = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        rows = TrainingRows(table, target, n_classes, weights)
        rows = rows if positive.all() else rows.take(positive)
        self._train(replace(rows, weights=relative_weights(rows.weights)), categorical, (X, y, positive))
        if not positive.all():
            self._fill_in(positive)
        return self

    def _train(self, rows: TrainingRows, categorical: NDArray[np.bool_], given: tuple[Any, Any, NDArray]) -> None:
        """Train the members and the combiner; `given` is (X, y, mask) for ``given_folds(cv, *given)``."""
        sequence = root_sequence(self.random_state)
        recipes, combiner = self._recipes(int((~categorical).sum()), sequence), self._combiner()
        self._check(recipes, combiner)
        if self.scaling is None and any(recipe.view is not None for recipe in recipes):
            warn_of_unequal_scales(rows.X, categorical, self)
        self.families_ = [recipe.family for recipe in recipes]
        scaler = SCALERS[self.scaling]() if self.scaling else None
        options = PoolOptions(scaler, categorical, self.bootstrap, moves=self._moves(), n_jobs=self.n_jobs)
        training, combining = child(sequence, "train"), child(sequence, "combine")
        nested, unseen = combiner._is_nested(self.bootstrap), None
        if self.refit or not nested:
            self.pool_ = fit_pool(rows, recipes, options, training)
            unseen = self._describe(rows) if self.bootstrap else None
        if nested:
            held_out = self._folds(rows, sequence, given)
            self._combine_nested(combiner, rows, held_out, recipes, options, training, combining)
        else:
            self._combine(combiner, rows, unseen, combining)

    def _describe(self, rows: TrainingRows) -> "Unseen":
        """Set the out-of-bag attributes; return the out-of-bag outputs of the families."""
        raise NotImplementedError

    def _combine(
        self, combiner: Combiner, rows: TrainingRows, unseen: "Unseen | None", sequence: np.random.SeedSequence
    ) -> None:
        """Fit a combiner to the members trained on all rows."""
        raise NotImplementedError

    def _combine_nested(
        self,
        combiner: Combiner,
        rows: TrainingRows,
        held_out: HeldOut,
        recipes: list[Recipe],
        options: PoolOptions,
        training: np.random.SeedSequence,
        combining: np.random.SeedSequence,
    ) -> None:
        """Train a combiner on outputs of members that have not seen the rows."""
        raise NotImplementedError

    def _folds(self, rows: TrainingRows, sequence: np.random.SeedSequence, given: tuple[Any, Any, NDArray]) -> HeldOut:
        """Return the folds, drawn or given, that trainings hold out."""
        if not isinstance(self.cv, Integral):
            folds, without = given_folds(self.cv, *given)
            return HeldOut(folds, self._pairs(folds), without)
        strata = rows.target
        if rows.n_classes is None:
            if len(rows.X) < int(self.cv):
                raise ValueError(f"cv={self.cv} folds need at least {self.cv} rows, found n_samples = {len(rows.X)}")
            strata = np.zeros(len(rows.X))
        folds = fold_groups(strata, 1, int(self.cv), child(sequence, "folds"))[0]
        return HeldOut(folds, self._pairs(folds))

    def _pairs(self, folds: NDArray[np.integer]) -> list[tuple[int, int]]:
        """Return the pairs of folds without which members are trained."""
        return [(a, a) for a in range(int(folds.max()) + 1)]

    def _fill_in(self, there: NDArray[np.bool_]) -> None:
        """Add the rows of weight 0, which ``fit`` left out, to the fitted attributes with an entry for each row."""
        for name, missing in _OF_ROWS.items():
            if name in vars(self):
                setattr(self, name, of_all_rows(vars(self)[name], there, missing))
        for member in self.pool_.members if "pool_" in vars(self) else ():
            if member.out_of_bag is not None:
                member.out_of_bag = of_all_rows(member.out_of_bag, there, True)

    def _blocks(self, n_rows: int, n_outputs: int) -> Iterator[slice]:
        step = max(1, _BLOCK // (len(self.families_) * n_outputs))
        return (slice(start, start + step) for start in range(0, n_rows, step))

    def _unseen(self, rows: TrainingRows, loss: Callable[[NDArray, NDArray[np.intp]], float]) -> "Unseen":
        """Set ``oob_errors_``, and return the out-of-bag outputs of the families.

        ``loss(outputs, rows)`` returns the error of a member's outputs for the rows of these numbers.
        """
        n_outputs = rows.n_classes or 1
        unseen = {name: (np.zeros((len(rows.X), n_outputs)), np.zeros(len(rows.X))) for name in self.families_}
        self.oob_errors_ = np.full(len(self.families_), np.nan)
        numeric, other = self.pool_.scaled(rows.X)
        for k, (member, name) in enumerate(zip(self.pool_.members, self.families_, strict=True)):
            assert member.out_of_bag is not None
            mine = np.flatnonzero(member.out_of_bag)
            if len(mine):
                outputs = member.outputs(numeric[mine], other[mine])
                self.oob_errors_[k] = loss(outputs, mine)
                sums, counts = unseen[name]
                sums[mine] += outputs
                counts[mine] += 1
        return unseen


Unseen = dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]
"""Sums and counts of the members' out-of-bag outputs, by the name of the family."""


def in_all(unseen: Unseen) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return the sums and counts of all families together."""
    sums, counts = zip(*unseen.values(), strict=True)
    return sum(sums), sum(counts)


def means(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
    """Return sums divided by counts; NaN where the count is 0."""
    counted = counts[:, None] > 0
    return np.divide(sums, counts[:, None], out=np.full(sums.shape, np.nan), where=counted)


def _apportion(total: int, shares: list[float]) -> list[int]:
    """Return whole numbers in proportion to `shares` with the sum `total`, by largest remainders."""
    if not shares or not (min(shares) >= 0 and 0 < sum(shares) < np.inf):
        raise ValueError(f"shares of views must be at least 0 with a finite, positive sum, got {shares}")
    exact = np.asarray(shares, dtype=float) / sum(shares) * total
    counts = np.floor(exact).astype(int)
    for k in np.argsort(counts - exact, kind="stable")[: total - counts.sum()]:
        counts[k] += 1
    return counts.tolist()
