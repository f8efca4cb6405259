"""Condense finished studies of the papers to small tables, from which their pages of evidence are computed.

DATA_MIRROR=FOLDER rotastack run STUDY
python benchmarks/papers.py results/STUDY ...

Of each study docs/evidence/data/papers gets STUDY.csv, a row for each data set, method and measure: its mean over splits, the
standard error of that mean and the number of splits. The last row has the seconds of processor time of all steps.
Where the source has printed results, STUDY.published.csv has its cells beside ours, as the study's report shows them.
"""

import shutil
import sys
from pathlib import Path

import pandas as pd

from rotastack.files import read_json

OUT = Path(__file__).resolve().parents[1] / "docs/evidence/data/papers"
AXES = ("dataset", "method", "split", "rotation_group", "fold_group")
LEFT_OUT = ("balanced_accuracy", "roc_auc", "average_precision", "f1", "log_loss", "brier")
"""Scores that no paper prints."""


def condensed(folder: Path) -> pd.DataFrame:
    """Return the means of a finished study, one row for each data set, method and measure."""
    scores = pd.read_parquet(folder / "scores.parquet")
    measures = [name for name in scores if name not in (*AXES, *LEFT_OUT)]
    rows = scores.melt(["dataset", "method"], measures, "metric", "value").dropna(subset="value")
    means = rows.groupby(["dataset", "method", "metric"], sort=False)["value"].agg(["mean", "sem", "size"])
    means = means.set_axis(["mean", "standard_error", "splits"], axis=1).reset_index()
    seconds = sum(read_json(file)["processor_seconds"] for file in folder.rglob("*.run.json"))
    means.loc[len(means)] = ["all", "all", "processor_seconds", seconds, None, len(scores)]
    return means


def main(folders: list[str]) -> None:
    """Write the tables of each study."""
    OUT.mkdir(exist_ok=True)
    for folder in map(Path, folders):
        condensed(folder).to_csv(OUT / f"{folder.name}.csv", index=False, float_format="%.6g", lineterminator="\n")
        printed = folder / "tables/published.csv"
        if printed.is_file():
            shutil.copy(printed, OUT / f"{folder.name}.published.csv")


if __name__ == "__main__":
    main(sys.argv[1:])
