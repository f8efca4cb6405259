"""Pruning of any ensemble of classifiers."""

from numbers import Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone
from sklearn.ensemble import RandomForestClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from rotastack.base.classes import LabelClassifier, present_target
from rotastack.base.fitting import check_takes_weights
from rotastack.base.naming import naming_column, validate_data
from rotastack.base.row_weights import relative_weights, row_weights
from rotastack.base.scikit import HasMethods, Interval, StrOptions, fit_context, num_samples
from rotastack.combine.pruning.orientation import OrientationPruner
from rotastack.combine.pruning.pruner import Pruner
from rotastack.ensembles.voters import own_out_of_bag, voters_of
from rotastack.seeds import child, integer_seed, root_sequence

HELD_OUT = 0.25
"""Share of the rows that is held out for members without out-of-bag rows."""


class PrunedEnsembleClassifier(MetaEstimatorMixin, LabelClassifier, BaseEstimator):
    """An ensemble of which only the members chosen by a pruner vote.

    Parameters
    ----------
    estimator : ensemble classifier or None, default=None
        An ensemble of rotastack, or one with fitted members in ``estimators_`` (scikit-learn's forests, bagging,
        AdaBoost, voting). The ensemble is cloned and fitted. To prune a fitted ensemble, wrap it in
        ``sklearn.frozen.FrozenEstimator``. None is a random forest.
    pruner : pruner or None, default=None
        See :mod:`rotastack.combine.pruning`. None is ``OrientationPruner()``.
    selection : {"train", "oob"}, float or None, default=None
        Rows on which the pruner compares the members' votes. "train" is all rows; fully grown trees make no errors on
        their training rows. "oob" is the training rows, where each member votes only on its out-of-bag rows. A number
        is the share of the rows that is held out of training. None is "oob"; of an ensemble whose members have no
        out-of-bag rows, a quarter of the rows is held out, and a fitted ensemble has "train", as it best gets new rows.
    random_state : None, int, SeedSequence, Generator or RandomState
        Seed of the ensemble and of the held-out rows.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    pruner_ : fitted pruner
        Further attributes, such as ``status_``, ``order_`` and ``curve_``, depend on the pruner.
    selected_ : ndarray of int of shape (n_selected,)
        Numbers of the kept members, in the order of choice.
    weights_ : ndarray of shape (n_members,)
    n_members_ : int
        Number of members before pruning.
    voters_ : ForestVoters, PoolVoters or ListVoters
        The kept members; the other members are not stored.

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
        "pruner": [HasMethods(["fit", "kept_shares"]), None],
        "selection": [StrOptions({"train", "oob"}), Interval(Real, 0.0, 1.0, closed="neither"), None],
    }

    def __init__(
        self,
        estimator: Any = None,
        pruner: Pruner | None = None,
        selection: str | float | None = None,
        random_state=None,
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
            Weights of at least 0; rows of weight 0 are left out. The ensemble is trained with the weights and must take
            them. The pruner counts all rows of positive weight alike.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            The estimator is no ensemble of classifiers or takes no weights; "oob" without a bootstrap, or with rows
            that a fitted ensemble was not trained on; a single class; a missing target; or the pruner is to keep more
            members than the ensemble has.
        """
        y = present_target(y)
        given = X
        X, y = validate_data(self, X, y, dtype=None, ensure_all_finite=False)
        codes = self._target(y)[0]
        weights = row_weights(X, y, sample_weight)
        if weights is not None and not weights.all():
            positive = np.flatnonzero(weights)
            X, y, codes, weights = X[positive], y[positive], codes[positive], weights[positive]
        weights = relative_weights(weights)
        sequence, fitted = root_sequence(self.random_state), isinstance(self.estimator, FrozenEstimator)
        selection = self.selection or ("train" if fitted else "oob")
        with naming_column(given):
            ensemble, voters, rows = self._trained(X, y, codes, weights, selection, sequence)
            if self.selection is None and not fitted and not _has_bags(voters, len(rows)):
                selection = HELD_OUT
                ensemble, voters, rows = self._trained(X, y, codes, weights, selection, sequence)
        if not np.isin(ensemble.classes_, self.classes_).all():  # new rows may lack a class of a fitted ensemble
            self.classes_ = np.union1d(self.classes_, ensemble.classes_)
            codes = np.searchsorted(self.classes_, y)
        # The classes differ, too, if the only row of a class is held out.
        numbers = np.searchsorted(self.classes_, ensemble.classes_)
        votes = numbers[voters.votes(X[rows])].astype(np.int32)
        if selection == "oob":
            try:
                unseen = own_out_of_bag(ensemble, voters, X) if fitted else voters.out_of_bag(len(rows))
            except ValueError as error:
                name = type(ensemble.estimator if fitted else ensemble).__name__
                raise ValueError(f"selection='oob' needs members with out-of-bag rows; {name}: {error}") from None
            votes = np.where(unseen, votes, -1)
        pruner: Any = OrientationPruner() if self.pruner is None else self.pruner
        self.pruner_ = clone(pruner).fit(votes, codes[rows], weights=voters.weights(), classes=self.classes_)
        self.n_members_ = len(voters)
        self.selected_, self.weights_ = self.pruner_.selected_, self.pruner_.weights_
        self.voters_ = voters.take(self.selected_)
        self._numbers = numbers
        return self

    def _trained(self, X, y, codes, weights, selection, sequence):
        """Return the trained ensemble, its voters, and the numbers of the rows on which the pruner compares votes."""
        train = rows = np.arange(num_samples(X))
        if isinstance(selection, Real):
            train, rows = _held_out(codes, selection, child(sequence, "selection"))
        ensemble = self._seeded(child(sequence, "ensemble"))
        if weights is not None:
            check_takes_weights(ensemble)
        ensemble.fit(X[train], y[train], **({} if weights is None else {"sample_weight": weights[train]}))
        return ensemble, voters_of(ensemble), rows

    def _seeded(self, sequence: np.random.SeedSequence) -> Any:
        ensemble = clone(RandomForestClassifier() if self.estimator is None else self.estimator)
        if self.random_state is not None and "random_state" in ensemble.get_params():
            ensemble.set_params(random_state=integer_seed(sequence))
        return ensemble

    def member_votes(self, X: ArrayLike) -> NDArray:
        """Return the class label that each kept member votes for, shape (n_rows, n_selected), by order of choice."""
        check_is_fitted(self, "voters_")
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        return self.classes_[self._numbers[self.voters_.votes(X)]]

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self, "voters_")
        X = validate_data(self, X, reset=False, dtype=None, ensure_all_finite=False)
        return self.pruner_.kept_shares(self._numbers[self.voters_.votes(X)])

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        ensemble = RandomForestClassifier() if self.estimator is None else self.estimator
        tags.input_tags.allow_nan = get_tags(ensemble).input_tags.allow_nan
        return tags


def _has_bags(voters: Any, n_rows: int) -> bool:
    try:
        voters.out_of_bag(n_rows)
    except ValueError:
        return False
    return True


def _held_out(codes: NDArray, share: float, sequence: np.random.SeedSequence) -> list[NDArray]:
    """Return the numbers of the training rows and of the held-out rows, stratified by class where possible."""
    rows = np.arange(len(codes))
    split = {"test_size": share, "random_state": integer_seed(sequence)}
    try:
        return train_test_split(rows, stratify=codes, **split)
    except ValueError:  # a class of a single row, or fewer rows than classes, cannot be stratified
        return train_test_split(rows, **split)
