"""Votes and subsets of the members of a fitted ensemble of rotastack or scikit-learn, for pruning."""

import copy
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils import gen_batches
from sklearn.utils.validation import check_array, check_is_fitted


class Voters(ABC):
    """The members of a fitted ensemble and their votes."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of members."""

    @abstractmethod
    def votes(self, X: Any) -> NDArray[np.integer]:
        """Return the class number that each member votes for, shape (n_rows, n_members)."""

    @abstractmethod
    def outputs(self, X: Any) -> NDArray[np.float64]:
        """Return the class probabilities of each member, shape (n_members, n_rows, n_classes)."""

    def weights(self) -> NDArray[np.float64] | None:
        """Return the members' weights; None if all are equal."""
        return None

    @abstractmethod
    def out_of_bag(self, n_rows: int) -> NDArray[np.bool_]:
        """Return the mask of the training rows that each member was not trained on, shape (n_rows, n_members).

        A ValueError if the ensemble does not store its members' training rows, or has no out-of-bag rows.
        """

    @abstractmethod
    def take(self, members: NDArray[np.intp]) -> "Voters":
        """Return an object of the members with the numbers `members`, in this order."""


def has_forest(ensemble: Any) -> bool:
    """Return whether an ensemble is one of rotastack whose members are trees of the compiled kernel."""
    return hasattr(ensemble, "forest_") and hasattr(ensemble, "_checked")


@dataclass(frozen=True)
class ForestVoters(Voters):
    """The trees of a rotastack forest."""

    estimator: Any  # fitted, with ``forest_``
    tree_weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.estimator.forest_)

    def votes(self, X):
        return self.estimator.forest_.votes(self.estimator._checked(X), self.estimator.n_jobs)

    def outputs(self, X):
        return self.estimator.forest_.outputs(self.estimator._checked(X), self.estimator.n_jobs)

    def weights(self):
        return self.tree_weights

    def out_of_bag(self, n_rows):
        return self.estimator.forest_.out_of_bag(n_rows)

    def take(self, members):
        fewer = copy.copy(self.estimator)
        fewer.forest_ = fewer.forest_.take(members).compact()
        for name in ("oob_decision_function_", "oob_score_", "estimator_weights_"):
            vars(fewer).pop(name, None)  # these describe the full ensemble
        return ForestVoters(fewer)


@dataclass(frozen=True)
class PoolVoters(Voters):
    """The members of a rotastack pool, trained on all rows."""

    estimator: Any  # a fitted PooledEnsembleClassifier

    def __len__(self) -> int:
        return len(self.estimator.pool_.members)

    def votes(self, X):
        return self.estimator._votes(self.estimator._table(X))

    def outputs(self, X):
        return self.estimator.pool_.outputs(self.estimator._table(X), self.estimator.n_jobs)

    def out_of_bag(self, n_rows):
        left_out = [m.out_of_bag for m in self.estimator.pool_.members]
        if any(rows is None for rows in left_out):
            raise ValueError("a member has no bootstrap sample of its own")
        return np.stack(left_out, axis=1)

    def take(self, members):
        fewer = copy.copy(self.estimator)
        fewer.pool_ = fewer.pool_.take(members)
        return PoolVoters(fewer)


@dataclass(frozen=True)
class ListVoters(Voters):
    """A list of fitted classifiers, as in scikit-learn's ensembles."""

    members: list[Any]
    columns: list[NDArray] | None  # that each member was trained on; None is all columns
    codes: list[NDArray[np.intp]]  # for each member, the class number of each of its classes
    member_weights: NDArray[np.float64] | None = None
    samples: list[NDArray] | None = None  # training rows of each member; None if the ensemble does not store them

    def __len__(self) -> int:
        return len(self.members)

    def votes(self, X):
        rows = np.asarray(X)
        narrow = None
        if any(isinstance(member, DecisionTreeClassifier) for member in self.members):
            narrow = check_array(rows, dtype=np.float32, ensure_all_finite="allow-nan")
        out = np.empty((len(rows), len(self)), dtype=np.int32)
        for k, (member, codes) in enumerate(zip(self.members, self.codes, strict=True)):
            columns = slice(None) if self.columns is None else self.columns[k]
            if isinstance(member, DecisionTreeClassifier):  # the checks of predict would take most of the time
                assert narrow is not None
                voted = member.tree_.predict(np.ascontiguousarray(narrow[:, columns])).argmax(axis=1)
            else:
                voted = np.searchsorted(member.classes_, member.predict(rows[:, columns]))
            out[:, k] = codes[voted]
        return out

    def outputs(self, X):
        out = np.zeros((len(self), len(X), 1 + max(codes.max() for codes in self.codes)))
        for k, (member, codes) in enumerate(zip(self.members, self.codes, strict=True)):
            out[k][:, codes] = member.predict_proba(X if self.columns is None else X[:, self.columns[k]])
        return out

    def weights(self):
        return self.member_weights

    def out_of_bag(self, n_rows):
        if self.samples is None:
            raise ValueError("the training rows of the members are unknown")
        out = np.ones((n_rows, len(self)), dtype=bool)
        for k, rows in enumerate(self.samples):
            out[rows, k] = False
        if not out.any():
            raise ValueError("the members were trained on all rows")
        return out

    def take(self, members):
        return ListVoters(
            [self.members[m] for m in members],
            None if self.columns is None else [self.columns[m] for m in members],
            [self.codes[m] for m in members],
            None if self.member_weights is None else self.member_weights[members],
        )


def voters_of(ensemble: Any) -> Voters:
    """Return the members of a fitted ensemble of classifiers.

    The members of other ensembles than rotastack's are read from the attributes of scikit-learn's ensembles. Only
    ``estimators_`` is required.
    """
    while isinstance(ensemble, FrozenEstimator):
        ensemble = ensemble.estimator
    name = type(ensemble).__name__
    if not is_classifier(ensemble):
        raise ValueError(f"{name} is not a classifier; pruning needs members with votes")
    check_is_fitted(ensemble)
    weights = getattr(ensemble, "estimator_weights_", None)
    if has_forest(ensemble):
        return ForestVoters(ensemble, weights)
    if hasattr(ensemble, "combiners_") and hasattr(ensemble, "member_votes"):
        if len(ensemble.combiners_) > 1:
            raise ValueError(f"{name} has a trained combiner; set refit=True for a single pool of members")
        return PoolVoters(ensemble)
    members = getattr(ensemble, "estimators_", None)
    if members is None:
        raise ValueError(f"{name} is not an ensemble: attribute estimators_ is missing")
    members = list(np.asarray(members, dtype=object).ravel()) if isinstance(members, np.ndarray) else list(members)
    for member in members:
        if not is_classifier(member):
            raise ValueError(
                f"the members of {name} are {type(member).__name__}, not classifiers; pruning needs members with votes"
            )
    if weights is None:
        weights = getattr(ensemble, "_weights_not_none", None)  # VotingClassifier has only this attribute
    return ListVoters(
        members,
        getattr(ensemble, "estimators_features_", None),
        _class_numbers(ensemble, members),
        None if weights is None else np.asarray(weights, dtype=np.float64)[: len(members)],
        getattr(ensemble, "estimators_samples_", None) if getattr(ensemble, "bootstrap", False) else None,
    )


def own_out_of_bag(ensemble: Any, voters: Voters, X: NDArray) -> NDArray[np.bool_]:
    """Return ``voters.out_of_bag`` of a fitted ensemble; a ValueError if `X` are not its training rows.

    They are if the members' out-of-bag probabilities of `X` are those that the ensemble has stored in training.
    """
    remedy = "or leave out selection to prune by all given rows"
    known = getattr(ensemble, "oob_decision_function_", None)
    if known is None:
        raise ValueError(f"the fitted ensemble has no oob_decision_function_; train it with oob_score=True, {remedy}")
    other = f"the {len(X)} rows are not its training rows; pass the training rows, {remedy}"
    if len(known) != len(X):
        raise ValueError(other)
    unseen = voters.out_of_bag(len(X))
    for rows in gen_batches(len(X), 256):
        mine = unseen[rows].T[:, :, None]
        means = (voters.outputs(X[rows]) * mine).sum(axis=0) / np.maximum(mine.sum(axis=0), 1)
        if not np.allclose(means, np.nan_to_num(known[rows])):
            raise ValueError(other)
    return unseen


def _class_numbers(ensemble, members):
    """Return the class number of each class of each member; ensembles train members on labels or on numbers."""
    member_classes = getattr(ensemble, "estimators_classes_", None)
    if member_classes is not None:
        return member_classes
    classes, distinct = ensemble.classes_, np.unique(np.concatenate([m.classes_ for m in members]))
    encoding = (BaggingClassifier, RandomForestClassifier, ExtraTreesClassifier, VotingClassifier)
    labels = distinct.dtype.kind == classes.dtype.kind or distinct.dtype.kind not in "iuf"
    if not isinstance(ensemble, encoding) and labels and np.isin(distinct, classes).all():
        return [np.searchsorted(classes, m.classes_) for m in members]
    return [m.classes_.astype(np.intp) for m in members]
