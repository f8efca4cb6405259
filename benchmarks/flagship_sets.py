"""Compare the flagship with forests, boosting and a Rotation Forest on 57 data sets: errors, log losses, time.

    pip install -e '.[bench]'
    DATA_MIRROR=... python benchmarks/flagship_sets.py [--sets all|generated|NAME,NAME] [--splits 0,1] [--methods Rotastack,RF]
    python benchmarks/flagship_sets.py --table

At most 3000 rows of a data set, stratified splits, 70 % of the rows for training, one thread. The result of a method on a split
is a file in the folder `--results`; existing files are reused, so an interrupted command continues. `--table` adds the scores
of these files to docs/evidence/data/flagship_sets.parquet, and writes their means to flagship_sets.csv beside it. So a new
version of the flagship needs no new runs of its peers. The flagship and CatBoost take categories unchanged, the others dummies.
"""

import argparse
import os
import time
import warnings

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
from flagship_data import GENERATED, SETS, Split, category_columns, chosen_sets, dummies, scores, with_text
from numpy.typing import NDArray
from scipy.stats import loguniform, randint, rankdata, uniform, wilcoxon
from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.model_selection import RandomizedSearchCV, StratifiedKFold

from rotastack import RotastackClassifier, RotationForestClassifier
from rotastack.files import replacing, write_text

SCORES = Path(__file__).parents[1] / "docs/evidence/data/flagship_sets.parquet"
MEANS = SCORES.with_suffix(".csv")
OURS = "Rotastack"
MEASURES = ("error", "log_loss", "fit", "predict")


def _xgboost(seed: int):
    from xgboost import XGBClassifier

    return XGBClassifier(n_estimators=300, learning_rate=0.1, n_jobs=1, random_state=seed)


def _lightgbm(seed: int):
    from lightgbm import LGBMClassifier

    return LGBMClassifier(n_jobs=1, verbosity=-1, random_state=seed)


def _catboost(seed: int):
    from catboost import CatBoostClassifier

    return CatBoostClassifier(thread_count=1, verbose=0, random_seed=seed, allow_writing_files=False)


def _tuned(seed: int):
    """Return LightGBM with the best of 50 random settings, by the log loss of 3 inner folds."""
    from lightgbm import LGBMClassifier

    settings = {
        "n_estimators": randint(50, 600),
        "learning_rate": loguniform(0.01, 0.3),
        "num_leaves": randint(4, 64),
        "min_child_samples": randint(2, 40),
        "subsample": uniform(0.5, 0.5),
        "subsample_freq": [1],
        "colsample_bytree": uniform(0.3, 0.7),
        "reg_lambda": loguniform(1e-3, 10),
    }
    model = LGBMClassifier(n_jobs=1, verbosity=-1, random_state=seed)
    return RandomizedSearchCV(
        model, settings, n_iter=50, scoring="neg_log_loss", cv=StratifiedKFold(3), random_state=seed
    )


class _AutoGluon:
    """AutoGluon's TabularPredictor with a preset, for at most a minute, by the log loss, in one thread."""

    def __init__(self, preset: str, seconds: float = 60):
        self.preset, self.seconds = preset, seconds

    def fit(self, X: pd.DataFrame, y: NDArray[np.intp]) -> "_AutoGluon":
        from autogluon.tabular import TabularPredictor

        with TemporaryDirectory() as folder:
            kind = "binary" if y.max() < 2 else "multiclass"
            self.model = TabularPredictor("target", problem_type=kind, eval_metric="log_loss", path=folder, verbosity=0)
            table = _named(X).assign(target=y)
            self.model.fit(
                table,
                presets=self.preset,
                time_limit=self.seconds,
                num_cpus=1,
                num_gpus=0,
                ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
            )
            self.model.persist()
        return self

    def predict_proba(self, X: pd.DataFrame) -> NDArray[np.float64]:
        return self.model.predict_proba(_named(X)).to_numpy()


def _named(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_axis([f"x{column}" for column in range(X.shape[1])], axis=1)


METHODS: dict[str, Callable[[int], Any]] = {
    OURS: lambda seed: RotastackClassifier(random_state=seed),
    "RF": lambda seed: RandomForestClassifier(500, random_state=seed),
    "ET": lambda seed: ExtraTreesClassifier(500, random_state=seed),
    "XGB": _xgboost,
    "HGB": lambda seed: HistGradientBoostingClassifier(random_state=seed),
    "LightGBM": _lightgbm,
    "CatBoost": _catboost,
    "RotF": lambda seed: RotationForestClassifier(200, subset_size=3, random_state=seed),
}
WITHOUT_CATBOOST = [method for method in METHODS if method != "CatBoost"]
"""CatBoost was left out of ten data sets, where its fits are slow."""
SLOW: dict[str, Callable[[int], Any]] = {
    "LightGBM tuned": _tuned,
    "AutoGluon medium": lambda seed: _AutoGluon("medium_quality"),
    "AutoGluon best": lambda seed: _AutoGluon("best_quality"),
}
"""Not among the methods that are run unless named: they take minutes a table, AutoGluon in an environment of its own."""

SEARCHES = {"tuned": ("LightGBM tuned", "LightGBM"), "AutoGluon": ("AutoGluon medium", "AutoGluon best")}
"""Comparisons with peers that search their settings, on fewer tables."""


def result_file(folder: Path, name: str, number: int, method: str) -> Path:
    return folder / name / f"{number}.{method}.npz"


def run(method: str, split: Split, seed: int) -> dict[str, NDArray]:
    """Return probabilities of test rows, their classes, and processor seconds."""
    options = {}
    if method == OURS or method.startswith("AutoGluon"):
        X, X_test = split.X, split.X_test
    elif method == "CatBoost":
        X, X_test = with_text(split.X), with_text(split.X_test)
        options = {"cat_features": category_columns(X)}
    else:
        X, X_test = dummies(split)
    model = {**METHODS, **SLOW}[method](seed)
    start = time.process_time()
    model.fit(X, split.y, **options)
    middle = time.process_time()
    found = model.predict_proba(X_test)
    seconds = {"fit": np.array(middle - start), "predict": np.array(time.process_time() - middle)}
    return {"probabilities": found.astype(np.float32), "y": split.y_test, **seconds}


@dataclass(frozen=True)
class Results:
    """What methods reached on sets: means over the splits that all of them have run.

    Attributes
    ----------
    sets, methods : tuple of str
    errors, losses, fit, predict : ndarray of shape (n_sets, n_methods)
    n_rows : ndarray of int of shape (n_sets,)
        Test rows of a split.
    n_splits : ndarray of int of shape (n_sets,)
    """

    sets: tuple[str, ...]
    methods: tuple[str, ...]
    errors: NDArray[np.float64]
    losses: NDArray[np.float64]
    fit: NDArray[np.float64]
    predict: NDArray[np.float64]
    n_rows: NDArray[np.intp]
    n_splits: NDArray[np.intp]

    @classmethod
    def of(cls, measured: pd.DataFrame, sets: Iterable[str], methods: Sequence[str]) -> "Results":
        """Return means of what :func:`all_scores` returns."""
        names, means, n_rows, n_splits = [], [], [], []
        for name in sets:
            part = measured[(measured["set"] == name) & measured["method"].isin(methods)]
            n_methods = part.groupby("split")["method"].transform("size")
            whole = part[n_methods == len(methods)]
            if whole.empty:
                continue
            names.append(name)
            means.append(whole.groupby("method")[list(MEASURES)].mean().loc[list(methods)])
            n_rows.append(int(whole["test_rows"].max()))
            n_splits.append(whole["split"].nunique())
        errors, losses, fit, predict = np.reshape(means, (-1, len(methods), 4)).transpose(2, 0, 1)
        return cls(tuple(names), tuple(methods), errors, losses, fit, predict, np.array(n_rows), np.array(n_splits))

    def place(self, method: str) -> int:
        return self.methods.index(method)

    def regrets(self) -> NDArray[np.float64]:
        """Return errors above those of the best peer, in hindsight, as multiples of these; (set, method)."""
        best = np.delete(self.errors, self.place(OURS), axis=1).min(axis=1, keepdims=True)
        return (self.errors - best) / (best + 0.01)


def all_scores(folder: Path) -> pd.DataFrame:
    """Return the stored scores and those of the files in a folder: a row for each set, split and method."""
    rows = []
    for file in sorted(folder.glob("*/*.npz")):
        number, method = file.stem.split(".", 1)
        with np.load(file) as stored:
            y = stored["y"]
            values = (
                *scores(stored["probabilities"].astype(np.float64), y),
                float(stored["fit"]),
                float(stored["predict"]),
            )
        rows.append((file.parent.name, int(number), method, *values, len(y)))
    new = pd.DataFrame(rows, columns=["set", "split", "method", *MEASURES, "test_rows"])
    both = pd.concat([pd.read_parquet(SCORES), new]) if SCORES.exists() else new
    keys = ["set", "split", "method"]
    return both.drop_duplicates(keys, keep="last").sort_values(keys, ignore_index=True)


def summary(found: Results) -> list[str]:
    """Return the table that compares methods over many data sets."""
    ours, forest = found.place(OURS), found.place("RF")
    errors, losses = found.errors.round(9), found.losses.round(9)
    rows = [
        ("average rank, error", rankdata(errors, axis=1).mean(axis=0), ".2f"),
        ("average rank, log loss", rankdata(losses, axis=1).mean(axis=0), ".2f"),
        ("mean error", errors.mean(axis=0), ".4f"),
        ("mean log loss", losses.mean(axis=0), ".4f"),
        ("mean regret against the best peer in hindsight", found.regrets().mean(axis=0), ".3f"),
    ]
    lines = [f"| {len(found.sets)} sets | {' | '.join(found.methods)} |", "|---" * (len(found.methods) + 1) + "|"]
    for title, values, form in rows:
        shown = [format(v, form) for v in values]
        best = min(shown, key=float)
        lines.append(f"| {title} | {' | '.join(f'**{s}**' if s == best else s for s in shown)} |")
    for title, values in (("error", errors), ("log loss", losses)):
        against, p_values = [], []
        for m in range(len(found.methods)):
            less, more = np.sum(values[:, ours] < values[:, m]), np.sum(values[:, ours] > values[:, m])
            against.append("" if m == ours else f"{less} : {more}")
            p = wilcoxon(values[:, ours], values[:, m]).pvalue if less + more else 1.0
            p_values.append("" if m == ours else f"{p:.3f}" if p >= 0.001 else "< .001")
        lines.append(f"| {OURS} better : worse, {title} | {' | '.join(against)} |")
        lines.append(f"| Wilcoxon's p against {OURS}, {title} | {' | '.join(p_values)} |")
    lines.append(_against_each("sets on which it has more errors than RF", (errors > errors[:, [forest]]).sum(axis=0)))
    for peer in ("RF", "CatBoost"):
        if peer in found.methods and not np.isnan(found.fit).any():
            for what, times in (("fit", found.fit), ("predict", found.predict)):
                ratios = np.median(times / times[:, [found.place(peer)]], axis=0)
                lines.append(_against_each(f"time to {what}, {peer}'s being 1, median", [f"{r:.3g}" for r in ratios]))
    return lines


def _against_each(title: str, values: Iterable[Any]) -> str:
    return f"| {title} | {' | '.join(map(str, values))} |"


def means(measured: pd.DataFrame) -> str:
    """Return mean errors and log losses as CSV: a row for each comparison, measure and set; empty where a method was not run."""
    compared = {"without CatBoost": (SETS, tuple(WITHOUT_CATBOOST)), "all": (SETS, tuple(METHODS))}
    compared |= {name: ((*SETS, *GENERATED), (OURS, "RF", *peers)) for name, peers in SEARCHES.items()}
    compared["generated"] = (GENERATED, (OURS, "RF"))
    frames = []
    for comparison, (sets, methods) in compared.items():
        found = Results.of(measured, sets, methods)
        for measure, values in (("error", found.errors), ("log loss", found.losses)):
            about = {"comparison": comparison, "measure": measure, "set": found.sets}
            about |= {"splits": found.n_splits, "test rows": found.n_rows}
            frames.append(pd.DataFrame({**about, **dict(zip(methods, values.T, strict=True))}))
    columns = ["comparison", "measure", "set", "splits", "test rows", *METHODS, *SLOW]
    return "# `python benchmarks/flagship_sets.py --table`\n" + pd.concat(frames)[columns].to_csv(
        index=False, float_format="%.3f"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="all")
    parser.add_argument("--splits", default="0")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--results", type=Path, default=Path("results/benchmarks/flagship_sets"))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if options.table:
        measured = all_scores(options.results)
        measured.to_parquet(SCORES, index=False)
        write_text(MEANS, means(measured))
        return
    methods = options.methods.split(",")
    known = {**METHODS, **SLOW}
    if unknown := [method for method in methods if method not in known]:
        parser.error(f"--methods: {', '.join(unknown)}: there are {', '.join(known)}")
    for number in map(int, options.splits.split(",")):
        for name in chosen_sets(options.sets):
            files = {method: result_file(options.results, name, number, method) for method in methods}
            missing = {method: file for method, file in files.items() if not file.exists()}
            split = Split.of(name, number) if missing else None
            for method, file in missing.items():
                found = run(method, split, number)
                with replacing(file) as temporary, temporary.open("wb") as stream:
                    np.savez(stream, **found)
                error, log_loss = scores(found["probabilities"], found["y"])
                print(
                    name,
                    number,
                    method,
                    f"error {error:.4f} log loss {log_loss:.4f} fit {found['fit']:.2f} s",
                    flush=True,
                )


if __name__ == "__main__":
    main()
