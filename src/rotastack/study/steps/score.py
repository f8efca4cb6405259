"""score: the scores of all methods on a data set, cell by cell."""

import pandas as pd

from rotastack.stats.scores import score_probabilities
from rotastack.study.artifacts import read_arrays, read_prepared, write_frame
from rotastack.study.job import Job


def run(job: Job) -> None:
    """Read inputs ``table`` and ``methods``, write output ``scores``."""
    data = read_prepared(job.input("table"))
    with job.recorded() as record:
        rows = []
        for path in job.inputs["methods"]:
            arrays = read_arrays(path)
            if arrays.attrs["status"] != "ok":
                record.warnings.append(f"method {arrays.attrs['method']} failed: {arrays.attrs['message']}")
            facts = [n for n in arrays.data_vars if arrays[n].dims == ("rotation_group", "fold_group")]
            for i, rotation_group in enumerate(arrays.rotation_group.values):
                for j, fold_group in enumerate(arrays.fold_group.values):
                    y, proba = data.y, arrays["proba"].values[i, j]
                    if "rows" in arrays:
                        tested = arrays["rows"].values[j]
                        y, proba = data.y[tested[tested >= 0]], proba[tested >= 0]
                    scores = score_probabilities(y, proba)
                    scores |= {str(name): float(arrays[name].values[i, j]) for name in facts}
                    rows.append(
                        {
                            "dataset": job.about["dataset"],
                            "method": arrays.attrs["method"],
                            "rotation_group": str(rotation_group),
                            "fold_group": str(fold_group),
                            **scores,
                        }
                    )
        frame = pd.DataFrame(rows)
        write_frame(job.output("scores"), frame)
        record.metrics = {"mean_error": frame.groupby("method")["error"].mean().to_dict()}
