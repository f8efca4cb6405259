"""Measure models of the flagship against RandomForestClassifier(500): size of files, time to load, time to predict one row.

    python benchmarks/model_files.py [--runs 200]      # sizes go to docs/evidence/data/tables/flagship_files.csv

Files are pickles without compression, as by `joblib.dump`. Times are medians of the runs, with one thread: of
``predict_proba`` for one row, of scikit-learn's check of this row alone, and of scikit-learn's forest.
"""

import argparse
import csv
import os
import pickle
import tempfile
import time
from pathlib import Path

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import validate_data

from rotastack import RotastackClassifier
from rotastack.workflow.tracking.model_files import dump_model, load_model

SIZES = Path(__file__).parents[1] / "docs/evidence/data/tables/flagship_files.csv"
HEADER = ("table", "forest, MB", "flagship, MB", "pickle, the forest's being 1", "skops, the forest's being 1")


def generated(n_rows, n_columns, n_classes):
    """Return rows and classes, with wrong labels."""
    return make_classification(
        n_rows,
        n_columns,
        n_informative=min(n_columns, 10),
        n_redundant=0,
        n_classes=n_classes,
        n_clusters_per_class=1,
        flip_y=0.05,
        random_state=0,
    )


def tables():
    """Yield names, rows and classes."""
    yield "iris", *load_iris(return_X_y=True)
    yield "wine", *load_wine(return_X_y=True)
    yield "breast cancer", *load_breast_cancer(return_X_y=True)
    yield "digits", *load_digits(return_X_y=True)
    yield "2000 x 20, 2 classes", *generated(2000, 20, 2)
    yield "400 x 120, 5 classes", *generated(400, 120, 5)
    yield "1000 x 100, 2 classes", *generated(1000, 100, 2)
    yield "1500 x 200, 10 classes", *generated(1500, 200, 10)
    X = np.random.default_rng(0).integers(0, 3, (1500, 6))
    yield "1500 x 6, few different rows, 3 classes", X.astype(float), (X.sum(axis=1) + np.arange(1500) % 4) // 6


def check(model, rows):
    """Check rows as ``predict_proba`` does."""
    validate_data(model, rows, reset=False, dtype=[np.float64, np.float32], ensure_all_finite="allow-nan")


def median(call, runs):
    """Return the median seconds of a call."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        call()
        taken.append(time.perf_counter() - start)
    return np.median(taken)


def sizes(ours, forest):
    """Return the sizes of both in MB, and those of the flagship's pickle and model file, the forest's pickle being 1."""
    mine, theirs = len(pickle.dumps(ours)), len(pickle.dumps(forest))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "model.skops"
        dump_model(ours, file)
        packed = file.stat().st_size
    return f"{theirs / 1e6:.2f}", f"{mine / 1e6:.2f}", f"{mine / theirs:.3f}", f"{packed / theirs:.3f}"


def fitted(X, y):
    """Return the flagship and the forest."""
    return RotastackClassifier(random_state=0).fit(X, y), RandomForestClassifier(500, random_state=0).fit(X, y)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=200)
    runs = parser.parse_args().runs
    print("| table | load, ms | skops, ms | one row, us | its check | RF's |")
    print("|---|---|---|---|---|---|")
    rows = []
    for name, X, y in tables():
        ours, forest = fitted(X, y)
        rows.append([name, *sizes(ours, forest)])
        file = pickle.dumps(ours)
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model.skops"
            dump_model(ours, path)
            load = median(lambda path=path: load_model(path), 5)
        row = X[:1]
        times = [
            median(lambda file=file: pickle.loads(file), 9) * 1e3,
            load * 1e3,
            median(lambda ours=ours, row=row: ours.predict_proba(row), runs) * 1e6,
            median(lambda ours=ours, row=row: check(ours, row), runs) * 1e6,
            median(lambda forest=forest, row=row: forest.predict_proba(row), 9) * 1e6,
        ]
        shown = f"{times[0]:.1f} | {times[1]:.0f} | {times[2]:.0f} | {times[3]:.0f} | {times[4]:.0f}"
        print(f"| {name} | {shown} |", flush=True)
    with SIZES.open("w", newline="") as file:
        file.write("# `python benchmarks/model_files.py`, sizes of pickles and of model files (skops)\n")
        csv.writer(file, lineterminator="\n").writerows([HEADER, *rows])


if __name__ == "__main__":
    main()
