"""Base class of the classifiers that train members on many linear views of the same rows at once."""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data

from rotastack.base.classes import LabelClassifier
from rotastack.base.columns import refuse_missing_target

__all__ = ["Inducer", "Members", "apply_view", "view_matrix"]


@dataclass
class Members:
    """The fitted members of a pool. They are not trees, so sizes and out-of-bag errors are NaN.

    Attributes
    ----------
    fitted : sequence
        One object for each member, in the form that ``inducer._outputs`` takes.
    inducer : Inducer
    n_classes, n_members : int
    held_out : ndarray of float32 of shape (n_sets, n_members, n_rows, n_classes)
        Outputs of each member for the rows outside its training set; 0 for the training rows.
    """

    fitted: list[Any]
    inducer: "Inducer"
    n_classes: int
    held_out: NDArray[np.float32]
    n_members: int

    def _unknown(self) -> NDArray[np.float64]:
        return np.full((max(len(self.held_out), 1), self.n_members), np.nan)

    n_nodes = depth = oob_error = property(_unknown)

    def take(self, members: NDArray[np.intp]) -> "Members":
        """Return the members with the numbers `members`, in this order."""
        fitted = [self.fitted[m] for m in members]
        return Members(fitted, self.inducer, self.n_classes, self.held_out[:, members], len(members))

    def outputs(self, X: NDArray[np.float32], n_jobs: int | None = None) -> NDArray[np.float32]:
        """Return the class probabilities of all members, shape (n_members, n_rows, n_classes)."""
        return np.stack([self.inducer._outputs(member, X, self.n_classes) for member in self.fitted])


class Inducer(LabelClassifier, BaseEstimator):
    """A classifier that trains members on many linear views of the same rows at low cost."""

    @abstractmethod
    def _shared(self, X: NDArray[np.float64], y: NDArray[np.intp], n_classes: int) -> Any:
        """Return the training rows in the form that all members use; called once for all members."""

    @abstractmethod
    def _member(self, shared: Any, V: NDArray[np.float64] | None) -> Any:
        """Return a member trained on the view ``X @ V``; None is the identity."""

    @abstractmethod
    def _outputs(self, member: Any, X: NDArray[np.floating], n_classes: int) -> NDArray[np.float32]:
        """Return class probabilities, shape (n_rows, n_classes)."""

    def grow_members(
        self,
        X: NDArray[np.float32],
        y: NDArray[np.integer],
        n_classes: int,
        parts: Iterable[Sequence[tuple[NDArray, NDArray | None]]],
        sequences: Sequence[np.random.SeedSequence],
        *,
        training: NDArray[np.bool_] | None = None,
        keep: bool = True,
        n_jobs: int | None = None,
    ) -> Members:
        """Train a member on each linear view, for one or several training sets.

        Parameters
        ----------
        X, y, n_classes, parts, sequences, training, keep, n_jobs
            As in :meth:`rotastack.trees.ForestClassifier.grow_members`; training has no random choices.
        """
        n_sets, n_rows = len(sequences), X.shape[1]
        matrices = [view_matrix(view, X.shape[2]) for view in parts]
        held = np.zeros((n_sets, len(matrices), n_rows if training is not None else 0, n_classes), np.float32)
        fitted: list[Any] = []
        for s in range(n_sets):
            rows = X[s if len(X) > 1 else 0]
            chosen = np.ones(n_rows, dtype=bool) if training is None else training[s]
            shared = self._shared(rows[chosen].astype(np.float64), y[chosen], n_classes)
            fitted = [self._member(shared, V) for V in matrices]
            if training is not None:
                for m, member in enumerate(fitted):
                    held[s, m, ~chosen] = self._outputs(member, rows[~chosen], n_classes)
        return Members(fitted if keep else [], self, n_classes, held, len(matrices))

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Train one member on the columns without a view.

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
            Missing or infinite values; a continuous or missing target.
        """
        refuse_missing_target(y)
        X, y = validate_data(self, X, y, dtype=np.float64)
        codes = self._numbered(y, least=1)
        shared = self._shared(X, codes, len(self.classes_))
        self.member_ = self._member(shared, None)
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        check_is_fitted(self)
        X = validate_data(self, X, reset=False, dtype=np.float64)
        return self._outputs(self.member_, X, len(self.classes_)).astype(np.float64)


def apply_view(X: NDArray[np.float64], V: NDArray[np.float64] | None) -> NDArray[np.float64]:
    """Return ``X @ V``, or X if V is None."""
    return X if V is None else X @ V


def view_matrix(parts: Sequence[tuple[NDArray, NDArray | None]], n_features: int) -> NDArray[np.float64]:
    """Return the matrix of a linear view; each part is column numbers and the matrix that maps them, or None."""
    blocks = []
    for columns, matrix in parts:
        block = np.zeros((n_features, len(columns) if matrix is None else matrix.shape[1]))
        block[columns] = np.eye(len(columns)) if matrix is None else matrix
        blocks.append(block)
    return np.hstack(blocks)
