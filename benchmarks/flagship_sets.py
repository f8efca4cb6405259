"""Compare the flagship with forests, boosting and a Rotation Forest on 57 data sets: errors, log losses, time.

    pip install -e '.[bench]'
    DATA_MIRROR=... python benchmarks/flagship_sets.py [--sets all|generated|NAME,NAME] [--splits 0,1] [--methods Rotastack,RF]
    python benchmarks/flagship_sets.py --table

At most 3000 rows of a data set, stratified splits, 70 % of the rows for training, one thread. The result of a method on a split
is a file in the folder `--results`; existing files are reused, so an interrupted command continues. `--table` adds the scores
of these files to docs/evidence/data/flagship_sets.parquet, and writes docs/evidence/flagship-sets.md from all scores there. So a
new version of the flagship needs no new runs of its peers. The flagship and CatBoost take categories unchanged, the others dummies.
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

PAGE = Path(__file__).parents[1] / "docs/evidence/flagship-sets.md"
SCORES = PAGE.parent / "data/flagship_sets.parquet"
OURS = "Rotastack"
MEASURES = ("error", "log_loss", "fit", "predict")
BOOSTERS = ("XGB", "HGB", "LightGBM", "CatBoost")
INTERACTIONS = ("chess-krkopt", "nursery", "tic-tac-toe", "monks-1", "monks-2", "monks-3", "madelon")


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
        "n_estimators": randint(50, 600), "learning_rate": loguniform(0.01, 0.3), "num_leaves": randint(4, 64),
        "min_child_samples": randint(2, 40), "subsample": uniform(0.5, 0.5), "subsample_freq": [1],
        "colsample_bytree": uniform(0.3, 0.7), "reg_lambda": loguniform(1e-3, 10),
    }  # fmt: skip
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
                table, presets=self.preset, time_limit=self.seconds, num_cpus=1, num_gpus=0,
                ag_args_ensemble={"fold_fitting_strategy": "sequential_local"},
            )  # fmt: skip
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
SLOW: dict[str, Callable[[int], Any]] = {
    "LightGBM tuned": _tuned,
    "AutoGluon medium": lambda seed: _AutoGluon("medium_quality"),
    "AutoGluon best": lambda seed: _AutoGluon("best_quality"),
}
"""Not among the methods that are run unless named: they take minutes a table, AutoGluon in an environment of its own."""

SEARCHES = (
    (
        "A tuned LightGBM",
        ("LightGBM tuned", "LightGBM"),
        "The best of 50 random settings by the log loss of three inner folds (`LightGBM tuned`), beside the defaults.",
    ),
    (
        "AutoGluon",
        tuple(method for method in SLOW if method.startswith("AutoGluon")),
        "AutoGluon 1.6 with two presets, by the log loss, a minute at most and one thread. Tables of up to 2,000 rows, a part of them generated.",
    ),
)
"""Sections of the page: their methods, and what is said of them."""


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


def every_set(found: Results, peers: Results) -> list[str]:
    """Return tables of errors and log losses; `peers` are the results without CatBoost, on more sets and splits."""
    lines = []
    for title, measure in (("Errors", "errors"), ("Log losses", "losses")):
        lines += [f"## {title}, set by set", "", f"| set | splits | test rows | {' | '.join(METHODS)} |"]
        lines.append("|---" * (len(METHODS) + 3) + "|")
        for name in peers.sets:
            have = found if name in found.sets else peers
            s = have.sets.index(name)
            shown = {m: f"{v:.3f}" for m, v in zip(have.methods, getattr(have, measure)[s], strict=True)}
            least = min(shown.values(), key=float)
            cells = [f"**{shown[m]}**" if shown.get(m) == least else shown.get(m, "-") for m in METHODS]
            lines.append(f"| {name} | {have.n_splits[s]} | {have.n_rows[s]} | {' | '.join(cells)} |")
        lines.append("")
    return lines


def interactions(found: Results, peers: Results) -> list[str]:
    lines = ["| set | splits | Rotastack | best booster | RF | RotF |", "|---|---|---|---|---|---|"]
    for name in INTERACTIONS:
        have = found if name in found.sets else peers
        if name not in have.sets:
            continue
        s = have.sets.index(name)
        errors = dict(zip(have.methods, have.errors[s], strict=True))
        best = min((m for m in BOOSTERS if m in errors), key=errors.__getitem__)
        cells = [f"{errors[OURS]:.4f}", f"{errors[best]:.4f} ({best})", f"{errors['RF']:.4f}", f"{errors['RotF']:.4f}"]
        lines.append(f"| {name} | {have.n_splits[s]} | {' | '.join(cells)} |")
    return lines


def page(measured: pd.DataFrame) -> str:
    """Return the document of all results."""
    without = [m for m in METHODS if m != "CatBoost"]
    found, peers = (Results.of(measured, SETS, methods) for methods in (list(METHODS), without))
    lines = [
        "# The flagship and its peers, set by set", "",
        "Written by `python benchmarks/flagship_sets.py --table`, from what the same command without `--table` ran.", "",
        "The 57 data sets of [the flagship against others](flagship.md), at most 3000 rows each, in stratified splits with 70 % of the rows for training. Numbers are means over the splits that all methods of a table have run.", "",
        "- **Methods.** RF and ET are scikit-learn's random forest and extra trees with 500 trees. XGB is XGBoost with 300 rounds at a rate of .1. HGB (scikit-learn's HistGradientBoosting), LightGBM and CatBoost have their defaults. RotF is our Rotation Forest of 200 C4.5 trees.",
        "- **Categories and missing values.** Rotastack, CatBoost and AutoGluon take categories as they are. The others take dummies, medians, and columns that tell of missing values.",
        "- **Scores.** Log losses are with probabilities clipped at .001. Regret is (error - best) / (best + .01), best being the least error of a peer. Times are processor time, one thread, while other jobs ran.", "",
    ]  # fmt: skip
    slow = [name for name in peers.sets if name not in found.sets]
    if slow:
        lines += [f"CatBoost was left out on {', '.join(slow)}: fits are slow there.", ""]
    lines += ["## All sets", ""]
    for title, results in (("With CatBoost", found), ("Without CatBoost", peers)):
        lines += [f"{title}. {_splits(results)}:", "", *summary(results), ""]
    worse = [
        f"{name} ({peers.errors[s, 0]:.3f}, {peers.errors[s, 1]:.3f})"
        for s, name in enumerate(peers.sets) if peers.errors[s, 0] > peers.errors[s, 1] + 1e-9
    ]  # fmt: skip
    lines += [f"More errors than RF, over all splits: {', '.join(worse) or 'nowhere'}.", ""]
    for title, methods, about in SEARCHES:
        searched = Results.of(measured, (*SETS, *GENERATED), (OURS, "RF", *methods))
        if len(searched.sets):
            lines += [
                f"## {title}", "", about, "", f"{_splits(searched)}:", "", *summary(searched), "",
                *each_set(searched, "errors"), "", *each_set(searched, "losses"), "",
            ]  # fmt: skip
    lines += ["## Where columns interact", "", *interactions(found, peers), "", *every_set(found, peers)]
    generated = Results.of(measured, GENERATED, (OURS, "RF"))
    if len(generated.sets):
        lines += ["## Generated tables", "", f"{_splits(generated)}:", "", *summary(generated), ""]
    return "\n".join(lines)


def each_set(found: Results, measure: str) -> list[str]:
    """Return a row of a measure for each set; the least number is bold."""
    title = {"errors": "error", "losses": "log loss"}[measure]
    lines = [f"| {title} | {' | '.join(found.methods)} |", "|---" * (len(found.methods) + 1) + "|"]
    for name, values in zip(found.sets, getattr(found, measure), strict=True):
        shown = [f"{v:.3f}" for v in values]
        least = min(shown, key=float)
        lines.append(f"| {name} | {' | '.join(f'**{s}**' if s == least else s for s in shown)} |")
    return lines


def _splits(found: Results) -> str:
    counts = [f"{n} of {np.sum(found.n_splits == n)} sets" for n in sorted(set(found.n_splits.tolist()))]
    return f"Splits: {', '.join(counts)}"


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
        write_text(PAGE, page(measured))
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
