"""Compare the scores of two result folders, study by study: python benchmarks/compare_scores.py BEFORE AFTER.

Both folders contain ``<study>/scores.parquet``. Cells are matched by their numbers, so files of the first edition, with
splits as fold groups R-01, can be compared. The program prints a line for each study, and exits with 1 if a score differs
in any bit.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd


def cells(path: Path) -> pd.DataFrame:
    """Return the scores with one row per data set, method and cell."""
    scores = pd.read_parquet(path)
    if "split" not in scores and scores["fold_group"].str.startswith("R-").all():
        scores["split"] = "S" + scores["fold_group"].str[1:]
        scores = scores.drop(columns=["rotation_group", "fold_group"])
    axes = [name for name in ("rotation_group", "fold_group", "split") if name in scores]
    return scores.set_index(["dataset", "method", *axes]).sort_index()


def differences(before: pd.DataFrame, after: pd.DataFrame) -> list[str]:
    """Return the differences: cells that one side lacks, and data sets and methods with other scores."""
    found = []
    if not before.index.equals(after.index):
        found.append(f"cells differ: {len(before)} before, {len(after)} after")
        shared = before.index.intersection(after.index)
        before, after = before.loc[shared], after.loc[shared]
    columns = [c for c in before.columns.intersection(after.columns) if before[c].dtype.kind == "f"]
    for name in columns:
        a, b = before[name].to_numpy(), after[name].to_numpy()
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        if not same.all():
            where = before.index[~same].droplevel(list(range(2, before.index.nlevels))).unique()
            worst = float(np.nanmax(np.abs(a - b)))
            named = ", ".join("/".join(pair) for pair in where[:6])
            found.append(f"{name}: {(~same).sum()} of {len(same)} cells differ, by {worst:.2g} at most: {named}")
    return found


def main(before: Path, after: Path) -> int:
    """Compare all studies that both folders have."""
    status = 0
    for path in sorted(before.glob("*/scores.parquet")):
        study = path.parent.name
        if not (after / study / "scores.parquet").is_file():
            continue
        table = cells(path)
        found = differences(table, cells(after / study / "scores.parquet"))
        print(f"{study}: {len(table)} cells, {'the same bytes' if not found else 'DIFFERENT'}")
        for line in found:
            print(f"  {line}")
        status |= bool(found)
    return status


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2])))
