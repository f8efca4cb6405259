"""A pool: the ordered members trained on one training set."""

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

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
from rotastack.base.outputs import check_numbers
from rotastack.base.view import Part, is_fixed, is_linear
from rotastack.base.warned import ignoring
from rotastack.diagnostics.complexity import oob_error, tree_complexity
from rotastack.ensembles.table import scaled_columns
from rotastack.seeds import child
from rotastack.trees.bags import member_bag
from rotastack.trees.estimators import MembersClassifier
from rotastack.trees.growing import TrainingRows
from rotastack.trees.members import GrownMembers
from rotastack.views.linear import DrawnView


class PoolOptions(NamedTuple):
    """How the members of a pool are trained, whatever their recipes."""

    scaler: Any = None  # is cloned and fitted to the numeric columns
    categorical: NDArray[np.bool_] | None = None  # columns that skip the scaler and the views; None: all do
    bootstrap: bool = False  # train each member on rows drawn with replacement, and store its out-of-bag rows
    intervals: bool = False  # of a regression, see `FittedRegressor` and `fit_regressor` in rotastack.base.fitting
    moves: bool = False
    n_jobs: int | None = None


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
    model: AlignedClassifier | FittedRegressor | None  # None if `grown` of the pool has all members
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
    grown: GrownMembers | None = None  # if one call trained all members
    predict_seconds: NDArray[np.float64] = field(init=False, default_factory=lambda: np.zeros(1))

    def outputs(self, X: NDArray[np.floating], n_jobs: int | None = None) -> NDArray[np.float32]:
        """Return class probabilities (member, row, class) or predictions (member, row, 1); threads over members."""
        numeric, other = self.scaled(X)
        if self.grown is not None:
            start = time.perf_counter()
            out = self.grown.outputs(_joined(numeric, other), n_jobs)
            self.predict_seconds = np.full(len(self.members), (time.perf_counter() - start) / len(self.members))
            return out

        def one(member):
            start = time.perf_counter()
            out = member.outputs(numeric, other)
            check_numbers(out, type(member.model.estimator).__name__, self.n_classes)
            return out, time.perf_counter() - start

        results = Parallel(n_jobs=n_jobs, prefer="threads")(delayed(one)(m) for m in self.members)
        self.predict_seconds = np.array([seconds for _, seconds in results])
        return np.stack([out for out, _ in results])

    def take(self, members: NDArray[np.intp]) -> "Pool":
        """Return a pool of the members with the numbers `members`, in this order."""
        chosen = [self.members[m] for m in members]
        grown = None if self.grown is None else self.grown.take(members)
        return Pool(chosen, self.scaler, self.categorical, self.n_classes, grown)

    def scaled(self, X: NDArray[np.floating]) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return the scaled numeric columns and the categorical columns; all columns if `categorical` is None."""
        if self.categorical is None:
            return X, X[:, :0]
        return scaled_columns(X, self.categorical, self.scaler)


def unfitted_pool(X: NDArray, n_classes: int | None, options: PoolOptions) -> Pool:
    """Return a pool without members; its scaler is fitted to the numeric columns of `X`."""
    scaler, categorical = options.scaler, options.categorical
    if scaler is not None and categorical is not None and not categorical.all():
        scaler = clone(scaler).fit(X[:, ~categorical])
    return Pool([], scaler, categorical, n_classes)


def fit_pool(
    rows: TrainingRows,
    recipes: Sequence[Recipe],
    options: PoolOptions,
    sequence: np.random.SeedSequence,
    views: np.random.SeedSequence | None = None,
) -> Pool:
    """Train the members of a pool, and return the pool.

    Member k is seeded by ``child(sequence, k)``, so the result does not depend on the number of threads. Its view is
    seeded by ``child(views, k)``, so pools with the same `views` draw equal views. Estimators with the method
    ``grow_members`` train all members on linear views in one call, seeded by `sequence`; the time is then divided
    equally among the members.

    A fitted view (``RandomRotation.from_matrix``) is used unchanged; any other view is cloned, seeded and fitted on the
    member's rows. With weights, rows are drawn by weight if there is a bootstrap or the estimator takes no weights;
    other estimators get the weights. Scaler and views weigh all rows alike.
    """
    views = child(sequence, "views") if views is None else views
    pool = unfitted_pool(rows.X, rows.n_classes, options)
    numeric, other = pool.scaled(rows.X)
    if grows_together(recipes, rows, options):
        start = time.perf_counter()
        kept: list[Any] = []

        def parts() -> Iterator[list[Part]]:
            for view, mine in linear_views(recipes, numeric, rows.target, other.shape[1], views):
                kept.append(view)
                yield mine

        seen = replace(rows, X=_joined(numeric, other)[None])
        pool.grown = recipes[0].estimator.grow_members(seen, parts(), [sequence], n_jobs=options.n_jobs)
        pool.members = members_of(pool.grown, 0, kept, time.perf_counter() - start, numeric.shape[1])
        return pool
    pool.members = Parallel(n_jobs=options.n_jobs, prefer="threads")(
        delayed(_fitted_member)(recipe, rows, numeric, other, options, child(sequence, k), child(views, k))
        for k, recipe in enumerate(recipes)
    )
    return pool


def _fitted_member(
    recipe: Recipe,
    rows: TrainingRows,
    numeric: NDArray,
    other: NDArray,
    options: PoolOptions,
    sequence: np.random.SeedSequence,
    view_sequence: np.random.SeedSequence,
) -> Member:
    """Fit the view and the estimator of a member to the scaled columns of the rows, or of a bag of these."""
    mine: Any = slice(None)
    out_of_bag, weights = None, rows.weights
    if options.bootstrap or (weights is not None and not has_fit_parameter(recipe.estimator, "sample_weight")):
        mine, weights = member_bag(sequence, len(rows.target), weights), None
    if options.bootstrap:
        out_of_bag = np.ones(len(rows.target), dtype=bool)
        out_of_bag[mine] = False
    start, y = time.perf_counter(), rows.target[mine]
    view = _fitted_view(recipe.view, numeric[mine], y, view_sequence)
    in_view = _columns_of(view, numeric[mine], other[mine])
    estimator = set_up_columns(recipe.estimator, in_view.shape[1] - other.shape[1], other.shape[1])
    with ignoring("Some inputs do not have OOB scores"):  # of few trees: rows that are in all bags
        model: Any
        if rows.n_classes is None:
            model = fit_regressor(estimator, in_view, y, sequence, weights, options.intervals, options.moves)
        else:
            model = fit_aligned(estimator, in_view, y, rows.n_classes, sequence, weights)
    seconds = time.perf_counter() - start
    counts = tree_complexity(model.estimator)
    n_nodes, depth = (np.median(counts["n_nodes"]), np.mean(counts["depth"])) if counts else (np.nan, np.nan)
    error = oob_error(model.estimator, model.own_target(y))
    return Member(view, model, seconds, float(n_nodes), float(depth), error, out_of_bag)


def grows_together(recipes: Sequence[Recipe], rows: TrainingRows, options: PoolOptions) -> bool:
    """Return whether one call of ``grow_members`` can train all members."""
    if rows.n_classes is None or options.bootstrap or rows.weights is not None:
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
) -> Iterator[tuple[Any, list[Part]]]:
    """Yield for each member the view that it keeps, and its training columns as linear parts: columns and matrix.

    A view that is drawn from its seed is kept unfitted, because the trees have its numbers.
    """
    n_numeric = numeric.shape[1]
    others = np.arange(n_numeric, n_numeric + n_other)
    for k, recipe in enumerate(recipes):
        view = _fitted_view(recipe.view, numeric, y, child(sequence, k))
        if view is None or not n_numeric:
            yield view, [(np.arange(n_numeric + n_other), None)]
        else:
            yield clone(view) if _is_redrawn(view) else view, [*view.linear_parts(), (others, None)]


def members_of(
    grown: GrownMembers, training: int, views: Sequence[Any], seconds: float, n_numeric: int
) -> list[Member]:
    """Return the members of training set number `training`; their fitted estimators stay in `grown`."""
    facts = zip(views, grown.n_nodes[training], grown.depth[training], grown.oob_error[training], strict=True)
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
