"""folds_holdout: draw the splits of a data set: random ones, or those of a cross-validation."""

import warnings

import numpy as np
import pandas as pd

from rotastack.errors import RotastackError
from rotastack.resampling.folds import fold_groups
from rotastack.resampling.holdout import repeated_holdout
from rotastack.seeds import child, root_sequence
from rotastack.study.artifacts import read_frame, write_frame
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Read input ``table``, write output ``folds``: a column per repeat, 0 for test rows and 1 for training rows."""
    spec = job.spec
    with job.recorded() as record, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        frame, about = read_frame(job.input("table"))
        y = frame["target"].to_numpy()
        columns = frame.columns.drop("target")[about["categorical"]]
        sequence = child(root_sequence(spec["seed"]), "folds", spec["dataset"])
        try:
            if spec["kind"] == "crossval":
                groups = fold_groups(y, spec["repeats"], spec["folds"], sequence)
                test = np.concatenate([group == np.arange(spec["folds"])[:, None] for group in groups])
            else:
                test = repeated_holdout(
                    y,
                    spec["repeats"],
                    spec["train"],
                    sequence,
                    levels=_levels(frame[columns], about["owners"]) if len(columns) else None,
                )
        except RotastackError as error:
            raise RotastackError(f"{spec['dataset']}: {error}") from None
        names = [f"R-{r + 1:02d}" for r in range(len(test))]
        write_frame(job.output("folds"), pd.DataFrame((~test).T.astype(np.int8), columns=names))
        record.warnings = [str(w.message) for w in caught if issubclass(w.category, UserWarning)]
        record.metrics = {"training_rows": int((~test[0]).sum()), "test_rows": int(test[0].sum())}


def _levels(dummies: pd.DataFrame, owners: list[str]) -> np.ndarray:
    """Return the level number of each row in each categorical column; `owners` are those of the dummies."""
    columns = []
    for owner in dict.fromkeys(owners):
        mine = dummies.loc[:, [o == owner for o in owners]].to_numpy()
        columns.append(np.where(mine.any(axis=1), mine.argmax(axis=1) + 1, 0))
    return np.stack(columns, axis=1)
