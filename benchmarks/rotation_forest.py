"""Compare Rotation Forest with aeon's: same groups, same trees, alternately, one thread.

    python benchmarks/rotation_forest.py [--pairs 5] [--members 100]

aeon at its defaults draws groups of three columns, keeps half of the rows for each group and grows scikit-learn's trees by
entropy. Ours uses groups of three, a ratio of 0.5 and trees by entropy, then trees of C4.5, its default. Half of the rows are
training rows; ratios are taken within a pair of fits.
"""

import argparse
import os
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from aeon.classification.sklearn import RotationForestClassifier as AeonRotationForest
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

from rotastack import DoubleRotationForestClassifier, RotationForestClassifier
from rotastack.data.generators import waveform
from rotastack.trees import C45Classifier, TreeClassifier


def tables():
    frame = waveform(5000, seed=0)
    yield "waveform 2500x21", frame.iloc[:, :-1].to_numpy(float), frame.iloc[:, -1].to_numpy()
    yield "digits 900x64", *load_digits(return_X_y=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--members", type=int, default=100)
    options = parser.parse_args()
    print(f"times faster than aeon, {options.members} members; median of {options.pairs} pairs\n")
    print("| table | trees | fit | predict | accuracy, ours / aeon's |\n|---|---|---|---|---|")
    for table, X, y in tables():
        X, T, y, t = train_test_split(X, y, test_size=0.5, random_state=0, stratify=y)
        settings = {"n_estimators": options.members, "subset_size": 3, "bootstrap_ratio": 0.5}
        for name, tree in (("entropy", TreeClassifier(criterion="entropy")), ("C4.5", C45Classifier())):
            ratios, accuracies = [], []
            for pair in range(options.pairs + 1):  # the first warms up
                times = []
                said = []
                for model in (
                    AeonRotationForest(n_estimators=options.members, random_state=pair, n_jobs=1),
                    RotationForestClassifier(estimator=tree, random_state=pair, **settings),
                ):
                    start = time.perf_counter()
                    model.fit(X, y)
                    middle = time.perf_counter()
                    said.append(np.mean(model.predict(T) == t))
                    times.append((middle - start, time.perf_counter() - middle))
                if pair:
                    ratios.append([a / b for a, b in zip(*times, strict=True)])
                    accuracies.append(said)
            fit, predict = np.median(ratios, axis=0)
            theirs, ours = np.mean(accuracies, axis=0)
            print(f"| {table} | {name} | {fit:.1f}x | {predict:.1f}x | {ours:.4f} / {theirs:.4f} |", flush=True)
        shares = []
        for pair in range(options.pairs):
            times = []
            for model in (RotationForestClassifier, DoubleRotationForestClassifier):
                start = time.perf_counter()
                model(options.members, random_state=pair).fit(X, y)
                times.append(time.perf_counter() - start)
            shares.append(times[1] / times[0])
        print(f"\n{table}: a fit of double rotation takes {np.median(shares):.1f} times one of PCA rotation\n")


if __name__ == "__main__":
    main()
