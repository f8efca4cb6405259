"""Measure the cost of the flagship against forests, boosting and aeon's Rotation Forest, with one thread.

    python benchmarks/flagship.py [--pairs 5] [--trees-per-family 100]

70 % of the rows are training rows. Runs alternate. The output is medians of the ratios of processor seconds of consecutive
runs, peer over ours (2: ours takes half as long), and the errors of the last run. aeon is optional.
"""

import argparse
import os
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_wine, make_classification
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import train_test_split
from xgboost import XGBClassifier

from rotastack import RotastackClassifier
from rotastack.data.generators import waveform

try:
    from aeon.classification.sklearn import RotationForestClassifier as AeonRotationForest
except ModuleNotFoundError:
    AeonRotationForest = None


def tables():
    """Return names, rows and classes."""
    yield "wine 178 x 13", *load_wine(return_X_y=True)
    yield "breast cancer 569 x 30", *load_breast_cancer(return_X_y=True)
    yield "digits 1797 x 64", *load_digits(return_X_y=True)
    frame = waveform(3000, seed=0)
    yield "waveform 3000 x 21", frame.iloc[:, :-1].to_numpy(float), frame.iloc[:, -1].to_numpy()
    options = {"n_informative": 30, "n_redundant": 60, "random_state": 0}
    yield "generated 1000 x 300", *make_classification(1000, 300, **options)
    options = {"n_informative": 10, "n_classes": 8, "n_clusters_per_class": 2, "random_state": 0}
    yield "generated 10,000 x 20, 8 classes", *make_classification(10_000, 20, **options)


def peers(seed):
    """Return names and classifiers."""
    yield "RandomForest(500)", RandomForestClassifier(500, random_state=seed)
    yield "ExtraTrees(500)", ExtraTreesClassifier(500, random_state=seed)
    yield "XGBoost(300)", XGBClassifier(n_estimators=300, learning_rate=0.1, n_jobs=1, random_state=seed)
    yield "HistGradientBoosting", HistGradientBoostingClassifier(random_state=seed)
    if AeonRotationForest is not None:
        yield "aeon RotationForest(200)", AeonRotationForest(200, n_jobs=1, random_state=seed)


def run(model, X, y, T, t):
    """Return processor seconds of fit and predict, and the error."""
    start = time.process_time()
    model.fit(X, y)
    middle = time.process_time()
    said = model.predict(T)
    return middle - start, time.process_time() - middle, np.mean(said != t)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--trees-per-family", type=int, default=100)
    options = parser.parse_args()
    print("| table | peer | fit | least, largest | predict | error, ours / peer's |\n|---|---|---|---|---|---|")
    for table, X, y in tables():
        X, T, y, t = train_test_split(X, np.unique(y, return_inverse=True)[1], test_size=0.3, random_state=0)
        run(RotastackClassifier(2, random_state=0), X, y, T, t)  # warms up
        for k, (name, _) in enumerate(peers(0)):
            ratios = []
            for seed in range(options.pairs):
                ours = run(RotastackClassifier(options.trees_per_family, random_state=seed), X, y, T, t)
                peer = run(list(peers(seed))[k][1], X, y, T, t)
                ratios.append([b / max(a, 1e-9) for a, b in zip(ours[:2], peer[:2], strict=True)])
            fit, predict = np.median(ratios, axis=0)
            least, largest = np.min(ratios, axis=0)[0], np.max(ratios, axis=0)[0]
            errors = f"{ours[2]:.3f} / {peer[2]:.3f}"
            print(
                f"| {table} | {name} | {fit:.1f}x | {least:.1f}, {largest:.1f} | {predict:.1f}x | {errors} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
