"""Facts of a class that a study needs before training: whether it rotates columns, and its number of trees.

Classes of Rotastack have the attribute ``study_facts``. Facts of other classes are in :mod:`rotastack.workflow.study.catalogue`.
"""

from typing import NamedTuple

__all__ = ["Facts"]


class Facts(NamedTuple):
    """Facts of an estimator class or a view class.

    Attributes
    ----------
    rotates : bool
        The members see rotated columns. The verdict of a study compares a method that rotates with the same one that does not.
    rotated_families : tuple of str
        Names of the flagship's families on rotated columns; without them it does not rotate.
    is_drawn : bool
        The view depends on a seed and the number of columns alone: nested cross-validation draws it before training.
    trees : tuple of str
        Parameters whose product is the number of trees, or of trees in each family; empty for `n_estimators`.
    n_trees : int
        Number of trees if the parameters do not determine it.
    families : int
        Number of families of the flagship at its defaults, without boosted families and categorical columns; else 0.
    """

    rotates: bool = False
    rotated_families: tuple[str, ...] = ()
    is_drawn: bool = False
    trees: tuple[str, ...] = ()
    n_trees: int = 100
    families: int = 0
