"""The base class of combiners, and of the members that a combiner may ask about."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator


class Members:
    """The members of a pool, in the questions that a combiner may ask; a pool answers those that it can."""

    def complexity_and_error(self) -> tuple[ArrayLike, ArrayLike, int | None]:
        """Return each member's complexity and out-of-bag error, and the number of the unrotated member, if any."""
        raise ValueError("the combiner needs the complexity of each member")

    def votes(self) -> tuple[NDArray[np.intp], NDArray[np.intp], int]:
        """Return votes (row, member) on training rows, -1 for rows in a member's bag; class numbers; n_classes."""
        raise ValueError("the combiner needs votes for classes")

    def family_outputs(self) -> tuple[NDArray, NDArray, int, np.random.SeedSequence, NDArray | None]:
        """Return the arguments of ``fit`` for the families' out-of-bag means: outputs, classes, seed, row weights."""
        raise ValueError("the combiner needs out-of-bag outputs")

    def keep(self, chosen: NDArray[np.intp]) -> None:
        """Delete all members but the chosen ones."""


class Combiner(BaseEstimator):
    """An object that turns the outputs of a pool's members into one decision; the base of all combiners.

    A combiner has a method ``predict_proba(outputs)``. A subclass that only needs outputs overrides nothing else. If its
    attribute `trained` is True, ``fit(outputs, y, n_classes, sequence)`` trains it on outputs for rows that the members
    have not seen, with the keyword ``sample_weight`` if it supports weights of rows.
    """

    trained: bool = False

    def _is_nested(self, bagged: bool) -> bool:
        """Return whether nested cross-validation trains the combiner; `bagged`: the members have out-of-bag rows."""
        return self.trained

    def _fit_to(self, members: Members) -> Self:
        """Return the combiner, fitted to what it asks of members that were trained on all rows."""
        return self

    def _decide(self, outputs: NDArray, families: Sequence[str]) -> Any:
        """Return the decision from the outputs of the kept members; `families` names the family of each member."""
        return self.predict_proba(outputs)
