"""Simulate how often a model's explanation says that a column of noise matters, and how many real columns it finds.

``python benchmarks/which_columns.py`` writes which_columns.csv and which_columns_found.csv to docs/evidence/data/tables
(a quarter of an hour on two cores).
"""

import argparse
import csv
import warnings
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib import Parallel, delayed
from scipy.signal import lfilter
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.pipeline import Pipeline

from rotastack import RotastackClassifier, RotastackRegressor
from rotastack.base.preprocessing import TablePreprocessor
from rotastack.trees import ForestClassifier, ForestRegressor, TreeClassifier
from rotastack.workflow.use import explaining

FOLDER = Path(__file__).resolve().parents[1] / "docs/evidence/data/tables"
ALPHA = 0.05
MODELS: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
    "linear": (LogisticRegression, LinearRegression),
    "tree": (lambda: TreeClassifier(random_state=0), LinearRegression),
    "forest, 20 trees": (
        lambda: ForestClassifier(20, random_state=0, n_jobs=1),
        lambda: ForestRegressor(20, random_state=0, n_jobs=1),
    ),
    "Rotastack, 5 trees": (
        lambda: RotastackClassifier(5, random_state=0, n_jobs=1),
        lambda: RotastackRegressor(5, random_state=0, n_jobs=1),
    ),
}
"""Name -> a classifier and a regressor."""
NOISE = [
    ("two classes", 60, 5, "linear"),
    ("two classes", 60, 20, "forest, 20 trees"),
    ("two classes", 300, 10, "tree"),
    ("two classes", 300, 60, "forest, 20 trees"),
    ("two classes", 300, 10, "Rotastack, 5 trees"),
    ("two classes", 60, 10, "Rotastack, 5 trees"),
    ("one in ten rows", 300, 10, "linear"),
    ("one in ten rows", 300, 20, "forest, 20 trees"),
    ("one in ten rows", 150, 10, "Rotastack, 5 trees"),
    ("numbers", 60, 5, "linear"),
    ("numbers", 300, 20, "forest, 20 trees"),
    ("numbers", 800, 30, "forest, 20 trees"),
    ("numbers", 300, 10, "Rotastack, 5 trees"),
    ("skew numbers", 60, 5, "linear"),
    ("skew numbers", 300, 10, "forest, 20 trees"),
    ("skew numbers", 300, 10, "Rotastack, 5 trees"),
    ("groups of ten rows", 300, 10, "forest, 20 trees"),
    ("groups of ten rows", 300, 5, "linear"),
    ("time", 300, 5, "linear"),
    ("time", 300, 10, "forest, 20 trees"),
    ("two classes, and 3 real columns", 300, 10, "forest, 20 trees"),
    ("two classes, and 3 real columns", 300, 10, "Rotastack, 5 trees"),
    ("numbers, and 3 real columns", 300, 10, "forest, 20 trees"),
    ("numbers, and 3 real columns", 150, 10, "linear"),
    *(
        (f"{of}, and 3 real columns; noise correlated by {r}", 300, 6, model)
        for r in (0.5, 0.9, 0.97)
        for of, model in (("numbers", "linear"), ("two classes", "forest, 20 trees"))
    ),
]
"""Kind of the table, rows, columns of noise, and model."""


def table_of(kind: str, n: int, p: int, seed: int) -> tuple[pd.DataFrame, np.ndarray, dict[str, str]]:
    """Return columns of noise, a target, and what divides the rows."""
    rng = np.random.default_rng([n, p, seed])
    X, e, divided_by = rng.normal(size=(n, p)), rng.normal(size=n), {}
    if kind.startswith("groups"):  # rows of a group share most of each column and of the target
        group = np.arange(n) // 10
        X, e = X + 2 * rng.normal(size=(n, p))[group], e + 2 * rng.normal(size=n)[group]
        divided_by = {"groups": "unit"}
    elif kind == "time":  # neighbours correlate by 0.8
        X, e = lfilter([1], [1, -0.8], X, axis=0), lfilter([1], [1, -0.8], e)
        divided_by = {"time": "unit"}
    elif "correlated" in kind:
        shared = float(kind.rpartition(" ")[2])
        X = np.sqrt(shared) * rng.normal(size=(n, 1)) + np.sqrt(1 - shared) * X
    table = pd.DataFrame(X, columns=[f"noise {j}" for j in range(p)])
    if "real" in kind:
        real = rng.normal(size=(n, 3))
        table[["real 0", "real 1", "real 2"]] = real
        e = e + real.sum(axis=1)
    if divided_by:
        table["unit"] = np.arange(n) // (10 if "groups" in divided_by else 1)
    if kind.startswith("skew"):
        return table, np.exp(1.5 * e), divided_by
    cut = {"two": 0.5, "one": 0.9}.get(kind[:3])
    return table, e if cut is None else np.where(e > np.quantile(e, cut), "yes", "no"), divided_by


def alarms(cell: tuple[str, int, int, str], seed: int) -> list[bool]:
    """Return whether any column of noise has an effect by the test, and whether also the model beats a constant."""
    kind, n, p, name = cell
    X, y, divided_by = table_of(kind, n, p, seed)
    reader = TablePreprocessor(dict.fromkeys(divided_by.values(), "id")).fit(X)
    pipeline = Pipeline([("table", reader), ("model", MODELS[name][y.dtype.kind == "f"]())])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        split, units = explaining._divided(X, divided_by, None)
        numbers = reader.transform(X)
        held, test, _ = explaining._held_out(pipeline, numbers, y, split, units)
        new, answers = numbers[test], y[test]
        columns = dict(zip(reader.needed_, reader.parts_, strict=True))
        sets = explaining.together(numbers, columns)
        parts = [np.concatenate([columns[c] for c in own]) for own in sets]
        p, _ = explaining._p_values(held, new, answers, parts, units[test], len(columns))
        constant = (DummyRegressor() if y.dtype.kind == "f" else DummyClassifier()).fit(new, answers)
        score = explaining._scorer(pipeline, "rmse" if y.dtype.kind == "f" else "error", y)
        better = score(held, new, answers) > score(constant, new, answers)
    small = any(q < ALPHA for q, own in zip(p, sets, strict=True) if all(c.startswith("noise") for c in own))
    return [small, small and better]


def of_noise(simulations: int) -> Iterator[dict]:
    """Yield shares of tables in which any column of noise is said to matter."""
    for cell in NOISE:
        found = Parallel(-1)(delayed(alarms)(cell, seed) for seed in range(simulations))
        names = ("target", "rows", "columns of noise", "model", "test", "test and baseline")
        yield dict(zip(names, [*cell, *np.mean(found, axis=0).tolist()], strict=True))


def said(found: dict[str, Any], prefix: str) -> tuple[int, int]:
    """Return how many columns matter by two deviations of the shufflings, and by the sentences."""
    mine = [x for x in found["importances"] if x["column"].startswith(prefix)]
    return sum(x["loss"] > max(2 * x["sd"], 0) for x in mine), sum(x["p"] < ALPHA and x["loss"] > 0 for x in mine)


def of_data() -> Iterator[dict]:
    """Yield how many columns of known data sets matter, beside as many columns of noise."""
    for load in (load_iris, load_wine, load_breast_cancer, load_diabetes):
        X, y = load(return_X_y=True, as_frame=True)
        noise = np.random.default_rng(0).normal(size=X.shape)
        X = X.add_prefix("real ").join(pd.DataFrame(noise, columns=[f"noise {j}" for j in range(X.shape[1])]))
        numbers = load is load_diabetes
        y = y.to_numpy(dtype=float if numbers else int)
        for name, model in (("forest", ForestClassifier), ("Rotastack", RotastackClassifier)):
            chosen = (
                {ForestClassifier: ForestRegressor, RotastackClassifier: RotastackRegressor}[model]
                if numbers
                else model
            )
            fitted = Pipeline([("table", TablePreprocessor()), ("model", chosen(100, random_state=0))]).fit(X, y)
            found = explaining.explain(fitted, X, y, "rmse" if numbers else "error")
            (old, real), (old_noise, noises) = said(found, "real"), said(found, "noise")
            yield {
                "data set": load.__name__.removeprefix("load_").replace("_", " "),
                "model": name,
                "columns": noise.shape[1],
                "two deviations": old,
                "test": real,
                "noise, two deviations": old_noise,
                "noise, test": noises,
            }


def write(name: str, rows: Iterable[dict]) -> None:
    """Write rows as a CSV file, each as soon as it is known."""
    with (FOLDER / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
        file.write("# `python benchmarks/which_columns.py`\n")
        writer = csv.writer(file, lineterminator="\n")
        for k, row in enumerate(rows):
            texts = [f"{v:.3f}" if isinstance(v, float) else str(v) for v in row.values()]
            writer.writerows([row, texts] if k == 0 else [texts])
            file.flush()
            print(*texts, flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--simulations", type=int, default=500)
    given = parser.parse_args()
    write("which_columns", of_noise(given.simulations))
    write("which_columns_found", of_data())
