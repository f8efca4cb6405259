"""A pool: the ordered members trained on one training set."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from rotastack.base.fitting import (
    AlignedClassifier,
    FittedRegressor,
    fit_aligned,
    fit_regressor,
    seeded,
    set_up_columns,
)
from rotastack.base.view import Part, is_fixed, is_linear
from rotastack.base.warned import ignoring
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.ensembles.table import scaled_columns
from rotastack.seeds import child
from rotastack.trees.bags import member_bag
from rotastack.trees.estimators import MembersClassifier
from rotastack.views.linear import DrawnView


@dataclass(frozen=True)
class Recipe:
    """The plan of a member: its unfitted view (None is the identity) and estimator, and the name of its family."""

    view: Any
    estimator: Any
    family: str = "all"


@dataclass
class Member:
    """A fitted (view, estimator) pair, with its training time and size."""

    kept_view: Any  # the fitted view or None; an unfitted view if `n_drawn` is not None
    model: AlignedClassifier | FittedRegressor | None  # None if the pool's `forests` contain all members
    fit_seconds: float
    n_nodes: float  # median number of nodes, mean depth and out-of-bag error of a forest; NaN for other estimators
    depth: float
    oob_error: float
    out_of_bag: NDArray[np.bool_] | None = None  # mask of the training rows that the pool's bootstrap left out
    n_drawn: int | None = None  # number of columns for which `view` draws `kept_view` again at each access

    @property
    def view(self) -> Any:
        """The fitted view; None is the identity."""
        return self.kept_view if self.n_drawn is None else clone(self.kept_view).fit(np.zeros((1, self.n_drawn)))

    def outputs(self, numeric: NDArray[np.float32], other: NDArray[np.float32]) -> NDArray:
        """Return class probabilities (n_rows, n_classes) or predictions (n_rows, 1) for scaled rows."""
        assert self.model is not None
        return self.model.outputs(_columns_of(self.view, numeric, other))


@dataclass
class Pool:
    """The fitted members of an ensemble, with the scaler that they share."""

    members: list[Member]
    scaler: Any  # of the numeric columns, or None
    categorical: NDArray[np.bool_] | None  # columns that skip the scaler and the views; None: members get all unchanged
    n_classes: int | None  # None for a regression
    forests: Any = None  # MemberForests, if one call trained all members
    predict_seconds: NDArray[np.float64] = field(init=False, default_factory=lambda: np.zeros(1))

    def outputs(self, X: NDArray[np.floating], n_jobs: int | None = None) -> NDArray[np.float32]:
        """Return class probabilities (member, row, class) or predictions (member, row, 1); threads over members."""
        numeric, other = self.scaled(X)
        if self.forests is not None:
            start = time.perf_counter()
            out = self.forests.outputs(_joined(numeric, other), n_jobs)
            self.predict_seconds = np.full(len(self.members), (time.perf_counter() - start) / len(self.members))
            return out

        def one(member):
            start = time.perf_counter()
            return member.outputs(numeric, other), time.perf_counter() - start

        results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one)(m) for m in self.members)
        self.predict_seconds = np.array([seconds for _, seconds in results])
        return np.stack([out for out, _ in results])

    def take(self, members: NDArray[np.intp]) -> "Pool":
        """Return a pool of the members with the numbers `members`, in this order."""
        chosen = [self.members[m] for m in members]
        forests = None if self.forests is None else self.forests.take(members)
        return Pool(chosen, self.scaler, self.categorical, self.n_classes, forests)

    def scaled(self, X: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the scaled numeric columns and the categorical columns; all columns if `categorical` is None."""
        if self.categorical is None:
            return X, X[:, :0]
        return scaled_columns(X, self.categorical, self.scaler)


def unfitted_pool(X: NDArray, scaler: Any, categorical: NDArray[np.bool_] | None, n_classes: int | None) -> Pool:
    """Return a pool without members; its scaler is fitted to the numeric columns of `X`."""
    if scaler is not None and categorical is not None and not categorical.all():
        scaler = clone(scaler).fit(X[:, ~categorical])
    return Pool([], scaler, categorical, n_classes)


def fit_pool(
    X: NDArray[np.floating], y: NDArray, n_classes: int | None, recipes: Sequence[Recipe], sequence: np.random.SeedSequence, *,
    scaler: Any = None, categorical: NDArray[np.bool_] | None = None, bootstrap: bool = False, n_jobs: int | None = None,
    views: np.random.SeedSequence | None = None, as_is: bool = False, intervals: bool = False, moves: bool = False,
    weights: NDArray[np.float64] | None = None,
) -> Pool:  # fmt: skip
    """Train the members of a pool, and return the pool.

    Member k is seeded by ``child(sequence, k)``, so the result does not depend on `n_jobs`. Its
    view is seeded by ``child(views, k)``, so pools with the same `views` draw equal views.
    Estimators with the method ``grow_members`` train all members on linear views in one call,
    seeded by `sequence`; the time is then divided equally among the members.

    `y` are class numbers, or numbers for a regression, where `n_classes` is None. A fitted view
    (``RandomRotation.from_matrix``) is used unchanged; any other view is cloned, seeded and fitted on the member's rows.
    The `scaler` is cloned and fitted on the numeric columns. Columns in the mask `categorical` skip the scaler and the
    views. With `as_is`, estimators that take missing values and categories get all columns unchanged, without scaler or
    views. With `bootstrap`, each member is trained on rows drawn with replacement, and its out-of-bag rows are stored.
    `intervals` and `moves` are options of a regression, see :class:`~rotastack.base.fitting.FittedRegressor` and
    ``fit_regressor``. With positive `weights`, rows are drawn by weight if there is a bootstrap or the estimator takes no
    weights; other estimators get the weights. Scaler and views weigh all rows alike.
    """
    views = child(sequence, "views") if views is None else views
    if categorical is None and not as_is:
        categorical = np.zeros(X.shape[1], dtype=bool)
    pool = unfitted_pool(X, scaler, categorical, n_classes)
    numeric, other = pool.scaled(X)
    if grows_together(recipes, n_classes, bootstrap, weights):
        assert n_classes is not None
        start = time.perf_counter()
        kept: list[Any] = []

        def parts() -> Iterator[list[Part]]:
            for view, mine in linear_views(recipes, numeric, y, other.shape[1], views):
                kept.append(view)
                yield mine

        rows = _joined(numeric, other)[None]
        pool.forests = recipes[0].estimator.grow_members(rows, y, n_classes, parts(), [sequence], n_jobs=n_jobs)
        pool.members = members_of(pool.forests, 0, kept, time.perf_counter() - start, numeric.shape[1])
        return pool

    def one(k: int, recipe: Recipe) -> Member:
        seeds = child(sequence, k)
        rows: Any = slice(None)
        out_of_bag = None
        given = weights
        if bootstrap or (weights is not None and not has_fit_parameter(recipe.estimator, "sample_weight")):
            rows, given = member_bag(seeds, len(y), weights), None
        if bootstrap:
            out_of_bag = np.ones(len(y), dtype=bool)
            out_of_bag[rows] = False
        start = time.perf_counter()
        view = _fitted_view(recipe.view, numeric[rows], y[rows], child(views, k))
        in_view = _columns_of(view, numeric[rows], other[rows])
        estimator = set_up_columns(recipe.estimator, in_view.shape[1] - other.shape[1], other.shape[1])
        with ignoring("Some inputs do not have OOB scores"):  # of few trees: rows that are in all bags
            model: Any
            if n_classes is None:
                model = fit_regressor(estimator, in_view, y[rows], seeds, given, intervals, moves)
            else:
                model = fit_aligned(estimator, in_view, y[rows], n_classes, seeds, given)
        seconds = time.perf_counter() - start
        counts = tree_complexity(model.estimator)
        n_nodes, depth = (np.median(counts["n_nodes"]), np.mean(counts["depth"])) if counts else (np.nan, np.nan)
        error = oob_error(model.estimator, model.own_target(y[rows]))
        return Member(view, model, seconds, float(n_nodes), float(depth), error, out_of_bag)

    pool.members = Parallel(n_jobs=n_jobs, prefer="threads")(
        delayed(one)(k, recipe) for k, recipe in enumerate(recipes)
    )
    return pool


def grows_together(recipes: Sequence[Recipe], n_classes: int | None, bootstrap: bool, weights: NDArray | None) -> bool:
    """Return whether one call of ``grow_members`` can train all members."""
    if n_classes is None or bootstrap or weights is not None:
        return False
    estimator = recipes[0].estimator
    return (
        isinstance(estimator, MembersClassifier)
        and estimator.get_params().get("class_weight") is None
        and all(
            r.estimator is estimator
            or (type(r.estimator) is type(estimator) and r.estimator.get_params() == estimator.get_params())
            for r in recipes
        )
        and all(r.view is None or is_linear(r.view) for r in recipes)
    )


def linear_views(
    recipes: Sequence[Recipe], numeric: NDArray[np.float32], y: NDArray, n_other: int, sequence: np.random.SeedSequence
) -> Iterator[tuple[Any, list[Part]]]:  # fmt: skip
    """Yield for each member the view that it keeps, and its training columns as linear parts: columns and matrix.

    A view that is drawn from its seed is kept unfitted, because the forests have its numbers.
    """
    n_numeric = numeric.shape[1]
    others = np.arange(n_numeric, n_numeric + n_other)
    for k, recipe in enumerate(recipes):
        view = _fitted_view(recipe.view, numeric, y, child(sequence, k))
        if view is None or not n_numeric:
            yield view, [(np.arange(n_numeric + n_other), None)]
        else:
            yield clone(view) if _is_redrawn(view) else view, [*view.linear_parts(), (others, None)]


def members_of(forests: Any, training: int, views: Sequence[Any], seconds: float, n_numeric: int) -> list[Member]:
    """Return the members of training set number `training`; their fitted estimators stay in `forests`."""
    facts = zip(views, forests.n_nodes[training], forests.depth[training], forests.oob_error[training], strict=True)
    members = [
        Member(view, None, seconds / len(views), float(nodes), float(depth), float(oob))
        for view, nodes, depth, oob in facts
    ]
    for member in members:
        member.n_drawn = n_numeric if n_numeric and _is_redrawn(member.kept_view) else None
    return members


def _is_redrawn(view: Any) -> bool:
    return isinstance(view, DrawnView) and not is_fixed(view)


def _fitted_view(view, X, y, sequence):
    if view is None or X.shape[1] == 0:
        return view
    if is_fixed(view):
        if view.n_features_in_ != X.shape[1]:
            raise ValueError(
                f"the view was fitted to {view.n_features_in_} columns, but X has {X.shape[1]} numeric columns"
            )
        return view
    return seeded(view, sequence).fit(X, y)


def _columns_of(view, numeric, other):
    """Return the columns that a member is trained on: the view of the numeric columns, then the other columns."""
    if view is not None and numeric.shape[1]:
        numeric = np.asarray(view.transform(numeric), dtype=np.float32)
    return _joined(numeric, other)


def _joined(numeric, other):
    return np.hstack([numeric, other]) if other.shape[1] else numeric
