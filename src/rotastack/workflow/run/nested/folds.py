"""Fold groups of a data set."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from rotastack.data.artifacts import Prepared
from rotastack.errors import RotastackError
from rotastack.resampling.folds import fold_groups
from rotastack.seeds import child, root_sequence
from rotastack.workflow.study.names import label
from rotastack.workflow.study.specs import FoldGroupsSpec


def draw(spec: FoldGroupsSpec, table: Prepared) -> pd.DataFrame:
    """Return a column of folds for each fold group, and a row for each row of the data set."""
    sequence = child(root_sequence(spec.seed), "folds", spec.dataset)
    try:
        groups = fold_groups(table.strata, spec.fold_groups, spec.folds, sequence)
    except RotastackError as error:
        raise RotastackError(f"{spec.dataset}: {error}") from None
    return pd.DataFrame(groups.T, columns=[label("FG", g) for g in range(len(groups))])


def masks(column: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield masks of the test rows and the training rows of each fold of a fold group."""
    for fold in range(int(column.max()) + 1):
        yield column == fold, column != fold
