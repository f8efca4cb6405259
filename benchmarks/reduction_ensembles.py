"""Compare ensembles on reduced dimensions with scikit-learn's bagging.

    DATA_MIRROR=FOLDER python benchmarks/reduction_ensembles.py [--pairs 7] [--members 10]

The data are letter (FOLDER/letter.csv.gz), 18,000 training and 2,000 test rows, or generated data of the same size. Times are
of fit and predict together, elapsed and processor time, alternately in one process, with one thread; the output is medians of
the ratios of consecutive runs. `BaggingClassifier` with half of the columns and no bootstrap is scikit-learn's random
subspace.
"""

import argparse
import os
import time
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"  # scikit-learn's nearest neighbours take all cores otherwise

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification
from sklearn.ensemble import BaggingClassifier
from sklearn.model_selection import train_test_split
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from rotastack import RandomProjectionEnsembleClassifier, RandomSubspaceEnsembleClassifier
from rotastack.trees import C45Classifier


def table():
    """Return the name of the data, rows and classes."""
    path = Path(os.environ.get("DATA_MIRROR", "")) / "letter.csv.gz"
    if path.is_file():
        frame = pd.read_csv(path)
        return "letter", frame.drop(columns="target").to_numpy(float), frame["target"].to_numpy()
    options = {"n_informative": 12, "n_classes": 26, "n_clusters_per_class": 1, "random_state": 0}
    return "generated data", *make_classification(20_000, 16, **options)


def comparisons(members):
    """Return names, our ensemble and a peer."""
    projection = RandomProjectionEnsembleClassifier
    for title, estimator in (("1-NN", KNeighborsClassifier(1)), ("naive Bayes", GaussianNB())):
        ours = projection(estimator, n_estimators=members)
        yield f"projection, {title}", "bagging", ours, BaggingClassifier(estimator, members)
    subspace = RandomSubspaceEnsembleClassifier(C45Classifier(), n_estimators=members)
    tree = DecisionTreeClassifier(criterion="entropy")
    bagging = BaggingClassifier(tree, members, max_features=0.5, bootstrap=False)
    yield "subspace, C4.5", "bagging, half of the columns", subspace, bagging


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=7)
    parser.add_argument("--members", type=int, default=10)
    options = parser.parse_args()
    name, X, y = table()
    X, T, y, t = train_test_split(X, y, test_size=0.1, stratify=y, random_state=0)
    print(f"{name}, {len(X)} and {len(T)} rows of {X.shape[1]} columns, {options.members} members\n")
    print("| ours | peer | clock | least, largest | processor | accuracy, ours / peer's |")
    print("|---|---|---|---|---|---|")
    for title, peer_title, ours, peer in comparisons(options.members):
        ratios, accuracies = [], []
        for pair in range(options.pairs + 1):  # the first warms up
            times, said = [], []
            for model in (peer, ours):
                model.set_params(random_state=pair)
                start = time.perf_counter(), time.process_time()
                said.append(np.mean(model.fit(X, y).predict(T) == t))
                times.append((time.perf_counter() - start[0], time.process_time() - start[1]))
            if pair:
                ratios.append(np.divide(*times))
                accuracies.append(said)
        clock, processor = np.median(ratios, axis=0)
        least, largest = np.min(ratios, axis=0)[0], np.max(ratios, axis=0)[0]
        theirs, mine = np.mean(accuracies, axis=0)
        print(
            f"| {title} | {peer_title} | {clock:.1f}x | {least:.1f}, {largest:.1f} | {processor:.1f}x "
            f"| {mine:.3f} / {theirs:.3f} |", flush=True,
        )  # fmt: skip


if __name__ == "__main__":
    main()
