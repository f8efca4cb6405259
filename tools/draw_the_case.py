#!/usr/bin/env python3
"""Draw the figure of README.md: what rotations do to a boundary, and to errors on tables of the registry.

python tools/draw_the_case.py    # writes docs/images/case.png

The right half is computed from docs/evidence/data/flagship_sets.csv, the left one from 200 rows that are drawn here.
"""

import sys
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.axes import Axes
from sklearn.ensemble import RandomForestClassifier

from rotastack import RotastackClassifier
from rotastack.plots.style import new_figure, save_figure

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "benchmarks"), str(ROOT / "examples")]

from _shared import draw_regions, triangle_problem  # noqa: E402
from tables import flagship  # noqa: E402

NAMES = {
    "Rotastack": "Rotastack",
    "RotF": "Rotation Forest (ours)",
    "CatBoost": "CatBoost",
    "HGB": "HistGradientBoosting",
    "ET": "Extra-Trees",
    "LightGBM": "LightGBM",
    "XGB": "XGBoost",
}
OURS = ("Rotastack", "RotF")
FLOOR = 0.005
"""Added to errors before one is divided by the other, as in docs/evidence: some are 0."""


def ratios() -> pd.DataFrame:
    """Return errors in times of the random forest's, on the tables that all methods ran."""
    errors = flagship.set_by_set().dropna() + FLOOR
    return errors.div(errors["RF"], axis=0)[list(NAMES)]


def draw_boundaries(axes: list[Axes]) -> None:
    """Draw what a random forest and Rotastack make of a boundary that is no column's, and their errors on new rows."""
    rng = np.random.default_rng(1)
    X, y = triangle_problem("a", 200, rng)
    new, truth = triangle_problem("a", 20_000, rng)
    forest = RandomForestClassifier(500, random_state=0)
    for axis, name, model in zip(
        axes, ("random forest", "Rotastack"), (forest, RotastackClassifier(random_state=0)), strict=True
    ):
        wrong = 1 - model.fit(X, y).score(new, truth)
        draw_regions(axis, model, X, y, lambda points: 0.5 + points[..., 1] - points[..., 0])
        axis.set(xticks=[], yticks=[], box_aspect=1, title=f"{name}: {100 * wrong:.1f} % wrong")
        axis.set(xlabel=None, ylabel=None)


def draw_ratios(axis: Axes, found: pd.DataFrame) -> None:
    """Draw a dot for each table and a line at the geometric mean, a row for each method."""
    means = np.exp(np.log(found).mean()).sort_values(ascending=False)
    jitter = np.random.default_rng(0)
    for row, (name, mean) in enumerate(means.items()):
        color = "#0072B2" if name in OURS else "#777777"
        heights = row + jitter.uniform(-0.22, 0.22, len(found))
        axis.scatter(found[name], heights, s=9, color=color, alpha=0.45, linewidths=0)
        axis.plot([mean, mean], [row - 0.36, row + 0.36], color=color, linewidth=2.5)
        axis.text(2.15, row, f"{mean:.2f}", va="center", color=color, fontsize=9)
    axis.axvline(1, color="black", linewidth=0.8)
    axis.set_xscale("log")
    axis.set_xticks([0.125, 0.25, 0.5, 1, 2], ["⅛", "¼", "½", "1", "2"])
    axis.set_xticks([], minor=True)
    axis.set_yticks(range(len(means)), [NAMES[name] for name in means.index])
    axis.set(
        title=f"errors on {len(found)} tables, the forest's being 1: less is better", xlim=(0.95 * found.min().min(), 2)
    )
    axis.spines[["top", "right", "left"]].set_visible(False)
    axis.tick_params(axis="y", length=0)


def draw(file: Path) -> None:
    """Draw both halves into a file."""
    figure = new_figure(11, 3.3)
    *left, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.7])
    draw_boundaries(left)
    draw_ratios(right, ratios())
    save_figure(figure, file)


if __name__ == "__main__":
    draw(ROOT / "docs/images/case.png")
