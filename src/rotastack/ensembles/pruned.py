"""Any ensemble of classifiers, pruned."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.base.classes import LabelClassifier
from rotastack.base.columns import refuse_missing_target
from rotastack.base.fitting import check_takes_weights
from rotastack.base.row_weights import row_weights, uneven
from rotastack.base.scikit import HasMethods, Interval, StrOptions, fit_context, num_samples
from rotastack.combine.pruning.orientation import OrientationPruner
from rotastack.combine.pruning.pruner import Pruner
from rotastack.ensembles.voters import voters_of
from rotastack.seeds import child, integer_seed, root_sequence

__all__ = ["PrunedEnsembleClassifier"]


class PrunedEnsembleClassifier(MetaEstimatorMixin, LabelClassifier, BaseEstimator):
    """Train an ensemble, choose some of its members, and let only these vote.

    Parameters
    ----------
    estimator : ensemble classifier or None, default=None
        One with fitted members in ``estimators_`` (scikit-learn's forests, bagging, AdaBoost, voting), or
        one of ours. It is cloned and fitted; wrap one that is fitted already in
        ``sklearn.frozen.FrozenEstimator``. None is a random forest.
    pruner : pruner or None, default=None
        See :mod:`rotastack.combine.pruning`. None is ``OrientationPruner()``.
    selection : {"train", "oob"} or float, default="oob"
        The rows by whose votes members are chosen: those of training, where fully grown trees are
        always right; the same, each member voting only on rows out of its bag; or this share of the
        rows, held out of training.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the ensemble, and of the rows held out.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pruner_ : fitted pruner
        With its ``status_``, ``order_``, ``curve_`` and others, if it has them.
    selected_ : ndarray of int of shape (n_selected,)
        Numbers of the members kept, in the order of choice.
    weights_ : ndarray of shape (n_members,)
    n_members_ : int
        Members before pruning.
    voters_ : ForestVoters, PoolVoters or ListVoters
        The members kept; the others are let go.

    References
    ----------
    Hu, Q. et al. (2014). Exploiting diversity for optimizing margin distribution in ensemble
    learning. Martinez, W. (2022). Ensemble pruning via margin maximization.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.ensemble import RandomForestClassifier
    >>> from rotastack import PrunedEnsembleClassifier
    >>> from rotastack.combine.pruning import KappaPruner
    >>> X, y = load_iris(return_X_y=True)
    >>> forest = RandomForestClassifier(50)
    >>> clf = PrunedEnsembleClassifier(forest, KappaPruner(n_select=9), random_state=0).fit(X, y)
    >>> clf.n_members_, len(clf.selected_), clf.score(X, y) > 0.95
    (50, 9, True)
    """

    _parameter_constraints: ClassVar[dict] = {
        "estimator": [HasMethods(["fit", "predict"]), None],
        "pruner": [HasMethods(["fit", "combine"]), None],
        "selection": [StrOptions({"train", "oob"}), Interval(Real, 0.0, 1.0, closed="neither")],
    }

    def __init__(
        self, estimator: Any = None, pruner: Pruner | None = None, selection: str | float = "oob", random_state=None
    ):
        self.estimator = estimator
        self.pruner = pruner
        self.selection = selection
        self.random_state = random_state

    @fit_context(prefer_skip_nested_validation=False)
    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train the ensemble and prune it.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional
            At least 0; rows of weight 0 are left out. The ensemble is trained with them, and must take them; members are
            chosen by all rows that have one alike.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Weights that the ensemble does not take, no ensemble of classifiers, out-of-bag rows of one without a bootstrap, one class only,
            a missing target, or more members wanted than there are.
        """
        refuse_missing_target(y)
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
        codes = self._numbered(y)
        weights = row_weights(X, y, sample_weight)
        if weights is not None and not weights.all():
            there = np.flatnonzero(weights)
            X, y, codes, weights = X[there], y[there], codes[there], weights[there]
        weights = uneven(weights)
        sequence = root_sequence(self.random_state)
        train = rows = np.arange(num_samples(X))
        if isinstance(self.selection, Real):
            train, rows = self._held_out(codes, child(sequence, "selection"))
        ensemble = self._seeded(child(sequence, "ensemble"))
        if weights is None:
            ensemble.fit(X[train], y[train])
        else:
            check_takes_weights(ensemble)
            ensemble.fit(X[train], y[train], sample_weight=weights[train])
        voters = voters_of(ensemble)
        votes = np.asarray(voters.votes(X[rows]), dtype=np.int16)
        if len(ensemble.classes_) < len(self.classes_):  # a class of one row, held out
            votes = np.searchsorted(self.classes_, ensemble.classes_)[votes].astype(np.int16)
        if self.selection == "oob":
            try:
                votes = np.where(voters.out_of_bag(len(rows)), votes, np.int16(-1))
            except ValueError as error:
                raise ValueError(
                    f"selection='oob' needs members with out-of-bag rows, but of {type(ensemble).__name__}: {error}"
                ) from None
        pruner: Any = OrientationPruner() if self.pruner is None else self.pruner
        self.pruner_ = clone(pruner).fit(votes, codes[rows], weights=voters.weights(), classes=self.classes_)
        self.n_members_ = len(voters)
        self.selected_, self.weights_ = self.pruner_.selected_, self.pruner_.weights_
        self.voters_ = voters.take(self.selected_)
        self._numbers = np.searchsorted(self.classes_, ensemble.classes_)
        return self

    def _seeded(self, sequence: np.random.SeedSequence) -> Any:
        ensemble = clone(RandomForestClassifier() if self.estimator is None else self.estimator)
        if self.random_state is not None and "random_state" in ensemble.get_params():
            ensemble.set_params(random_state=integer_seed(sequence))
        return ensemble

    def _held_out(self, codes, sequence):
        """Return the rows to train on and those to choose by, with about equal shares of classes."""
        everyone = np.arange(len(codes))
        seed = integer_seed(sequence)
        split = {"test_size": self.selection, "random_state": seed}
        try:
            return train_test_split(everyone, stratify=codes, **split)
        except ValueError:  # a class of a single row, or fewer rows than classes
            return train_test_split(everyone, **split)

    def member_votes(self, X: ArrayLike) -> NDArray:
        """Return the class that every member kept votes for, (row, member), in the order of choice."""
        check_is_fitted(self, "voters_")
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        return self.classes_[self._numbers[self.voters_.votes(X)]]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Return the share of the members' weight that votes for each class.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self, "voters_")
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        return self.pruner_.kept_shares(self._numbers[self.voters_.votes(X)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        ensemble = RandomForestClassifier() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = get_tags(ensemble).input_tags.allow_nan
        return tags
