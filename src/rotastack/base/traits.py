"""The tasks, and traits of a class that a study needs before training: whether it rotates columns, its number of trees.

Classes of Rotastack have the attribute ``study_traits``. Traits of other classes are in :mod:`rotastack.workflow.study.catalogue`.
"""

from typing import Literal, NamedTuple

TaskName = Literal["classification", "regression"]


class Traits(NamedTuple):
    """Traits of an estimator class or a view class.

    A class `rotates` if its members see rotated columns; the verdict of a study compares a method that rotates with the same
    one that does not. The flagship rotates with one of its `rotated_families`. The number of trees, or of trees in each
    family, is the product of the parameters `trees`, `n_estimators` if empty, or else `n_trees`. `families` is the number
    of the flagship's families at its defaults, without boosted families and categorical columns; else 0.
    """

    rotates: bool = False
    rotated_families: tuple[str, ...] = ()
    trees: tuple[str, ...] = ()
    n_trees: int = 100
    families: int = 0
