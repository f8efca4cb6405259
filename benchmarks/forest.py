"""Compare forests with peers: fit, predict, accuracy, nodes and memory.

    pip install -e '.[bench]'
    python benchmarks/forest.py [--size small|full] [--only TABLE ...] [--json FILE]
    python benchmarks/table.py FILE          # the tables and the plot of benchmarks/README.md

Each ratio is taken within a pair of consecutive runs, because single times on a shared machine are not comparable; the
output is the median over the repeats. A peer is a function of PEERS, a table a function of TABLES. The output names peers
that are not installed.
"""

import argparse
import importlib.util
import json
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ.setdefault(_variable, "1")

import numpy as np
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine, make_classification

from rotastack import RotationForestClassifier
from rotastack.data.generators import waveform
from rotastack.trees import (
    ExtraForestClassifier,
    ForestClassifier,
    LinearViews,
    TrainingRows,
    TreeGroup,
    TreeOptions,
    grow_forest,
)
from rotastack.views.haar import haar_rotations

# Tables: X, y; the first half of the rows trains, the other half tests.


def _halves(X, y, seed=0):
    X = (X - X.min(axis=0)) / np.maximum(np.ptp(X, axis=0), 1e-12)
    order = np.random.default_rng(seed).permutation(len(y))
    X, y = X[order].astype(np.float32), np.unique(y, return_inverse=True)[1][order]
    n = len(y) // 2
    return X[:n], y[:n], X[n:], y[n:]


def _waveform(rows):
    frame = waveform(rows, seed=0)
    return frame.iloc[:, :-1].to_numpy(float), frame.iloc[:, -1].to_numpy()


TABLES: dict[str, Callable] = {
    "iris 75x4": lambda: _halves(*load_iris(return_X_y=True)),
    "wine 89x13": lambda: _halves(*load_wine(return_X_y=True)),
    "made 176x34": lambda: _halves(*make_classification(352, 34, n_informative=10, random_state=0)),
    "breast cancer 284x30": lambda: _halves(*load_breast_cancer(return_X_y=True)),
    "digits 898x64": lambda: _halves(*load_digits(return_X_y=True)),
    "waveform 2500x21": lambda: _halves(*_waveform(5000)),
    "made 20000x50": lambda: _halves(*make_classification(40000, 50, n_informative=25, random_state=0)),
}


# Peers: (n_trees, n_threads, table) -> (fit, predict), each called without arguments.


def _pair(model, X, y, T):
    return (lambda: model.fit(X, y)), (lambda: model.predict_proba(T))


def ours(n_trees, n_threads, X, y, T):
    return _pair(ForestClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def ours_extra(n_trees, n_threads, X, y, T):
    return _pair(ExtraForestClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def sklearn_forest(n_trees, n_threads, X, y, T):
    from sklearn.ensemble import RandomForestClassifier

    return _pair(RandomForestClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def sklearn_extra(n_trees, n_threads, X, y, T):
    from sklearn.ensemble import ExtraTreesClassifier

    return _pair(ExtraTreesClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def _rotated(n_trees, n_threads, X, y, T, max_features, draws=None):
    """A new rotation for every tree, drawn (unless given), applied and used as part of fit."""
    state = {}

    def fit():
        rotations = haar_rotations(X.shape[1], np.random.default_rng(0), n_trees) if draws is None else draws
        views = LinearViews.dense(rotations)
        state["trees"], state["oob"] = grow_forest(
            TrainingRows(X, y, int(y.max()) + 1),
            [TreeGroup(n_trees, views, max_features=max_features)],
            TreeOptions(n_jobs=n_threads),
            np.random.SeedSequence(0),
        )
        return state["trees"]

    return fit, lambda: state["trees"].sums(T, n_threads) / n_trees


def ours_rotated(*arguments):
    return _rotated(*arguments, "sqrt")


def _given(n_trees, p):
    return haar_rotations(p, np.random.default_rng(0), n_trees).astype(np.float32)


def ours_given(n_trees, n_threads, X, y, T):
    return _rotated(n_trees, n_threads, X, y, T, "sqrt", _given(n_trees, X.shape[1]))


def ours_given_all(n_trees, n_threads, X, y, T):
    return _rotated(n_trees, n_threads, X, y, T, None, _given(n_trees, X.shape[1]))


def _bare(n_trees, X, y, T, max_features):
    """scikit-learn's compiled tree builder alone, without an estimator, on data that fit rotates."""
    from sklearn.tree._criterion import Gini
    from sklearn.tree._splitter import BestSplitter
    from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

    n, p = X.shape
    n_classes = np.array([y.max() + 1], dtype=np.intp)
    wanted = p if max_features is None else max(1, int(np.sqrt(p)))
    target = y.astype(np.float64)[:, None]
    rotations = _given(n_trees, p)
    state = {}

    def fit():
        random = np.random.RandomState(0)
        trees = []
        for rotation in rotations:
            weights = np.bincount(random.randint(0, n, n), minlength=n).astype(np.float64)
            splitter = BestSplitter(Gini(1, n_classes), wanted, 1, 0.0, random, None)
            tree = Tree(p, n_classes, 1)
            DepthFirstTreeBuilder(splitter, 2, 1, 0.0, 2**31 - 1, 0.0).build(tree, X @ rotation, target, weights, None)
            trees.append((rotation, tree))
        state["trees"] = trees
        return trees

    return fit, lambda: sum(tree.predict(T @ r).reshape(len(T), -1) for r, tree in state["trees"]) / n_trees


def sklearn_bare(n_trees, n_threads, X, y, T):
    return _bare(n_trees, X, y, T, "sqrt")


def sklearn_bare_all(n_trees, n_threads, X, y, T):
    return _bare(n_trees, X, y, T, None)


def ours_rotation_forest(n_trees, n_threads, X, y, T):
    return _pair(RotationForestClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def aeon_rotation(n_trees, n_threads, X, y, T):
    from aeon.classification.sklearn import RotationForestClassifier

    return _pair(RotationForestClassifier(n_trees, n_jobs=n_threads, random_state=0), X, y, T)


def _ydf(n_trees, n_threads, X, y, T, **options):
    import ydf

    names = [f"f{j}" for j in range(X.shape[1])]
    train = {**dict(zip(names, X.T.copy(), strict=True)), "y": y}
    test = dict(zip(names, T.T.copy(), strict=True))
    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=n_trees,
        num_threads=n_threads,
        compute_oob_performances=True,
        winner_take_all=False,
        min_examples=1,
        max_depth=-1,
        **options,
    )
    state = {}

    def fit():
        state["model"] = learner.train(train, verbose=0)
        return state["model"]

    def predict():
        out = state["model"].predict(test)
        return np.stack([1 - out, out], axis=1) if out.ndim == 1 else out

    return fit, predict


def ydf_axis(*arguments):
    return _ydf(*arguments)


def ydf_oblique(*arguments):
    return _ydf(*arguments, split_axis="SPARSE_OBLIQUE", sparse_oblique_num_projections_exponent=0.5)


def xgboost_forest(n_trees, n_threads, X, y, T):
    from xgboost import XGBRFClassifier

    return _pair(
        XGBRFClassifier(
            n_trees,
            n_jobs=n_threads,
            random_state=0,
            max_depth=0,
            grow_policy="lossguide",
            min_child_weight=0,
            colsample_bynode=1 / np.sqrt(X.shape[1]),
            reg_lambda=1e-6,
            subsample=0.632,
        ),
        X,
        y,
        T,
    )


def lightgbm_forest(n_trees, n_threads, X, y, T):
    import warnings

    from lightgbm import LGBMClassifier

    warnings.filterwarnings("ignore", message="X does not have valid feature names")
    return _pair(
        LGBMClassifier(
            boosting_type="rf",
            n_estimators=n_trees,
            n_jobs=n_threads,
            random_state=0,
            num_leaves=4095,
            min_child_samples=1,
            subsample=0.632,
            subsample_freq=1,
            verbose=-1,
            feature_fraction_bynode=1 / np.sqrt(X.shape[1]),
        ),
        X,
        y,
        T,
    )


PEERS: dict[str, Callable] = {
    "rotastack forest": ours,
    "rotastack extra trees": ours_extra,
    "rotastack rotated, sqrt": ours_rotated,
    "rotastack, rotations given, sqrt": ours_given,
    "rotastack, rotations given, all": ours_given_all,
    "scikit-learn RandomForest": sklearn_forest,
    "scikit-learn ExtraTrees": sklearn_extra,
    "scikit-learn bare builder, rotated, sqrt": sklearn_bare,
    "scikit-learn bare builder, rotated, all": sklearn_bare_all,
    "rotastack RotationForest": ours_rotation_forest,
    "aeon RotationForest": aeon_rotation,
    "ydf forest": ydf_axis,
    "ydf oblique": ydf_oblique,
    "xgboost forest": xgboost_forest,
    "lightgbm forest": lightgbm_forest,
}

NEEDS = {"aeon": "aeon", "ydf": "ydf", "xgboost": "xgboost", "lightgbm": "lightgbm"}

# What is compared: title, ours, theirs, forest sizes, tables left out.
COMPARISONS: list[tuple[str, str, str, tuple[int, ...], tuple[str, ...]]] = [
    ("RandomForest, sqrt features", "rotastack forest", "scikit-learn RandomForest", (20, 100), ()),
    ("ExtraTrees, sqrt features", "rotastack extra trees", "scikit-learn ExtraTrees", (20, 100), ()),
    (
        "rotated, against the bare builder, sqrt features",
        "rotastack, rotations given, sqrt",
        "scikit-learn bare builder, rotated, sqrt",
        (20, 100),
        (),
    ),
    (
        "rotated, against the bare builder, all features",
        "rotastack, rotations given, all",
        "scikit-learn bare builder, rotated, all",
        (20, 100),
        ("made 20000x50",),
    ),
    ("aeon's RotationForest", "rotastack RotationForest", "aeon RotationForest", (100,), ("made 20000x50",)),
    ("ydf, axis-aligned", "rotastack forest", "ydf forest", (100,), ()),
    ("ydf, sparse oblique", "rotastack rotated, sqrt", "ydf oblique", (100,), ()),
    ("xgboost, forest mode", "rotastack forest", "xgboost forest", (100,), ()),
    ("lightgbm, forest mode", "rotastack forest", "lightgbm forest", (100,), ()),
]


def installed(peer: str) -> bool:
    package = NEEDS.get(peer.split()[0])
    return package is None or importlib.util.find_spec(package) is not None


def timed(call):
    start = time.perf_counter()
    out = call()
    return time.perf_counter() - start, out


def n_nodes(fitted) -> float | None:
    """Return the mean number of nodes of a tree, if known."""
    from rotastack.diagnostics import tree_complexity

    if hasattr(fitted, "sizes"):
        return float(fitted.sizes[:, 0].mean())
    if isinstance(fitted, list):
        return float(np.mean([tree.node_count for _, tree in fitted]))
    if type(fitted).__module__.startswith("aeon"):
        return float(np.mean([e.tree_.node_count for e in fitted.estimators_]))
    if type(fitted).__module__.startswith(("rotastack", "sklearn")):
        return float(tree_complexity(fitted)["n_nodes"].mean())
    if hasattr(fitted, "booster_"):
        trees = fitted.booster_.dump_model()["tree_info"]
        return float(np.mean([2 * t["num_leaves"] - 1 for t in trees]))
    if hasattr(fitted, "get_booster"):
        return float(np.mean([len(d.strip().split("\n")) for d in fitted.get_booster().get_dump()]))
    if hasattr(fitted, "num_nodes"):
        return float(fitted.num_nodes() / fitted.num_trees())
    return None


def compare(title, mine, theirs, n_trees, n_threads, table, repeats):
    X, y, T, t = TABLES[table]()
    (fit_a, predict_a), (fit_b, predict_b) = (PEERS[k](n_trees, n_threads, X, y, T) for k in (mine, theirs))
    fit_a(), predict_a()
    first, _ = timed(fit_b)
    predict_b()
    repeats = max(3, min(repeats, int(20 / max(first, 1e-3))))
    fit, predict, seconds = [], [], []
    for _ in range(repeats):
        a, model_a = timed(fit_a)
        b, model_b = timed(fit_b)
        c, out_a = timed(predict_a)
        d, out_b = timed(predict_b)
        fit.append(b / a)
        predict.append(d / c)
        seconds.append(a)
    return {
        "comparison": title,
        "peer": theirs,
        "table": table,
        "trees": n_trees,
        "threads": n_threads,
        "fit": float(np.median(fit)),
        "predict": float(np.median(predict)),
        "repeats": repeats,
        "microseconds_per_tree": float(np.median(seconds)) / n_trees * 1e6,
        "accuracy": float(np.mean(out_a.argmax(axis=1) == t)),
        "peer_accuracy": float(np.mean(out_b.argmax(axis=1) == t)),
        "nodes": n_nodes(model_a),
        "peer_nodes": n_nodes(model_b),
    }


def memory(peer, table, n_trees=100):
    """Return the increase of peak resident memory (MB) by fit, in a separate process (Linux)."""
    code = (
        f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "import gc, re, forest\n"
        "def kilobytes(key):\n"
        "    return int(re.search(key + r':\\s+(\\d+)', open('/proc/self/status').read())[1])\n"
        f"X, y, T, _ = forest.TABLES[{table!r}]()\n"
        f"forest.PEERS[{peer!r}](2, 1, X[:60], y[:60], T[:60])[0]()\n"
        f"fit = forest.PEERS[{peer!r}]({n_trees}, 1, X, y, T)[0]\n"
        "gc.collect(); open('/proc/self/clear_refs', 'w').write('5')\n"
        "before = kilobytes('VmRSS'); fit(); print((kilobytes('VmHWM') - before) / 1024)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    return float(run.stdout.split()[-1]) if run.returncode == 0 else float("nan")


def threads(table, n_trees, repeats):
    """Return the speed-up of our forest with two threads."""
    X, y, T, _ = TABLES[table]()
    one, two = (ours(n_trees, k, X, y, T)[0] for k in (1, 2))
    one(), two()
    return float(np.median([timed(one)[0] / timed(two)[0] for _ in range(repeats)]))


def machine() -> str:
    model = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        names = [line.split(":")[1].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        model = names[0] if names else model
    return f"{model}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--size", choices=["small", "full"], default="full")
    parser.add_argument("--only", nargs="*", default=list(TABLES), choices=list(TABLES))
    parser.add_argument("--comparisons", nargs="*", help="texts in the titles of the comparisons to run")
    parser.add_argument("--repeats", type=int, default=15)
    parser.add_argument("--json", type=Path, help="file for all numbers")
    parser.add_argument("--only-threads-and-memory", action="store_true")
    arguments = parser.parse_args()
    tables = [t for t in arguments.only if arguments.size == "full" or "20000" not in t]
    print(machine())
    rows = []
    for title, mine, theirs, sizes, left_out in [] if arguments.only_threads_and_memory else COMPARISONS:
        if arguments.comparisons and not any(c in title for c in arguments.comparisons):
            continue
        if not installed(theirs):
            print(f"left out, as it is not installed: {theirs}")
            continue
        for table in tables:
            if table in left_out:
                continue
            for n_trees in sizes[: 1 if arguments.size == "small" else None]:
                row = compare(title, mine, theirs, n_trees, 1, table, arguments.repeats)
                rows.append(row)
                print(
                    f"{title:52s} {table:22s} {n_trees:4d} trees  fit {row['fit']:7.1f}x  "
                    f"predict {row['predict']:6.1f}x  accuracy {row['accuracy']:.3f} / {row['peer_accuracy']:.3f}  "
                    f"nodes {row['nodes'] or 0:.0f} / {row['peer_nodes'] or 0:.0f}",
                    flush=True,
                )
    result = {"machine": machine(), "rows": rows}
    if not arguments.comparisons and arguments.size == "full":
        result["threads"] = {t: threads(t, 1000 if "000" not in t and "500" not in t else 48, 7) for t in tables}
        print("two threads:", {k: round(v, 2) for k, v in result["threads"].items()}, flush=True)
        names = [p for p in PEERS if installed(p)]
        result["memory"] = {p: memory(p, "waveform 2500x21") for p in names}
        print("peak memory of fit, MB, waveform, 100 trees:", {k: round(v) for k, v in result["memory"].items()})
    if arguments.json:
        arguments.json.write_text(json.dumps(result, indent=1) + "\n")


if __name__ == "__main__":
    main()
