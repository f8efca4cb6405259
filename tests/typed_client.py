"""Code of a user who checks types: mypy --strict accepts all lines except those marked as wrong. The code is never run."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

import rotastack
from rotastack import RotastackClassifier, RotastackRegressor, TreeFamily
from rotastack.combine.pruning import OrderingPruner
from rotastack.diagnostics import margins
from rotastack.plots.bars import plot_bars
from rotastack.stats import compare
from rotastack.views import RandomRotation


class AccuracyPruner(OrderingPruner):
    """A pruner of a user."""

    def __init__(self, n_select: int | float | None = 0.5, vote: str = "simple") -> None:
        self.n_select = n_select
        self.vote = vote


def labels(X: NDArray[np.float64], y: NDArray[np.int64]) -> NDArray[np.int64]:
    """Train the flagship; return its predictions."""
    model = RotastackClassifier(trees_per_family=10, families=("rotations", TreeFamily("mine")), n_jobs=1)
    found: NDArray[np.int64] = model.fit(X, y).predict(X)
    return found


def sentence(scores: Any) -> str:
    """Compare methods; return a line."""
    comparison = compare(scores, higher_is_better=False)
    return f"{rotastack.__version__}: {comparison.p_value:.3f}"


def smallest(votes: NDArray[np.int64], y: NDArray[np.int64]) -> float:
    """Return the smallest margin of a vote."""
    return float(margins(votes, y).min())


def figure(errors: NDArray[np.float64]) -> None:
    """Draw errors."""
    plot_bars(["A", "B"], {"error": errors}, "error").savefig("errors.svg")


RotastackClassifier(trees_per_familyy=10)  # wrong
RotastackRegressor(n_jobs="much")  # wrong
RandomRotation(flip=1.5)  # wrong
RotastackClassifier().fit([[0.0], [1.0]], [0, 1]).predict()  # wrong
rotastack.RotationForest()  # wrong
plot_bars(1, {"error": [0.1]}, "error")  # wrong
