"""Base class of the ensemble classifiers and regressors on a pool."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rotastack.base.combiner import Combiner, Members
from rotastack.base.row_weights import of_all_rows, relative_weights, row_weights
from rotastack.base.scikit import HasMethods, Interval, fit_context
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.pool import Pool, Recipe
from rotastack.ensembles.table import warn_of_unequal_scales
from rotastack.ensembles.table_ensemble import TableEnsemble
from rotastack.resampling.folds import fold_groups, given_folds
from rotastack.seeds import child, root_sequence
from rotastack.views.scaling import SCALERS

_OF_ROWS = {"oob_decision_function_": np.nan, "oob_prediction_": np.nan, "oof_proba_": np.nan, "folds_": -1}
_BLOCK = 2**22  # largest number of member outputs held in memory at once in predict


@dataclass
class PoolMembers(Members):
    """The members of a fitted ensemble, trained on `n_rows` rows."""

    ensemble: "PooledEnsemble"
    n_rows: int

    def complexity_and_error(self):
        members = self.ensemble.pool_.members
        complexity = rotation_complexity([m.n_nodes for m in members], [m.depth for m in members], self.n_rows)
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

    # Subclasses override the methods from here to _combiner.

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

    def _begin(self, X: NDArray, categorical: NDArray[np.bool_]) -> tuple[list[Recipe], np.random.SeedSequence]:
        """Return the members' recipes and the root seed sequence, and set ``families_``."""
        sequence = root_sequence(self.random_state)
        recipes = self._recipes(int((~categorical).sum()), sequence)
        if self.scaling is None and any(recipe.view is not None for recipe in recipes):
            warn_of_unequal_scales(X, categorical, self)
        self.families_ = [recipe.family for recipe in recipes]
        return recipes, sequence

    def _options(self, categorical) -> dict[str, Any]:
        scaler = SCALERS[self.scaling]() if self.scaling else None
        return {"scaler": scaler, "categorical": categorical, "bootstrap": self.bootstrap, "n_jobs": self.n_jobs}

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
        target = self._target(y)
        weights = row_weights(table, y, sample_weight)
        positive = np.ones(len(y), dtype=bool) if weights is None else weights > 0
        if weights is None or positive.all():
            self._fit(table, target, categorical, relative_weights(weights), (X, y, positive))
            return self
        self._fit(table[positive], target[positive], categorical, relative_weights(weights[positive]), (X, y, positive))
        self._fill_in(positive)
        return self

    def _target(self, y: NDArray) -> NDArray:
        """Return the class numbers; for a regressor, the target as float64."""
        raise NotImplementedError

    def _fit(self, X, target, categorical, weights, given) -> None:
        """Fit to checked rows of positive weight; `given` is (X, y, mask) for ``given_folds(cv, *given)``."""
        raise NotImplementedError

    def _folds(
        self, strata: NDArray, sequence: np.random.SeedSequence, given: tuple[Any, NDArray, NDArray[np.bool_]]
    ) -> tuple[NDArray[np.integer], NDArray[np.bool_] | None]:
        """Return the fold of each row, and masks of the training rows without each fold; None means all other rows."""
        if isinstance(self.cv, Integral):
            return fold_groups(strata, 1, int(self.cv), child(sequence, "folds"))[0], None
        return given_folds(self.cv, *given)

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

    def _sum_out_of_bag(
        self, X: NDArray, n_outputs: int, loss: Callable[[NDArray, NDArray[np.intp]], float]
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
        """Set ``oob_errors_``; return the sums and counts of the members' out-of-bag outputs, by family name.

        ``loss(outputs, rows)`` returns the error of a member's outputs for the rows of these numbers.
        """
        names = list(dict.fromkeys(self.families_))
        sums = {name: np.zeros((len(X), n_outputs)) for name in names}
        counts = {name: np.zeros(len(X)) for name in names}
        self.oob_errors_ = np.full(len(self.families_), np.nan)
        numeric, other = self.pool_.scaled(X)
        for k, (member, name) in enumerate(zip(self.pool_.members, self.families_, strict=True)):
            assert member.out_of_bag is not None
            rows = np.flatnonzero(member.out_of_bag)
            if len(rows):
                outputs = member.outputs(numeric[rows], other[rows])
                self.oob_errors_[k] = loss(outputs, rows)
                sums[name][rows] += outputs
                counts[name][rows] += 1
        return sums, counts


def means(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
    """Return sums divided by counts; NaN where the count is 0."""
    counted = counts[:, None] > 0
    return np.divide(sums, counts[:, None], out=np.full(sums.shape, np.nan), where=counted)


def _apportion(total: int, shares: list[float]) -> list[int]:
    """Return whole numbers in proportion to `shares` with the sum `total`, by largest remainders."""
    if not shares or min(shares) < 0 or sum(shares) <= 0:
        raise ValueError(f"shares of views must be at least 0 with a positive sum, got {shares}")
    exact = np.asarray(shares, dtype=float) / sum(shares) * total
    counts = np.floor(exact).astype(int)
    for k in np.argsort(counts - exact, kind="stable")[: total - counts.sum()]:
        counts[k] += 1
    return counts.tolist()
