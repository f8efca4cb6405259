"""Combiners: how a pool tells them apart."""

from typing import ClassVar

from sklearn.base import BaseEstimator

__all__ = ["Combiner"]


class Combiner(BaseEstimator):
    """Turns the outputs of a pool's members into one decision; the base of all combiners.

    Its class attributes state from what it learns before it can decide. A combiner that leaves all of them False,
    such as :class:`~rotastack.combine.Voting`, decides from the outputs alone, by ``predict_proba``.

    Attributes
    ----------
    trained : bool
        It learns by ``fit(outputs, y, n_classes, sequence)`` from outputs for rows that the members have not seen; with a
        keyword ``sample_weight`` it goes with weights of rows.
    weighs_families : bool
        Where a pool has bags, it is trained on the out-of-bag mean of each family in place of the outputs of members.
    ranks : bool
        It weighs members by ``rank(complexity, oob_error)``, the sizes of their trees and their own errors.
    prunes : bool
        It keeps some of the members, chosen by ``fit(votes, y)``.
    """

    trained: ClassVar[bool] = False
    weighs_families: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    prunes: ClassVar[bool] = False
