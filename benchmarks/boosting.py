"""Compare boosted trees with LightGBM and XGBoost: time to fit, and accuracy.

    pip install lightgbm xgboost
    python benchmarks/boosting.py time [--repeats 7] [--rounds 100] [--large]
    python benchmarks/boosting.py accuracy

All boosters use one thread and the same rounds, bins, leaves, rows per leaf, learning rate and l2. All boosters see all
rows of a table (`n_bags=1`), without early stopping. Each ratio is taken within a pair of consecutive runs, ours over the
peer's; the output is the median, so .5 means half of the peer's time. `--large` adds a table of a million rows.
"""

import argparse
import os
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import lightgbm
import numpy as np
import xgboost
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.metrics import log_loss
from sklearn.model_selection import train_test_split

from rotastack.data.generators import waveform
from rotastack.trees import BoostedTreesClassifier, BoostedTreesRegressor

LEAVES, LEAST, BINS, RATE, L2 = 31, 20, 255, 0.1, 1.0


def ours(rounds, regression):
    kind = BoostedTreesRegressor if regression else BoostedTreesClassifier
    return kind(
        rounds, n_bags=1, max_leaf_nodes=LEAVES, min_samples_leaf=LEAST, max_bins=BINS, learning_rate=RATE,
        l2_regularization=L2, random_state=0,
    )  # fmt: skip


def light(rounds, regression):
    kind = lightgbm.LGBMRegressor if regression else lightgbm.LGBMClassifier
    return kind(
        n_estimators=rounds, num_leaves=LEAVES, min_child_samples=LEAST, max_bin=BINS, learning_rate=RATE,
        reg_lambda=L2, n_jobs=1, verbosity=-1,
    )  # fmt: skip


def extreme(rounds, regression):
    kind = xgboost.XGBRegressor if regression else xgboost.XGBClassifier
    # It knows no least number of rows in a leaf; this many have the hessian of five of even odds.
    return kind(
        n_estimators=rounds, max_leaves=LEAVES, grow_policy="lossguide", max_depth=0, max_bin=BINS - 1,
        learning_rate=RATE, reg_lambda=L2, min_child_weight=5, tree_method="hist", n_jobs=1, verbosity=0,
    )  # fmt: skip


PEERS = {"LightGBM": light, "XGBoost": extreme}


def made(n_rows, n_columns, n_classes):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_rows, n_columns)).astype(np.float32)
    y = X[:, 0] * X[:, 1] + np.sin(2 * X[:, 2]) + X[:, 3:6].sum(axis=1) / 2 + rng.normal(size=n_rows) / 2
    if n_classes is None:
        return X, y
    return X, np.searchsorted(np.quantile(y, np.arange(1, n_classes) / n_classes), y)


SIZES = [
    (300, 10, 2), (300, 10, None), (2000, 30, 2), (2000, 30, 3), (10_000, 20, 2), (10_000, 20, 3), (10_000, 20, None),
    (10_000, 100, 2),
]  # fmt: skip


def seconds(estimator, X, y):
    start = time.perf_counter()
    estimator.fit(X, y)
    return time.perf_counter() - start


def compare_times(repeats, rounds, large):
    sizes = [(*size, rounds, repeats) for size in SIZES]
    if large:
        sizes.append((1_000_000, 50, 2, rounds, 1))
    print("| table | target | trees | " + " | ".join(f"over {name}" for name in PEERS) + " | least, largest |")
    print("|---" * (4 + len(PEERS)) + "|")
    for n_rows, n_columns, n_classes, n_rounds, n_pairs in sizes:
        X, y = made(n_rows, n_columns, n_classes)
        ratios = {name: [] for name in PEERS}
        for _ in range(n_pairs):
            for name, peer in PEERS.items():
                mine = seconds(ours(n_rounds, n_classes is None), X, y)
                ratios[name].append(mine / seconds(peer(n_rounds, n_classes is None), X, y))
        target = "numbers" if n_classes is None else f"{n_classes} classes"
        n_trees = n_rounds * (n_classes if n_classes and n_classes > 2 else 1)
        spread = "; ".join(f"{min(r):.2f}, {max(r):.2f}" for r in ratios.values())
        medians = " | ".join(f"{np.median(r):.2f}" for r in ratios.values())
        print(f"| {n_rows} x {n_columns} | {target} | {n_trees} | {medians} | {spread} |", flush=True)


def _waveform():
    frame = waveform(3000, seed=0)
    return frame.iloc[:, :-1].to_numpy(float), np.unique(frame.iloc[:, -1], return_inverse=True)[1]


def _missing(load):
    X, y = load(return_X_y=True)
    X[np.random.default_rng(0).random(X.shape) < 0.2] = np.nan
    return X, y


TABLES = {
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "breast cancer, 20 % missing": lambda: _missing(load_breast_cancer),
    "digits": lambda: load_digits(return_X_y=True),
    "waveform": _waveform,
    "made, 2 classes": lambda: made(4000, 20, 2),
    "made, 5 classes": lambda: made(4000, 20, 5),
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "made, numbers": lambda: made(4000, 20, None),
}


def compare_accuracies(rounds, n_splits):
    makers = {"ours": ours, **PEERS}
    print(f"| table | {' | '.join(f'{name}: error, loss' for name in makers)} |")
    print("|---" * (1 + len(makers)) + "|")
    for name, load in TABLES.items():
        X, y = load()
        regression = y.dtype.kind == "f"
        cells = []
        for maker in makers.values():
            errors, losses = [], []
            for seed in range(n_splits):
                halves = train_test_split(X, y, test_size=0.3, random_state=seed, stratify=None if regression else y)
                train, test, labels, truth = halves
                fitted = maker(rounds, regression).fit(train, labels)
                if regression:
                    errors.append(np.mean((fitted.predict(test) - truth) ** 2) / truth.var())
                    losses.append(np.nan)
                    continue
                probabilities = fitted.predict_proba(test)
                errors.append(np.mean(probabilities.argmax(axis=1) != truth))
                losses.append(log_loss(truth, probabilities))
            shown = "1 - R²" if regression else f"{np.mean(losses):.3f}"
            cells.append(f"{np.mean(errors):.3f}, {shown}")
        print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("what", choices=["time", "accuracy"])
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--large", action="store_true")
    given = parser.parse_args()
    if given.what == "time":
        compare_times(given.repeats, given.rounds, given.large)
    else:
        compare_accuracies(given.rounds, 5)
