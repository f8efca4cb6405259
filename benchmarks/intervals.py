"""Measure prediction intervals of the flagship for regression: coverage, width, and the effect of local widths.

    python benchmarks/intervals.py [--splits 10] [--trees-per-family 100]

The targets are twenty generated functions of six columns with different kinds of noise (the last eight are skewed), Friedman's
three functions, and columns of scikit-learn's tables as targets of the other columns. Half of the rows are training rows (two
thirds for fewer than 700 rows). Fifths are of the test rows by increasing prediction. The peer is an interval of constant
width: the prediction plus or minus the quantile of absolute out-of-bag residuals. Interval scores (Gneiting and Raftery, 2007)
are the width plus 2 / (1 - coverage) times the distance of a target outside. The output is means over splits.
"""

import argparse
import os

os.environ["OMP_NUM_THREADS"] = "1"

import numpy as np
from sklearn.datasets import (
    load_breast_cancer,
    load_diabetes,
    load_iris,
    load_wine,
    make_friedman1,
    make_friedman2,
    make_friedman3,
)

from rotastack import RotastackRegressor

COVERAGE = 0.9

NOISE = {
    "even": lambda X, f, rng: f + 0.5 * rng.normal(size=len(f)),
    "rising": lambda X, f, rng: f + rng.normal(size=len(f)) * (0.1 + 1.5 * np.maximum(X[:, 0], 0)),
    "of a column": lambda X, f, rng: f + rng.normal(size=len(f)) * np.where(X[:, 4] > 0.3, 2, 0.2),
    "skew": lambda X, f, rng: f + rng.exponential(1, len(f)) * (1 + X[:, 1]),
    "heavy tails": lambda X, f, rng: f + 0.3 * rng.standard_t(2.5, len(f)),
    "factor": lambda X, f, rng: np.exp(f / 2 + 0.3 * rng.normal(size=len(f))),
    "noise alone": lambda X, f, rng: rng.normal(size=len(f)),
    "none": lambda X, f, rng: f,
    "counts": lambda X, f, rng: rng.poisson(np.exp(f / 2 + 0.5)).astype(float),
    "many zeros": lambda X, f, rng: np.where(
        rng.random(len(f)) < 0.6, 0, np.exp(f / 2 + 0.5 * rng.normal(size=len(f)))
    ),
    "outliers": lambda X, f, rng: (
        f + 0.2 * rng.normal(size=len(f)) + (rng.random(len(f)) < 0.03) * rng.normal(0, 15, len(f))
    ),
    "two levels": lambda X, f, rng: np.where(X[:, 0] > 0, 5, 0) + rng.normal(size=len(f)) * (X[:, 1] < 0.1),
    "prices": lambda X, f, rng: np.exp(0.6 * f + 0.4 * rng.normal(size=len(f))),
    "prices, wide": lambda X, f, rng: np.exp(f + 0.8 * rng.normal(size=len(f))),
    "gamma": lambda X, f, rng: rng.gamma(2, np.exp(0.7 * f) / 2),
    "waiting times": lambda X, f, rng: rng.exponential(np.exp(0.6 * f)),
    "few counts": lambda X, f, rng: rng.poisson(np.exp(0.6 * f - 0.7)).astype(float),
    "spread counts": lambda X, f, rng: rng.poisson(np.exp(0.7 * f + 1) * rng.gamma(2, 0.5, len(f))).astype(float),
    "shares": lambda X, f, rng: rng.beta(8 / (1 + np.exp(-f)), 8 / (1 + np.exp(f))),
    "skew to the left": lambda X, f, rng: 50 - rng.gamma(1.5, np.exp(0.7 * f)),
}


def tables(n_rows=2000):
    """Yield names, rows and targets."""
    for k, (name, target) in enumerate(NOISE.items()):
        rng = np.random.default_rng(k)
        X = rng.uniform(-1, 1, (n_rows, 6))
        yield name, X, target(X, 2 * X[:, 0] + np.sin(3 * X[:, 1]) + X[:, 2] * X[:, 3], rng)
    yield "Friedman 1", *make_friedman1(n_rows, noise=1.0, random_state=0)
    yield "Friedman 2", *make_friedman2(n_rows, noise=100.0, random_state=0)
    yield "Friedman 3", *make_friedman3(n_rows, noise=0.1, random_state=0)
    yield "diabetes", *load_diabetes(return_X_y=True)
    for load, column in ((load_wine, 12), (load_breast_cancer, 5), (load_breast_cancer, 9), (load_iris, 3)):
        data = load()
        name = f"{load.__name__.removeprefix('load_')}, {data.feature_names[column]}"
        yield name, np.delete(data.data, column, axis=1), data.data[:, column]


def split_rows(n_rows, split):
    """Return training and test rows."""
    order = np.random.default_rng(split).permutation(n_rows)
    n_train = n_rows // 2 if n_rows >= 700 else 2 * n_rows // 3
    return order[:n_train], order[n_train:]


def judged(ends, y):
    """Return the share within, the mean width and the mean interval score."""
    low, high = ends
    beyond = np.maximum(low - y, 0) + np.maximum(y - high, 0)
    width = high - low
    return np.mean(beyond == 0), np.mean(width), np.mean(width + 2 / (1 - COVERAGE) * beyond)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--trees-per-family", type=int, default=100)
    options = parser.parse_args()
    print(
        "| target | within | within, by fifths of the predictions | width, local / even | interval score, local / even | "
        "within, even | within, of 99 % |"
    )
    print("|---|---|---|---|---|---|---|")
    every = {}
    for name, X, y in tables():
        found = []
        for split in range(options.splits):
            train, test = split_rows(len(y), split)
            model = RotastackRegressor(options.trees_per_family, random_state=split).fit(X[train], y[train])
            size = np.sort(np.abs(y[train] - model.oob_prediction_))
            size = size[np.isfinite(size)]
            half = size[min(int(np.ceil((len(size) + 1) * COVERAGE)), len(size)) - 1]
            predicted = model.predict(X[test])
            local = model.predict_interval(X[test], COVERAGE).T
            even = predicted - half, predicted + half
            fifths = np.array_split(np.argsort(predicted, kind="stable"), 5)
            found.append(
                (
                    *judged(local, y[test]),
                    *judged(even, y[test]),
                    *(judged(local[:, rows], y[test][rows])[0] for rows in fifths),
                    judged(model.predict_interval(X[test], 0.99).T, y[test])[0],
                )
            )
        within, width, score, even_within, even_width, even_score, *fifths, most = np.mean(found, axis=0)
        every[name] = (within, width / even_width, score / even_score, most, *fifths)
        print(
            f"| {name} | {within:.3f} | {' '.join(f'{share:.2f}' for share in fifths)} | {width / even_width:.2f} | "
            f"{score / even_score:.2f} | {even_within:.3f} | {most:.3f} |",
            flush=True,
        )
    within, width, score, most, *fifths = np.array(list(every.values())).T
    inside = np.mean((within >= 0.88) & (within <= 0.92))
    off = np.abs(np.array(fifths) - COVERAGE).max(axis=0)
    print(
        f"\nbetween 88 and 92 % on {inside:.0%} of {len(every)}; fifths {' '.join(f'{share.mean():.3f}' for share in fifths)}, "
        f"farthest off on {list(every)[off.argmax()]}; of 99 % {most.min():.3f} to {most.max():.3f}; "
        f"geometric means: width {np.exp(np.log(width).mean()):.3f}, score {np.exp(np.log(score).mean()):.3f}"
    )


if __name__ == "__main__":
    main()
