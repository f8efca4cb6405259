"""Fold groups of a data set."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from rotastack.data.artifacts import Prepared, write_frame
from rotastack.errors import RotastackError
from rotastack.resampling.folds import fold_groups
from rotastack.seeds import child, root_sequence
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.names import label
from rotastack.workflow.tracking.records import Record


def draw(job: Job, data: Prepared, record: Record) -> None:
    """Write output ``folds``: a column for each fold group, and a row for each row of the data set."""
    spec = job.slice
    sequence = child(root_sequence(spec["seed"]), "folds", spec["dataset"])
    try:
        groups = fold_groups(data.strata, spec["fold_groups"], spec["folds"], sequence)
    except RotastackError as error:
        raise RotastackError(f"{spec['dataset']}: {error}") from None
    counts = np.bincount(data.strata)
    record.warnings = [
        f"class {name!r} has {count} rows, fewer than the {spec['folds']} folds; "
        "training sets without the class give its probability as 0"
        for name, count in zip(data.classes, counts, strict=False)
        if count < spec["folds"]
    ]
    names = [label("FG", g) for g in range(len(groups))]
    write_frame(job.output("folds"), pd.DataFrame(groups.T, columns=names))
    record.metrics = {"smallest_class": int(counts.min())} if data.classes else {}


def tested(column: np.ndarray) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield masks of the test rows and the training rows of each fold of a fold group."""
    for fold in range(int(column.max()) + 1):
        yield column == fold, column != fold
