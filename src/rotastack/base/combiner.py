"""The base class of combiners, and the attributes by which a pool distinguishes them."""

from typing import ClassVar

from sklearn.base import BaseEstimator

__all__ = ["Combiner"]


class Combiner(BaseEstimator):
    """An object that turns the outputs of a pool's members into one decision; the base of all combiners.

    The class attributes state what a combiner is fitted to. A combiner with all of them False, such as
    :class:`~rotastack.combine.Voting`, is not fitted: its ``predict_proba`` decides from the outputs alone.

    Attributes
    ----------
    trained : bool
        ``fit(outputs, y, n_classes, sequence)`` trains the combiner on outputs for rows that the members have not
        seen. A combiner that supports weights of rows also has the keyword ``sample_weight``.
    weighs_families : bool
        In a pool with bags, the combiner is trained on the out-of-bag mean of each family, not on members' outputs.
    ranks : bool
        ``rank(complexity, oob_error)`` sets the weights, from the tree sizes and the out-of-bag errors of the members.
    prunes : bool
        ``fit(votes, y)`` chooses the members that the combiner keeps.
    """

    trained: ClassVar[bool] = False
    weighs_families: ClassVar[bool] = False
    ranks: ClassVar[bool] = False
    prunes: ClassVar[bool] = False
