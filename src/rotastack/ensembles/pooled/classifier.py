"""The general ensemble classifier: any view, any estimator, any combiner."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_regressor
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier
from rotastack.base.combiner import Combiner
from rotastack.base.row_weights import weights_of
from rotastack.combine.nested import combine_nested, fit_weighted, level_one_inputs
from rotastack.ensembles.pooled.nested import held_out_outputs, nested_outputs
from rotastack.ensembles.pooled.pool import Pool
from rotastack.ensembles.pooled.pooled import PooledEnsemble, PoolMembers, Unseen, in_all, means
from rotastack.resampling.folds import nested_pairs
from rotastack.seeds import child


@dataclass
class _ClassMembers(PoolMembers):
    unseen: Unseen | None
    sequence: np.random.SeedSequence
    ensemble: "PooledEnsembleClassifier"

    def votes(self):
        votes = self.ensemble._votes(self.rows.X)
        if self.ensemble.bootstrap:
            votes = np.where(np.stack([m.out_of_bag for m in self.ensemble.pool_.members], axis=1), votes, -1)
        return votes, self.rows.target, self.rows.n_classes

    def family_outputs(self):
        rows, unseen = self.rows, self.unseen or {}
        outputs = [np.nan_to_num(means(*of_family), nan=1 / rows.n_classes) for of_family in unseen.values()]
        return np.stack(outputs), rows.target, rows.n_classes, self.sequence, rows.weights

    def keep(self, chosen):
        self.ensemble.pool_ = self.ensemble.pool_.take(chosen)


class PooledEnsembleClassifier(LabelClassifier, PooledEnsemble):
    """An ensemble classifier with a separate view for each member and a combiner of the members' outputs.

    A combiner without training (:class:`~rotastack.combine.Voting`) uses members trained on all
    rows. A trained combiner (:class:`~rotastack.combine.Stacking`) needs nested cross-validation:
    for each pair of folds a pool is trained without both folds, so the combiner is only trained
    on outputs for rows that the members have not seen. The ensemble predicts the mean over the
    cross-validated models, or, with `refit`, uses members and a combiner trained on all rows.

    Parameters
    ----------
    view : transformer, list of (name, transformer, share), or None
        View, of which each member gets a clone with a different seed. A list mixes families of
        views: the members are divided among the families in proportion to the shares. None, alone
        or as the transformer of a family, is the identity.
    estimator : scikit-learn classifier or None
        Estimator of the members; None is a decision tree.
    combiner : Voting, Stacking, a pruner, any other Combiner, or None
        None is soft voting. With `bootstrap`, :class:`~rotastack.combine.LogLinearWeights` weighs the families of a
        mixed `view` by their out-of-bag outputs; without `bootstrap`, it weighs members by nested cross-validation. A
        pruner compares the members' votes on the training rows, with `bootstrap` on out-of-bag rows. `pool_` contains
        only the kept members.
    n_estimators : int, default=10
        Number of members.
    scaling : {"minmax", "quantile", "rank", "symmetric"} or None, default="minmax"
        Scaler of the numeric columns, fitted to the training rows, which also replaces missing values by medians. With
        None, missing values raise an error.
    categorical_features : array-like of int, bool or str, or None, default=None
        Columns (0/1 dummies), by number, mask or name, that are neither scaled, rotated nor embedded.
    bootstrap : bool, default=False
        Train each member on rows drawn with replacement, and set the out-of-bag attributes.
    cv : int, splitter or iterable of (train, test), default=5
        Folds of the nested cross-validation of a trained combiner: the number of stratified folds, at least 3, drawn
        by `random_state`; a scikit-learn splitter; or pairs of row numbers. Each row must be held out once.
    refit : bool, default=False
        Predict with members and a combiner trained on all rows, instead of the mean over the cross-validated models.
    n_jobs : int or None, default=None
        Threads. The result does not depend on it.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pool_ : Pool
        Members trained on all rows. With a trained combiner, only if `refit`.
    nested_pools_ : dict of str to Pool
        With a trained combiner, only without `refit`: entry "a-b" is the members trained without folds a and b.
    families_ : list of str of length n_estimators
        Name of the family of each member.
    combiners_ : list
        The fitted combiner, or one fitted combiner for each fold.
    folds_, oof_proba_ : ndarray of shape (n_rows,), (n_rows, n_classes)
        With a trained combiner: the fold of each row, and the probabilities of each row from the
        model trained without this fold.
    oob_decision_function_ : ndarray of shape (n_rows, n_classes)
        With `bootstrap` and a `pool_`: mean output over the members that have the row out of bag; NaN if none has.
    oob_score_, oob_errors_ : float, ndarray of shape (n_estimators,)
        With `bootstrap`: accuracy of `oob_decision_function_`, and the out-of-bag error of each member.
    oob_family_errors_ : dict
        With `bootstrap`: for each family name, the out-of-bag error of the mean output of its members.

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

    _parameter_constraints: ClassVar[dict] = {**PooledEnsemble._parameter_constraints, "refit": ["boolean"]}

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
        refit: bool = False,
        n_jobs: int | None = None,
        random_state=None,
    ):
        super().__init__(
            view,
            estimator,
            combiner,
            n_estimators,
            scaling=scaling,
            bootstrap=bootstrap,
            cv=cv,
            categorical_features=categorical_features,
            n_jobs=n_jobs,
            random_state=random_state,
        )
        self.refit = refit

    def _member_estimator(self) -> Any:
        return DecisionTreeClassifier() if self.estimator is None else self.estimator

    def unrotated(self) -> Any:
        """Return the unfitted estimator of the members, without views."""
        return self._member_estimator()

    def _check(self, recipes, combiner):
        if is_regressor(recipes[0].estimator):
            raise ValueError(f"estimator must be a classifier, got {recipes[0].estimator!r}")

    def _combine(self, combiner, rows, unseen, sequence):
        self.combiners_ = [combiner._fit_to(_ClassMembers(self, rows, unseen, sequence))]

    def _pairs(self, folds):
        return [(a, b) for a, b in nested_pairs(int(folds.max()) + 1) if self.refit or a < b]

    def _combine_nested(self, combiner, rows, held_out, recipes, options, training, combining):
        """Train the members and the combiner in nested cross-validation, like a cell of the workflow.

        The members without folds a and b are seeded by ``child(training, a, b)``, the combiner of outer fold h by
        ``child(combining, h)``.
        """
        pools: dict[str, Pool] = {}  # by "a-b", because model files can store only text keys
        outputs = nested_outputs(
            rows,
            held_out,
            recipes,
            options,
            training,
            on_pool=lambda pair, pool: pools.update({f"{pair[0]}-{pair[1]}": pool}),
            keep=True,
        )
        self.folds_ = held_out.folds
        self.oof_proba_, self.combiners_ = combine_nested(
            combiner, outputs, self.folds_, rows.target, combining, weights=rows.weights, without=held_out.without
        )
        if self.refit:
            outputs, seed = held_out_outputs(outputs, self.folds_), child(combining, "refit")
            self.combiners_ = [fit_weighted(clone(combiner), outputs, rows.target, rows.n_classes, seed, rows.weights)]
        else:
            self.nested_pools_ = pools

    def _votes(self, X) -> NDArray[np.intp]:
        return np.concatenate(
            [
                self.pool_.outputs(X[rows], self.n_jobs).argmax(axis=2).T
                for rows in self._blocks(len(X), len(self.classes_))
            ]
        )

    def member_votes(self, X: ArrayLike) -> NDArray:
        """Return the class label that each member votes for.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_members)
            With a pruner as combiner, the votes of the kept members, in the order of choice.
        """
        check_is_fitted(self, "pool_")
        return self.classes_[self._votes(self._table(X))]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self, "combiners_")
        X = self._table(X)
        proba = np.concatenate([self._decide(X[rows]) for rows in self._blocks(len(X), len(self.classes_))])
        return proba / proba.sum(axis=1, keepdims=True)

    def staged_predict_proba(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the mean class probabilities of the first member, of the first two members, and so on.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Yields
        ------
        ndarray of shape (n_rows, n_classes)

        Raises
        ------
        AttributeError
            The estimator has a combiner, so its probabilities are not the mean over members.
        """
        check_is_fitted(self, "combiners_")
        if self.combiner is not None:
            raise AttributeError("staged_predict_proba is for members combined by their mean, without a combiner")
        X = self._table(X)
        blocks = self._blocks(len(X), len(self.classes_))
        outputs = np.concatenate([self.pool_.outputs(X[rows], self.n_jobs) for rows in blocks], axis=1)
        total = np.zeros(outputs.shape[1:])
        for member in outputs:
            total += member
            yield total / total.sum(axis=1, keepdims=True)

    def _decide(self, X):
        n_folds = len(self.combiners_)
        if n_folds == 1:  # one combiner means that `pool_` has members trained on all rows
            return self.combiners_[0]._decide(self.pool_.outputs(X, self.n_jobs), self.families_)
        outputs = {pair: pool.outputs(X, self.n_jobs) for pair, pool in self.nested_pools_.items()}
        decisions = []
        for h, combiner in enumerate(self.combiners_):
            level_0 = [outputs[f"{min(a, h)}-{max(a, h)}"] if a != h else None for a in range(n_folds)]
            decisions.append(combiner.predict_proba(level_one_inputs(level_0, h)))
        return np.mean(decisions, axis=0)

    def _describe(self, rows):
        def error(outputs, mine):
            wrong, weights = outputs.argmax(axis=1) != rows.target[mine], weights_of(rows.weights, mine)
            return float(np.average(wrong, weights=weights)) if len(wrong) else float("nan")

        unseen = self._unseen(rows, error)
        self.oob_family_errors_ = {n: error(sums[counts > 0], counts > 0) for n, (sums, counts) in unseen.items()}
        sums, counts = in_all(unseen)
        self.oob_score_ = 1 - error(sums[counts > 0], counts > 0)
        self.oob_decision_function_ = means(sums, counts)
        return unseen
