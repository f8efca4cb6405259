"""Votes of the members of a fitted ensemble, ours or scikit-learn's, and subsets of the members: for pruning."""

import copy
from dataclasses import dataclass, replace
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.ensemble import BaggingClassifier, ExtraTreesClassifier, RandomForestClassifier, VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.validation import check_array, check_is_fitted

__all__ = ["ForestVoters", "ListVoters", "PoolVoters", "Voters", "voters_of"]


class Voters(Protocol):
    """Members of a fitted ensemble, and their votes."""

    def __len__(self) -> int:
        """Return the number of members."""

    def votes(self, X: Any) -> NDArray[np.integer]:
        """Return the class number that each member votes for, (row, member)."""

    def weights(self) -> NDArray[np.float64] | None:
        """Return the members' weights; None if all are equal."""

    def out_of_bag(self, n_rows: int) -> NDArray[np.bool_]:
        """Return which training rows each member was not trained on, (row, member).

        Raises
        ------
        ValueError
            That is not known.
        """

    def take(self, members: NDArray[np.intp]) -> "Voters":
        """Return some of the members, in the order given; the others are let go."""


@runtime_checkable
class HasForest(Protocol):
    """An ensemble of ours whose members are trees of the compiled kernel."""

    forest_: Any
    n_jobs: int | None

    def _checked(self, X: Any) -> Any: ...


@runtime_checkable
class HasPool(Protocol):
    """An ensemble of ours over a pool."""

    families_: list[str]
    combiners_: list[Any]

    def member_votes(self, X: Any) -> NDArray[np.intp]: ...


@dataclass(frozen=True)
class ForestVoters(Voters):
    """The trees of one of our forests.

    Attributes
    ----------
    estimator : fitted estimator with ``forest_``
    tree_weights : ndarray of shape (n_trees,), or None
    """

    estimator: Any
    tree_weights: NDArray[np.float64] | None = None

    def __len__(self) -> int:
        return len(self.estimator.forest_)

    def votes(self, X):
        return self.estimator.forest_.votes(self.estimator._checked(X), self.estimator.n_jobs)

    def weights(self):
        return self.tree_weights

    def out_of_bag(self, n_rows):
        return self.estimator.forest_.out_of_bag(n_rows)

    def take(self, members):
        fewer = copy.copy(self.estimator)
        fewer.forest_ = fewer.forest_.take(members).compact()
        for name in ("oob_decision_function_", "oob_score_", "estimator_weights_"):
            vars(fewer).pop(name, None)  # of the whole ensemble
        return ForestVoters(fewer)


@dataclass(frozen=True)
class PoolVoters(Voters):
    """The members of one of our pools.

    Attributes
    ----------
    estimator : fitted PooledEnsembleClassifier
        With members trained on all rows.
    """

    estimator: Any

    def __len__(self) -> int:
        return len(self.estimator.pool_.members)

    def votes(self, X):
        return self.estimator.member_votes(X)

    def weights(self):
        return None

    def out_of_bag(self, n_rows):
        left_out = [m.out_of_bag for m in self.estimator.pool_.members]
        if any(rows is None for rows in left_out):
            raise ValueError("it was trained without a bootstrap of its own")
        return np.stack(left_out, axis=1)

    def take(self, members):
        fewer = copy.copy(self.estimator)
        fewer.pool_ = fewer.pool_.take(members)
        return PoolVoters(fewer)


@dataclass(frozen=True)
class ListVoters(Voters):
    """Fitted classifiers, as scikit-learn's ensembles keep them.

    Attributes
    ----------
    members : list of fitted classifiers
    columns : list of ndarray, or None
        Which columns each is trained on; None is all of them.
    codes : list of ndarray
        The class number of each of a member's classes.
    member_weights : ndarray of shape (n_members,), or None
    samples : list of ndarray, or None
        Training rows of each; None where that is not known.
    """

    members: list[Any]
    columns: list[NDArray] | None
    codes: list[NDArray[np.intp]]
    member_weights: NDArray[np.float64] | None = None
    samples: list[NDArray] | None = None

    def __len__(self) -> int:
        return len(self.members)

    def votes(self, X):
        rows = np.asarray(X)
        narrow = None
        if any(isinstance(member, DecisionTreeClassifier) for member in self.members):
            narrow = check_array(rows, dtype=np.float32, ensure_all_finite="allow-nan")
        out = np.empty((len(rows), len(self)), dtype=np.int16)
        for k, (member, codes) in enumerate(zip(self.members, self.codes, strict=True)):
            columns = slice(None) if self.columns is None else self.columns[k]
            if isinstance(member, DecisionTreeClassifier):  # without the checks that take most of the time
                assert narrow is not None
                found = member.tree_.predict(np.ascontiguousarray(narrow[:, columns])).argmax(axis=1)
            else:
                found = np.searchsorted(member.classes_, member.predict(rows[:, columns]))
            out[:, k] = codes[found]
        return out

    def weights(self):
        return self.member_weights

    def out_of_bag(self, n_rows):
        if self.samples is None:
            raise ValueError("it does not say which rows its members were trained on")
        out = np.ones((n_rows, len(self)), dtype=bool)
        for k, rows in enumerate(self.samples):
            out[rows, k] = False
        if not out.any():
            raise ValueError("its members were trained on all rows")
        return out

    def take(self, members):
        def some(values: Any) -> Any:
            return None if values is None else [values[m] for m in members]

        return replace(
            self, members=some(self.members), columns=some(self.columns), codes=some(self.codes),
            member_weights=None if self.member_weights is None else self.member_weights[members],
            samples=None,
        )  # fmt: skip


def voters_of(ensemble: Any) -> Voters:
    """Return the members of a fitted ensemble of classifiers.

    Those of ensembles that are not ours are found by the attributes that scikit-learn's have, each of which any of
    them may lack.

    Raises
    ------
    ValueError
        No classifier, no ensemble, or one whose members are no classifiers.
    """
    while isinstance(ensemble, FrozenEstimator):
        ensemble = ensemble.estimator
    name = type(ensemble).__name__
    if not is_classifier(ensemble):
        raise ValueError(f"{name} is no classifier: members of a regressor have no votes to prune")
    check_is_fitted(ensemble)
    weights = getattr(ensemble, "estimator_weights_", None)
    if isinstance(ensemble, HasForest):
        return ForestVoters(ensemble, weights)
    if isinstance(ensemble, HasPool):
        if len(ensemble.combiners_) > 1:
            raise ValueError(f"{name} has no single pool of members: its combiner is trained; use refit=True")
        return PoolVoters(ensemble)
    members = getattr(ensemble, "estimators_", None)
    if members is None:
        raise ValueError(f"{name} has no members (no attribute estimators_); it is no ensemble")
    members = list(np.asarray(members, dtype=object).ravel()) if isinstance(members, np.ndarray) else list(members)
    for member in members:
        if not is_classifier(member):
            raise ValueError(
                f"the members of {name} are no classifiers but of type {type(member).__name__}: "
                "they have no votes to prune"
            )
    if weights is None:
        weights = getattr(ensemble, "_weights_not_none", None)  # of VotingClassifier
    return ListVoters(
        members,
        getattr(ensemble, "estimators_features_", None),
        _class_numbers(ensemble, members),
        None if weights is None else np.asarray(weights, dtype=np.float64)[: len(members)],
        _samples(ensemble),
    )


def _class_numbers(ensemble, members):
    """Return the class number of each class of each member; ensembles hand on labels or numbers."""
    own = getattr(ensemble, "estimators_classes_", None)
    if own is not None:
        return own
    classes = ensemble.classes_
    if isinstance(ensemble, (BaggingClassifier, RandomForestClassifier, ExtraTreesClassifier, VotingClassifier)):
        return [m.classes_.astype(np.intp) for m in members]
    known = np.unique(np.concatenate([m.classes_ for m in members]))
    labels = known.dtype.kind == classes.dtype.kind or known.dtype.kind not in "iuf"
    if labels and np.isin(known, classes).all():
        return [np.searchsorted(classes, m.classes_) for m in members]
    return [m.classes_.astype(np.intp) for m in members]


def _samples(ensemble):
    """Return the training rows of each member, if a bootstrap was drawn and can be had."""
    if not getattr(ensemble, "bootstrap", False):
        return None
    return getattr(ensemble, "estimators_samples_", None)
