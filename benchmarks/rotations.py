"""Measure the cost of rotations, and compare regularised rotation forests with a plain forest.

    python benchmarks/rotations.py [--pairs 3] [--trees 5000]

First: RegularizedRotationForestClassifier (M trees, R = 100, U = 10, each weighting) and scikit-learn's
RandomForestClassifier (M trees, no rotation) on 3500 rows of waveform, alternately, with one thread; ratios are taken within
a pair. Second: the shares of drawing and of applying the rotations in the time of a forest with a rotation for every tree,
for p columns and n rows.
"""

import argparse
import os
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.ensemble import RandomForestClassifier

from rotastack import RegularizedRotationForestClassifier
from rotastack.combine.rotation_weights import WEIGHTINGS
from rotastack.data.generators import waveform
from rotastack.ensembles.forests.rotated import rotated_views
from rotastack.ensembles.forests.weightings import RotationWeightingsClassifier
from rotastack.trees import LinearViews, TreeGroup, TreeOptions, grow_forest
from rotastack.views.haar import draw_rotations


def against_a_plain_forest(n_trees: int, n_pairs: int) -> None:
    frame = waveform(5000, seed=0)
    X, y = frame.iloc[:3500, :-1].to_numpy(float), frame.iloc[:3500, -1].to_numpy()
    T, t = frame.iloc[3500:, :-1].to_numpy(float), frame.iloc[3500:, -1].to_numpy()
    settings = {"n_estimators": n_trees, "n_rotations": 100, "micro_forest_size": 10, "random_state": 0}
    models = {w: RegularizedRotationForestClassifier(weighting=w, **settings) for w in ("exp", "linear", "best")}
    models["all eight on shared trees"] = RotationWeightingsClassifier(weightings=WEIGHTINGS, **settings)
    models["exp"].fit(X[:200], y[:200])  # warm up
    print(f"fit of a plain forest of {n_trees} trees over that of a regularised one; median of {n_pairs} pairs\n")
    print("| weighting | fit | error | error of the plain forest |\n|---|---|---|---|")
    for name, model in models.items():
        ratios = []
        for _ in range(n_pairs):
            plain = RandomForestClassifier(n_trees, random_state=0)
            start = time.perf_counter()
            plain.fit(X, y)
            middle = time.perf_counter()
            model.fit(X, y)
            ratios.append((middle - start) / (time.perf_counter() - middle))
        errors = [1 - m.score(T, t) for m in (model, plain)]
        print(f"| {name} | {np.median(ratios):.1f}x | {errors[0]:.4f} | {errors[1]:.4f} |", flush=True)


def grow(X, y, views, n_trees, **options) -> float:
    """Return the seconds of growing trees on their views."""
    family = TreeGroup(n_trees, views)
    start = time.perf_counter()
    grow_forest(X, y, [family], TreeOptions(**options), np.random.SeedSequence(0), n_classes=2)
    return time.perf_counter() - start


def share(p: int, n: int, n_trees: int) -> tuple[float, float]:
    """Return the shares of drawing and applying in the time of trees on new rotations."""
    X = np.random.default_rng(0).standard_normal((n, p)).astype(np.float32)
    y = (X[:, : p // 2].sum(axis=1) > 0).astype(int)
    start = time.perf_counter()
    axes, rotations = draw_rotations(p, np.random.SeedSequence(0), n_trees, dtype=np.float32)
    drawn = time.perf_counter() - start
    views = rotated_views(axes, rotations, p, 0)
    # Trees that may not split: what rotated ones take longer is what applying costs.
    plain = grow(X, y, LinearViews.identity(p, n_trees), n_trees, min_samples_split=n + 1)
    applied = max(grow(X, y, views, n_trees, min_samples_split=n + 1) - plain, 0.0)
    whole = drawn + grow(X, y, views, n_trees)
    return drawn / whole, applied / whole


def shares(n_pairs: int) -> None:
    print("\nshare of drawing and of applying in growing 100 trees (p = 1000: 10), each on a rotation of its own\n")
    print("| p | n | drawing | applying | growing and the rest |\n|---|---|---|---|---|")
    for p in (10, 30, 100, 300, 1000):
        for n in (100, 1000, 10_000):
            rows = [share(p, n, 100 if p < 1000 else 10) for _ in range(n_pairs)]
            drawing, applying = np.median(rows, axis=0)
            print(f"| {p} | {n} | {drawing:.0%} | {applying:.0%} | {1 - drawing - applying:.0%} |", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--trees", type=int, default=5000)
    arguments = parser.parse_args()
    against_a_plain_forest(arguments.trees, arguments.pairs)
    shares(arguments.pairs)


if __name__ == "__main__":
    main()
