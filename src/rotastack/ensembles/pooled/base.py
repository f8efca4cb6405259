"""What pools of classifiers and of regressors have in common."""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone

from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.combine.voting import Voting
from rotastack.ensembles.pooled.pool import Pool, Recipe
from rotastack.ensembles.table import categorical_mask, checked_scales
from rotastack.seeds import root_sequence
from rotastack.views.scaling import SCALERS

__all__ = ["PooledEnsemble", "means"]

_BLOCK = 2**22  # floats of member outputs held at once in predict


class PooledEnsemble(BaseEstimator):
    """What pools of classifiers and of regressors have in common."""

    view: Any
    estimator: Any
    combiner: Any
    n_estimators: int
    scaling: str | None
    categorical_features: ArrayLike | None
    bootstrap: bool
    n_jobs: int | None
    random_state: Any
    pool_: Pool
    families_: list[str]
    oob_errors_: NDArray[np.float64]

    # What a named method may replace.

    def _recipes(self, n_numeric: int, sequence: np.random.SeedSequence) -> list[Recipe]:
        """Return one recipe per member; views are not fitted yet, or were drawn by `sequence`."""
        learner = self._base_learner()
        views = self.view if isinstance(self.view, list) else [("all", self.view, 1.0)]
        for entry in views:
            if not isinstance(entry, tuple | list) or len(entry) != 3:
                raise ValueError(
                    f"view must be a list of (name, transformer, share), got the entry {entry!r}"
                )
        counts = _apportion(self.n_estimators, [share for _, _, share in views])
        return [
            Recipe(view, learner, name)
            for (name, view, _), count in zip(views, counts, strict=True)
            for _ in range(count)
        ]

    def _base_learner(self) -> Any:
        raise NotImplementedError

    def _combiner(self) -> Any:
        return Voting() if self.combiner is None else self.combiner

    def _bootstrap(self) -> bool:
        return self.bootstrap

    # What is the same for all.

    def _begin(self, X: NDArray) -> tuple[NDArray[np.bool_], list[Recipe], np.random.SeedSequence]:
        """Return the categorical columns, the members' recipes and the seeds."""
        sequence = root_sequence(self.random_state)
        categorical = categorical_mask(
            self.categorical_features, X.shape[1], getattr(self, "feature_names_in_", None)
        )
        recipes = self._recipes(int((~categorical).sum()), sequence)
        if self.scaling is None and any(recipe.view is not None for recipe in recipes):
            checked_scales(X, categorical, self)
        self.families_ = [recipe.family for recipe in recipes]
        return categorical, recipes, sequence

    def _forget(self) -> None:
        """Drop what an earlier fit left: nothing of it may decide."""
        for name in [n for n in vars(self) if n.endswith("_") or n == "_nested_pools"]:
            delattr(self, name)

    def _options(self, categorical) -> dict[str, Any]:
        scaler = SCALERS[self.scaling]() if self.scaling else None
        return {
            "scaler": scaler,
            "categorical": categorical,
            "bootstrap": self._bootstrap(),
            "n_jobs": self.n_jobs,
        }

    def _ranked(self, combiner: Any, n_rows: int) -> Any:
        """Return the combiner, its weights set if it weighs members by what is known of them."""
        if not hasattr(combiner, "rank"):
            return combiner
        members = self.pool_.members
        complexity = rotation_complexity([m.n_nodes for m in members], [m.depth for m in members], n_rows)
        # With bags of the pool's own, a forest's out-of-bag rows are copies of rows it has seen.
        error = self.oob_errors_ if self._bootstrap() else [m.oob_error for m in members]
        unrotated = [k for k, m in enumerate(members) if m.view is None]
        return clone(combiner).rank(complexity, error, unrotated[0] if unrotated else None)

    def _blocks(self, n_rows: int, n_outputs: int) -> Iterator[slice]:
        step = max(1, _BLOCK // (len(self.families_) * n_outputs))
        return (slice(start, start + step) for start in range(0, n_rows, step))

    def _sum_out_of_bag(
        self, X: NDArray, n_outputs: int, loss: Callable[[NDArray, NDArray[np.intp]], float]
    ) -> tuple[dict[str, NDArray[np.float64]], dict[str, NDArray[np.float64]]]:
        """Sum up what the members of each family say of rows out of their bags; set ``oob_errors_``.

        `loss` takes what a member says of some rows and their numbers.
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
                said = member.outputs(numeric[rows], other[rows])
                self.oob_errors_[k] = loss(said, rows)
                sums[name][rows] += said
                counts[name][rows] += 1
        return sums, counts

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.scaling is not None
        return tags


def means(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
    """Return sums over counts; NaN where nothing was counted."""
    seen = counts[:, None] > 0
    return np.divide(sums, counts[:, None], out=np.full(sums.shape, np.nan), where=seen)


def _apportion(total: int, shares: list[float]) -> list[int]:
    """Divide `total` in proportion to `shares` by largest remainders; the sum is exact."""
    if not shares or min(shares) < 0 or sum(shares) <= 0:
        raise ValueError(f"shares of views must be at least 0 with a positive sum, got {shares}")
    exact = np.asarray(shares, dtype=float) / sum(shares) * total
    counts = np.floor(exact).astype(int)
    for k in np.argsort(counts - exact, kind="stable")[: total - counts.sum()]:
        counts[k] += 1
    return counts.tolist()
