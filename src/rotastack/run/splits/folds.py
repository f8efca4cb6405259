"""Splits of a data set: random ones, or those of a cross-validation."""

from collections.abc import Iterator

import numpy as np
import pandas as pd

from rotastack.data.artifacts import Prepared, write_frame
from rotastack.errors import RotastackError
from rotastack.resampling.folds import fold_groups
from rotastack.resampling.holdout import repeated_holdout
from rotastack.run.job import Job
from rotastack.seeds import child, root_sequence
from rotastack.study.names import label
from rotastack.tracking.records import Record


def draw(job: Job, data: Prepared, record: Record) -> None:
    """Write output ``folds``: a column per split, 0 for test rows and 1 for training rows."""
    spec = job.slice
    y = data.strata
    sequence = child(root_sequence(spec["seed"]), "folds", spec["dataset"])
    try:
        if spec["kind"] == "crossval":
            groups = fold_groups(y, spec["repeats"], spec["folds"], sequence)
            test = np.concatenate([group == np.arange(spec["folds"])[:, None] for group in groups])
        else:
            test = repeated_holdout(
                y, spec["repeats"], spec["train"], sequence, levels=data.codes if data.codes.shape[1] else None
            )
    except RotastackError as error:
        raise RotastackError(f"{spec['dataset']}: {error}") from None
    names = [label("S", s) for s in range(len(test))]
    write_frame(job.output("folds"), pd.DataFrame((~test).T.astype(np.int8), columns=names))
    record.metrics = {"training_rows": int((~test[0]).sum()), "test_rows": int(test[0].sum())}


def tested(column: np.ndarray) -> Iterator[np.ndarray]:
    """Yield masks of the rows that are tested together, by what is trained on all others: those of the split."""
    yield column == 0
