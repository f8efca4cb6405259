"""The general estimators: any view, any base learner, any combiner."""

from collections.abc import Iterator
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, _fit_context, clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from sklearn.utils._param_validation import HasMethods, Interval, StrOptions
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from rotastack.combine.nested import combine_nested, level_one_inputs
from rotastack.combine.rotation_weights import rotation_complexity
from rotastack.combine.voting import Voting
from rotastack.ensembles.nested import nested_outputs
from rotastack.ensembles.pool import Pool, Recipe, fit_pool
from rotastack.ensembles.table import categorical_mask, checked_scales, input_rules
from rotastack.resampling.folds import fold_groups
from rotastack.resampling.nested import nested_pairs
from rotastack.seeds import child, root_sequence
from rotastack.views.scaling import SCALERS

__all__ = ["PooledEnsembleClassifier", "PooledEnsembleRegressor"]

_BLOCK = 2**22  # floats of member outputs held at once in predict


class _PooledEnsemble(BaseEstimator):
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
        categorical = categorical_mask(self.categorical_features, X.shape[1])
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

    def _each_out_of_bag(self, X: NDArray) -> Iterator[tuple[NDArray, NDArray[np.intp]]]:
        """Yield what each member says of the rows it has out of bag, and which these are."""
        numeric, other = self.pool_.scaled(X)
        for member in self.pool_.members:
            assert member.out_of_bag is not None
            rows = np.flatnonzero(member.out_of_bag)
            yield (member.outputs(numeric[rows], other[rows]) if len(rows) else np.empty((0, 1))), rows

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.scaling is not None
        return tags


class PooledEnsembleClassifier(ClassifierMixin, _PooledEnsemble):
    """An ensemble whose members each look at the data through a view of their own.

    A combiner that is not trained (:class:`~rotastack.combine.Voting`) decides from members
    trained on all rows. One that is trained (:class:`~rotastack.combine.Stacking`) learns in
    nested cross-validation: for each pair of `cv` folds a pool is trained without both, so
    that level 1 never sees outputs for rows its members were trained on. The decision is
    then the mean over the `cv` cross-validated models, or with `refit` that of members and
    combiner trained on all rows.

    Parameters
    ----------
    view : transformer, list of (name, transformer, share), or None
        Each member gets a clone with a seed of its own. A list mixes families of views:
        the members are divided among them in proportion to the shares. None, in either
        place, is the identity.
    estimator : scikit-learn classifier or None
        Base learner; None is a decision tree.
    combiner : Voting, Stacking or None
        None is soft voting.
    n_estimators : int, default=10
        Number of members.
    scaling : {"minmax", "quantile", "rank"} or None, default="minmax"
        Scaler of the numeric columns, which also replaces missing values by the training
        median. With None the data are taken as they are.
    categorical_features : array-like of int or bool, or None
        Columns (0/1 dummies) that are neither scaled nor seen through a view.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement; gives out-of-bag attributes.
    cv : int, default=5
        Folds of the nested cross-validation of a trained combiner, at least 3.
    refit : bool, default=False
        Decide by members and combiner trained on all rows; see above.
    n_jobs : int or None
        Threads over members. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        Members trained on all rows (not with a trained combiner, unless `refit`).
    families_ : list of str of length n_estimators
        Name of the family of each member.
    combiners_ : list
        The fitted combiners: one, or one per fold.
    folds_, oof_proba_ : ndarray of shape (n_rows,), (n_rows, n_classes)
        With a trained combiner: the fold of each row, and its probabilities by the model
        that has not seen this fold.
    oob_proba_ : ndarray of shape (n_rows, n_classes)
        With `bootstrap`, for members trained on all rows: mean over the members that have a row out of bag; NaN if none has.
    oob_score_, oob_errors_ : float, ndarray of shape (n_estimators,)
        With `bootstrap`: accuracy of `oob_proba_`, and the error of each member out of bag.
    oob_family_errors_ : dict
        With `bootstrap`: family name -> error of the family's mean out of bag.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, sections 1.5 and 3.3.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from rotastack import PooledEnsembleClassifier
    >>> from rotastack.views import RandomRotation
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = PooledEnsembleClassifier(RandomRotation(), n_estimators=20, random_state=0).fit(X, y)
    >>> clf.predict(X[:2])
    array([0, 0])
    """

    _parameter_constraints: ClassVar[dict] = {
        "view": [HasMethods(["fit", "transform"]), list, None],
        "estimator": [HasMethods(["fit", "predict"]), None],
        "combiner": [HasMethods(["predict_proba"]), None],
        "n_estimators": [Interval(Integral, 1, None, closed="left")],
        "scaling": [StrOptions(set(SCALERS)), None],
        "categorical_features": ["array-like", None],
        "bootstrap": ["boolean"],
        "cv": [Interval(Integral, 3, None, closed="left")],
        "refit": ["boolean"],
        "n_jobs": [Integral, None],
    }

    def __init__(
        self,
        view: Any = None,
        estimator: Any = None,
        combiner: Any = None,
        n_estimators: int = 10,
        *,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        cv: int = 5,
        refit: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.view = view
        self.estimator = estimator
        self.combiner = combiner
        self.n_estimators = n_estimators
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.bootstrap = bootstrap
        self.cv = cv
        self.refit = refit
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _base_learner(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Train members and combiner.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Fewer than two classes, a continuous target, infinite values (or, without
            scaling, missing ones), or too few rows for the folds.
        """
        self._forget()
        X, y = validate_data(self, X, y, **input_rules(self.scaling))
        y = column_or_1d(y, warn=True)
        check_classification_targets(y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise ValueError(f"y holds one class only ({self.classes_[0]!r}); at least 2 classes are needed")
        categorical, recipes, sequence = self._begin(X)
        combiner = self._combiner()
        training, combining = child(sequence, "train"), child(sequence, "combine")
        if not getattr(combiner, "trained", False):
            self._train(X, codes, recipes, categorical, training)
            self.combiners_ = [self._ranked(combiner, len(codes))]
            return self
        if self.refit:
            self._train(X, codes, recipes, categorical, training)
        folds = fold_groups(codes, 1, self.cv, child(sequence, "folds"))[0]
        self._train_nested(X, codes, recipes, combiner, folds, categorical, training, combining)
        return self

    def _train(self, X, codes, recipes, categorical, sequence) -> None:
        """Train the members on all rows."""
        n_classes = len(self.classes_)
        self.pool_ = fit_pool(X, codes, n_classes, recipes, sequence, **self._options(categorical))
        self._describe_out_of_bag(X, codes)

    def _train_nested(self, X, codes, recipes, combiner, folds, categorical, training, combining) -> None:
        """Train members and combiner in nested cross-validation: a cell of the workflow.

        The members of folds (a, b) are seeded by ``child(training, a, b)``, the combiner of
        outer fold h by ``child(combining, h)``.
        """
        n_classes = len(self.classes_)
        # The folds held out, "a-b" -> pool: text, as model files keep no other keys.
        pools: dict[str, Pool] = {}

        def keep(pair: tuple[int, int], pool: Pool) -> None:
            pools[f"{pair[0]}-{pair[1]}"] = pool

        pairs = [(a, b) for a, b in nested_pairs(int(folds.max()) + 1) if self.refit or a < b]
        outputs = nested_outputs(
            X, codes, n_classes, folds, pairs, recipes, training,
            on_pool=keep, keep=True, **self._options(categorical),
        )  # fmt: skip
        self.folds_ = folds
        self.oof_proba_, self.combiners_ = combine_nested(combiner, outputs, folds, codes, combining)
        if self.refit:
            held_out = np.empty_like(outputs[0])
            for fold in range(len(outputs)):
                held_out[:, folds == fold] = outputs[fold][:, folds == fold]
            self.combiners_ = [clone(combiner).fit(held_out, codes, n_classes, child(combining, "refit"))]
        else:
            self._nested_pools = pools

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return class probabilities.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self, "combiners_")
        X = validate_data(self, X, reset=False, **input_rules(self.scaling))
        proba = np.concatenate([self._decide(X[rows]) for rows in self._blocks(len(X), len(self.classes_))])
        return proba / proba.sum(axis=1, keepdims=True)

    def predict(self, X: ArrayLike) -> NDArray:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        best = self.predict_proba(X).argmax(axis=1)
        return self.classes_[best]

    def _decide(self, X):
        if hasattr(self, "pool_"):
            return self.combiners_[0].predict_proba(self.pool_.outputs(X, self.n_jobs))
        n_folds = len(self.combiners_)
        outputs = {pair: pool.outputs(X, self.n_jobs) for pair, pool in self._nested_pools.items()}
        decisions = []
        for h, combiner in enumerate(self.combiners_):
            seen = [outputs[f"{min(a, h)}-{max(a, h)}"] if a != h else None for a in range(n_folds)]
            decisions.append(combiner.predict_proba(level_one_inputs(seen, h)))
        return np.mean(decisions, axis=0)

    def _describe_out_of_bag(self, X, codes):
        if not self._bootstrap():
            return
        names = list(dict.fromkeys(self.families_))
        sums = {name: np.zeros((len(codes), len(self.classes_))) for name in names}
        counts = {name: np.zeros(len(codes)) for name in names}
        self.oob_errors_ = np.full(len(self.families_), np.nan)
        for k, (said, rows) in enumerate(self._each_out_of_bag(X)):
            if len(rows):
                self.oob_errors_[k] = np.mean(said.argmax(axis=1) != codes[rows])
                sums[self.families_[k]][rows] += said
                counts[self.families_[k]][rows] += 1
        self.oob_family_errors_ = {n: _error(sums[n], counts[n], codes) for n in sums}
        total, seen = sum(sums.values()), sum(counts.values())
        self.oob_score_ = 1 - _error(total, seen, codes)
        self.oob_proba_ = _means(total, seen)


class PooledEnsembleRegressor(RegressorMixin, _PooledEnsemble):
    """A regression ensemble whose members each look at the data through a view of their own.

    Parameters
    ----------
    view : transformer, list of (name, transformer, share), or None
        As in :class:`PooledEnsembleClassifier`.
    estimator : scikit-learn regressor or None
        Base learner; None is a regression tree.
    combiner : combiner that is not trained, or None
        None is the mean; :class:`~rotastack.combine.RotationWeights` a weighted one.
    n_estimators : int, default=10
        Number of members.
    scaling : {"minmax", "quantile", "rank"} or None, default="minmax"
        Scaler of the numeric columns, which also replaces missing values by the training
        median. With None the data are taken as they are.
    categorical_features : array-like of int or bool, or None
        Columns (0/1 dummies) that are neither scaled nor seen through a view.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement; gives out-of-bag attributes.
    n_jobs : int or None
        Threads over members. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    pool_ : Pool
    families_ : list of str of length n_estimators
        Name of the family of each member.
    oob_prediction_ : ndarray of shape (n_rows,)
        With `bootstrap`: mean over the members that have a row out of bag; NaN if none has.
    oob_score_, oob_errors_ : float, ndarray of shape (n_estimators,)
        With `bootstrap`: R^2 of `oob_prediction_`, and the squared error of each member out of bag.
    oob_family_errors_ : dict
        With `bootstrap`: family name -> squared error of the family's mean out of bag.

    References
    ----------
    Blaser, R. Doctoral thesis on random rotation ensembles, section 1.6.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from rotastack import PooledEnsembleRegressor
    >>> from rotastack.views import RandomRotation
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = PooledEnsembleRegressor(RandomRotation(), n_estimators=50, bootstrap=True, random_state=0)
    >>> reg.fit(X, y).oob_score_ > 0.3
    True
    """

    _parameter_constraints: ClassVar[dict] = {
        name: PooledEnsembleClassifier._parameter_constraints[name]
        for name in (
            "view", "estimator", "combiner", "n_estimators", "scaling", "categorical_features", "bootstrap", "n_jobs",
        )
    }  # fmt: skip

    def __init__(
        self,
        view: Any = None,
        estimator: Any = None,
        combiner: Any = None,
        n_estimators: int = 10,
        *,
        scaling: str | None = "minmax",
        categorical_features: ArrayLike | None = None,
        bootstrap: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        self.view = view
        self.estimator = estimator
        self.combiner = combiner
        self.n_estimators = n_estimators
        self.scaling = scaling
        self.categorical_features = categorical_features
        self.bootstrap = bootstrap
        self.n_jobs = n_jobs
        self.random_state = random_state

    def _base_learner(self) -> Any:
        return DecisionTreeRegressor() if self.estimator is None else self.estimator

    @_fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike):
        """Train the members.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)

        Returns
        -------
        self

        Raises
        ------
        ValueError
            A combiner that is trained, or infinite values (or, without scaling, missing ones).
        """
        self._forget()
        X, y = validate_data(self, X, y, y_numeric=True, **input_rules(self.scaling))
        target = column_or_1d(y, warn=True).astype(np.float64)
        combiner = self._combiner()
        if getattr(combiner, "trained", False):
            raise ValueError(f"a regression pool takes combiners that are not trained, got {combiner!r}")
        categorical, recipes, sequence = self._begin(X)
        training = child(sequence, "train")
        self.pool_ = fit_pool(X, target, None, recipes, training, **self._options(categorical))
        self._describe_out_of_bag(X, target)
        self.combiner_ = self._ranked(combiner, len(target))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the combined prediction of the members.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self, "combiner_")
        X = validate_data(self, X, reset=False, **input_rules(self.scaling))
        parts = [
            self.combiner_.predict_proba(self.pool_.outputs(X[rows], self.n_jobs))
            for rows in self._blocks(len(X), 1)
        ]
        return np.concatenate(parts)[:, 0]

    def _describe_out_of_bag(self, X, target):
        if not self._bootstrap():
            return
        names = list(dict.fromkeys(self.families_))
        sums = {name: np.zeros((len(target), 1)) for name in names}
        counts = {name: np.zeros(len(target)) for name in names}
        self.oob_errors_ = np.full(len(self.families_), np.nan)
        for k, (said, rows) in enumerate(self._each_out_of_bag(X)):
            if len(rows):
                self.oob_errors_[k] = np.mean((said[:, 0] - target[rows]) ** 2)
                sums[self.families_[k]][rows] += said
                counts[self.families_[k]][rows] += 1
        means = {name: _means(sums[name], counts[name])[:, 0] for name in names}
        self.oob_family_errors_ = {n: float(np.nanmean((m - target) ** 2)) for n, m in means.items()}
        total, seen = sum(sums.values()), sum(counts.values())
        self.oob_prediction_ = _means(total, seen)[:, 0]
        known = seen > 0
        spread = np.sum((target[known] - target[known].mean()) ** 2) if known.any() else 0.0
        loss = np.sum((target[known] - self.oob_prediction_[known]) ** 2)
        self.oob_score_ = float(1 - loss / spread) if spread > 0 else float("nan")


def _error(sums, counts, codes) -> float:
    known = counts > 0
    return float(np.mean(sums[known].argmax(axis=1) != codes[known])) if known.any() else float("nan")


def _means(sums: NDArray, counts: NDArray) -> NDArray[np.float64]:
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
