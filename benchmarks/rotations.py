"""Measure the cost of rotations.

    python benchmarks/rotations.py [--pairs 3]

The output is the shares of drawing and of applying the rotations in the time of a forest with a rotation for every tree, for
p columns and n rows, with one thread.
"""

import argparse
import os
import time

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np

from rotastack.ensembles.forests.rotated import rotated_views
from rotastack.trees import LinearViews, TrainingRows, TreeGroup, TreeOptions, grow_forest
from rotastack.views.haar import draw_rotations


def grow(X, y, views, n_trees, **options) -> float:
    """Return the seconds of growing trees on their views."""
    group = TreeGroup(n_trees, views)
    start = time.perf_counter()
    grow_forest(TrainingRows(X, y, 2), [group], TreeOptions(**options), np.random.SeedSequence(0))
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


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pairs", type=int, default=3)
    shares(parser.parse_args().pairs)
