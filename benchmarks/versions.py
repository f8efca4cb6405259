"""Compare two versions of Rotastack, each in a separate environment.

    python benchmarks/versions.py --before OLD/bin/python --after NEW/bin/python [--pairs 9] [--only PART ...]

Each environment runs a worker; the two alternate, with one thread each: fit, then predict. The output is medians of the ratios
of consecutive runs, before over after, so 2x means that the newer version takes half as long. The last rows are whole
processes: imports, and the first fit of a process.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

STARTS = {
    "import rotastack": "import rotastack",
    "import a forest": "from rotastack.trees import ForestClassifier",
    "first flagship fit of a process": (
        "from sklearn.datasets import load_iris\n"
        "from rotastack import RotastackClassifier\n"
        "RotastackClassifier(random_state=0).fit(*load_iris(return_X_y=True))"
    ),
}


def cases() -> dict[str, Callable]:
    """Return functions that make a fit and a prediction, for timing."""
    import forest
    import numpy as np
    from sklearn.datasets import load_diabetes, make_regression

    from rotastack import (
        DoubleRotationForestClassifier,
        RandomSubspaceEnsembleClassifier,
        RotastackClassifier,
        RotastackRegressor,
        RotationForestClassifier,
    )
    from rotastack.trees import C45Classifier, ForestClassifier, ForestRegressor, TreeClassifier

    def of(model, data):
        X, y, T, _ = data
        return (lambda: model.fit(X, y)), (lambda: model.predict(T))

    def halves(X, y):
        return X[::2], y[::2], X[1::2], y[1::2]

    made: dict[str, Callable] = {}
    for table, load in forest.TABLES.items():
        for title, peer, sizes in (
            ("forest", forest.ours, (20, 100)),
            ("extra trees", forest.ours_extra, (100,)),
            ("rotated, sqrt", forest.ours_given, (100,)),
            ("rotated, all columns", forest.ours_given_all, (20,)),
        ):
            for n_trees in sizes:
                n = max(2, n_trees // 10) if "20000" in table else n_trees
                made[f"{title}, {n} trees, {table}"] = lambda load=load, peer=peer, n=n: peer(n, 1, *load()[:3])
    for table in ("wine 89x13", "digits 898x64", "waveform 2500x21"):
        load = forest.TABLES[table]
        for title, model in (
            ("flagship", RotastackClassifier(20, random_state=0)),
            ("Rotation Forest of C4.5", RotationForestClassifier(20, random_state=0)),
            ("forest of entropy trees, all columns", ForestClassifier(20, criterion="entropy", max_features=None, random_state=0)),
            ("C4.5 tree", C45Classifier()),
            ("tree", TreeClassifier(random_state=0)),
            ("C4.5 on random subspaces", RandomSubspaceEnsembleClassifier(n_estimators=10, random_state=0)),
        ):  # fmt: skip
            made[f"{title}, {table}"] = lambda load=load, model=model: of(model, load())
    wine = forest.TABLES["wine 89x13"]
    made["double rotation, wine 89x13"] = lambda: of(DoubleRotationForestClassifier(20, random_state=0), wine())
    numbers = {
        "diabetes 221x10": lambda: halves(*load_diabetes(return_X_y=True)),
        "made 5000x20": lambda: halves(*make_regression(10_000, 20, noise=10, random_state=0)),
    }
    for table, load in numbers.items():
        made[f"regression forest, {table}"] = lambda load=load: of(ForestRegressor(20, random_state=0), load())
        made[f"flagship regressor, {table}"] = lambda load=load: of(RotastackRegressor(20, random_state=0), load())

    def dummies():
        rng = np.random.default_rng(0)
        X = np.eye(40, dtype=np.float32)[rng.integers(40, size=6000)]
        return halves(X, (X @ rng.normal(size=40) + rng.normal(size=6000) > 0).astype(int))

    made["forest, 20 trees, dummies 3000x40"] = lambda: of(ForestClassifier(20, random_state=0), dummies())
    return made


def work() -> None:
    """Time the cases that the other side of the pipe requests."""
    known = cases()
    print(json.dumps(list(known)), flush=True)
    for line in sys.stdin:
        name, pairs = json.loads(line)
        fit, predict = known[name]()
        fit(), predict()
        print(json.dumps("ready"), flush=True)
        for _ in range(pairs):
            sys.stdin.readline()
            seconds = []
            for call in (fit, predict):
                start = time.perf_counter()
                call()
                seconds.append(time.perf_counter() - start)
            print(json.dumps(seconds), flush=True)


class Worker:
    """A process of one environment."""

    def __init__(self, python: str):
        threads = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
        self.python, self.environment = (
            python,
            {**os.environ, **threads, "PATH": f"{Path(python).parent}:{os.environ['PATH']}"},
        )
        self._process = subprocess.Popen(
            [python, __file__, "--work"], env=self.environment, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )  # fmt: skip
        self.names = self._answer()

    def _answer(self):
        return json.loads(self._process.stdout.readline())

    def ask(self, what):
        self._process.stdin.write(json.dumps(what) + "\n")
        self._process.stdin.flush()
        return self._answer()

    def start(self, code: str) -> float:
        """Return the seconds of a process that runs a program."""
        start = time.perf_counter()
        subprocess.run([self.python, "-c", code], env=self.environment, check=True)
        return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--before", required=True, help="the older version's Python")
    parser.add_argument("--after", default=sys.executable)
    parser.add_argument("--pairs", type=int, default=9)
    parser.add_argument("--only", nargs="*", default=[""], help="texts in the names of the cases to run")
    options = parser.parse_args()
    before, after = Worker(options.before), Worker(options.after)
    print("| what | fit | least, largest | predict |\n|---|---|---|---|")
    fits, predictions = [], []
    for name in (n for n in after.names if any(part in n for part in options.only)):
        for worker in (before, after):
            worker.ask([name, options.pairs])
        pairs = []
        for k in range(options.pairs):  # who comes second finds the machine warm
            turn = [worker.ask("go") for worker in ((before, after), (after, before))[k % 2]]
            pairs.append(turn if k % 2 == 0 else turn[::-1])
        fit, predict = ([a[k] / b[k] for a, b in pairs] for k in (0, 1))
        fits.append(statistics.median(fit))
        predictions.append(statistics.median(predict))
        print(f"| {name} | {fits[-1]:.2f}x | {min(fit):.2f}, {max(fit):.2f} | {predictions[-1]:.2f}x |", flush=True)
    print(
        f"| geometric mean | {statistics.geometric_mean(fits):.2f}x | | {statistics.geometric_mean(predictions):.2f}x |"
    )
    for name, code in STARTS.items():
        pairs = [(before.start(code), after.start(code)) for _ in range(options.pairs + 1)][1:]
        ratio = [a / b for a, b in pairs]
        print(f"| {name} | {statistics.median(ratio):.2f}x | {min(ratio):.2f}, {max(ratio):.2f} | |", flush=True)


if __name__ == "__main__":
    work() if "--work" in sys.argv else main()
