"""Functions shared by examples: decision regions, problems in the unit square, linear problems, training time."""

import time
import warnings

import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.exceptions import ConvergenceWarning
from sklearn.inspection import DecisionBoundaryDisplay
from threadpoolctl import threadpool_limits

CLASSES = ListedColormap(["#0072B2", "#D55E00"])
TINTS = ListedColormap(["#C7DFED", "#F7DAC7"])  # Paler colours, for regions.
MEMBERS = (5, 10, 30)  # Numbers of members of the exclusivity regularised machine.
LAM = 2.0


def draw_regions(axis, classifier, X, y, posterior, margin=0.0):
    """Draw the regions of a fitted classifier of two classes, its training rows, and the optimal boundary (dashed).

    `posterior` maps points of shape (..., 2) to the probability of class 1; `margin` is the width of the drawn margin
    around the rows.
    """
    display = DecisionBoundaryDisplay.from_estimator(
        classifier, X, response_method="predict", plot_method="pcolormesh", cmap=TINTS, vmin=0, vmax=1,
        eps=margin, ax=axis,
    )  # fmt: skip
    points = np.stack([display.xx0, display.xx1], axis=-1)
    axis.contour(display.xx0, display.xx1, posterior(points), levels=[0.5], colors="black", linestyles="dashed")
    axis.scatter(X[:, 0], X[:, 1], c=y, cmap=CLASSES, s=9, edgecolors="white", linewidths=0.3)


def triangle_problem(case, n_rows, rng):
    """Return uniform rows of the unit square and labels; class 1 is above a line (thesis, figure 2.2).

    The line is (a) y = x, (b) y = 0.5 + max(x - 0.75, 0) or (c) y = 0.5 + max(x - 0.5, 0). Equal seeds give
    equal rows in all three cases.
    """
    X = rng.random((n_rows, 2))
    line = {"a": X[:, 0], "b": 0.5 + np.maximum(X[:, 0] - 0.75, 0), "c": 0.5 + np.maximum(X[:, 0] - 0.5, 0)}[case]
    return X, (X[:, 1] > line).astype(int)


def draw_rotated(axis, rows, y, corner):
    """Draw rotated rows without ticks, with a text in the corner; the caller sets the scale."""
    axis.scatter(rows[:, 0], rows[:, 1], c=y, cmap=CLASSES, s=3, linewidths=0, alpha=0.8, rasterized=True)
    axis.set(xticks=[], yticks=[], box_aspect=1)
    axis.annotate(
        corner, (0.04, 0.955), xycoords="axes fraction", va="top", fontsize=7,
        bbox={"facecolor": "white", "edgecolor": "none", "alpha": 0.75, "pad": 0.8},
    )  # fmt: skip


def linear_problem(n_rows, rng, n_columns=22):
    """Return rows in [-1, 1] and labels; a linear rule predicts about nine in ten labels correctly.

    The default number of columns is that of ijcnn1, the data set in the figures of the paper.
    """
    X = rng.uniform(-1, 1, (n_rows, n_columns))
    score = X @ np.cos(np.arange(n_columns))
    return X, (score + 0.6 * rng.standard_normal(n_rows) > 0.5).astype(int)


def trained(machine, X, y):
    """Return the trained machine, without warnings of convergence: the figures show where ALM stops too early."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        return machine.fit(X, y)


def seconds_of_training(machine, X, y, n_runs=1):
    """Return the wall-clock seconds of the fastest of `n_runs` runs, on one thread."""
    seconds = []
    with threadpool_limits(1):
        for _ in range(n_runs):
            start = time.perf_counter()
            trained(machine, X, y)
            seconds.append(time.perf_counter() - start)
    return min(seconds)
