"""Small studies of own tables and own classes, each in a folder of its own, and runs of them by the command."""

import copy
import gzip
import hashlib
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import psutil
import yaml
from tests.workflow.forked import Forked

SRC = Path(__file__).resolve().parents[2] / "src"
MINE = '''"""The nearest centroid; while the file `flag` exists there is no memory for it."""

from pathlib import Path

import numpy as np
from sklearn.base import BaseEstimator, ClassifierMixin

SHARPNESS = 1.0


class Mine(ClassifierMixin, BaseEstimator):
    """Nearest centroid."""

    def __init__(self, power=2):
        self.power = power

    def fit(self, X, y):
        if Path("flag").exists():
            raise MemoryError("no memory")
        self.classes_ = np.unique(y)
        self.means_ = np.stack([np.asarray(X, dtype=float)[y == c].mean(axis=0) for c in self.classes_])
        return self

    def predict_proba(self, X):
        distances = (abs(np.asarray(X, dtype=float)[:, None] - self.means_) ** self.power).sum(axis=2)
        weights = np.exp(-SHARPNESS * (distances - distances.min(axis=1, keepdims=True)))
        return weights / weights.sum(axis=1, keepdims=True)

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]
'''
OWN = {"name": "own", "sources": [{"file": {"path": "own.csv", "target": "y"}}]}
PUB = {"name": "pub", "sources": [], "mirror": "pub"}
POOLS = {
    "forest": {"estimator": "forest", "parameters": {"n_estimators": 3}},
    "bayes": {"estimator": "naive_bayes"},
    "mine": {"estimator": "mine.Mine", "parameters": {"power": 2}},
}
VOTE = {"kind": "vote"}
METHODS = {
    "RF": {"pool": "forest", "combiner": VOTE},
    "NB": {"pool": "bayes", "combiner": VOTE},
    "Mine": {"pool": "mine", "combiner": VOTE},
}
PRUNED = {"pool": "forest", "combiner": {"kind": "prune", "pruner": "orientation"}}
ROTATED = {"view": "rotation", "estimator": "naive_bayes"}
STACKED = {"pool": "rotated", "combiner": {"kind": "stacking", "estimator": "naive_bayes"}}
STUDIES = {
    "holdout": {
        "datasets": [OWN, PUB],
        "protocol": {"kind": "holdout", "repeats": 2},
        "methods": METHODS | {"Pruned": PRUNED},
        "model": {"refit": "Mine"},
    },
    "crossval": {"datasets": [OWN, "iris"], "protocol": {"kind": "crossval", "folds": 3}, "model": {"refit": "best"}},
    "given": {"datasets": [OWN, PUB], "protocol": {"kind": "given", "columns": ["s"]}, "model": {"refit": "none"}},
    "nested": {
        "datasets": [OWN],
        "protocol": {"kind": "nested", "rotation_groups": 1, "fold_groups": 1, "folds": 3, "rotations": 2},
        "pools": POOLS | {"rotated": ROTATED},
        "methods": METHODS | {"Rotated": {"pool": "rotated", "combiner": VOTE}, "Stacked": STACKED},
        "model": {"refit": "RF"},
    },
}
"""Kind of the protocol -> a small study."""
OTHER = {
    "name": "other",
    "datasets": [{**OWN, "kinds": {"categorical": ["c", "g"]}}],
    "protocol": {"kind": "holdout", "repeats": 2, "groups": "g"},
    "pools": {name: POOLS[name] for name in ("forest", "bayes")},
    "methods": {name: METHODS[name] for name in ("RF", "NB")},
    "model": {"refit": "none"},
}
"""Another study, which reads the same table of the user in another way."""


def table(seed: int, target: str, rows: int = 48) -> str:
    """Return a table of two classes as CSV: two numbers, a category, groups, times and a given split."""
    draw, lines = random.Random(seed), [f"x1,x2,c,g,t,s,{target}"]
    for k in range(rows):
        x1, label = draw.gauss(0, 1), k % 2
        numbers = f"{x1 + label:.3f},{draw.gauss(0, 1):.3f},{draw.choice('uvw')},{k // 2 % 8},{k}"
        lines.append(f"{numbers},{'test' if draw.random() < 0.4 else 'train'},{'ab'[label]}")
    return "\n".join(lines) + "\n"


@dataclass
class Inputs:
    """All that the results depend on."""

    study: dict
    own: str = table(1, "y")
    pub: str = table(2, "target")
    mine: str = MINE

    @classmethod
    def of(cls, kind: str) -> "Inputs":
        """Return the small study of a protocol with its files."""
        common = {"name": "s", "seed": 1, "pools": POOLS, "methods": METHODS, "trusted": ["mine"]}
        return cls(copy.deepcopy(common | STUDIES[kind]))

    @property
    def files(self) -> dict[str, bytes]:
        """File -> content."""
        text = yaml.safe_dump(self.study, sort_keys=False)
        texts = {"study.yaml": text, "own.csv": self.own, "mine.py": self.mine, "other.yaml": yaml.safe_dump(OTHER)}
        return {n: t.encode() for n, t in texts.items()} | {
            "mirror/pub.csv.gz": gzip.compress(self.pub.encode(), mtime=0)
        }

    @property
    def digest(self) -> str:
        """A hash of all files; the order of keys counts."""
        return hashlib.sha256(repr(self.files).encode()).hexdigest()[:12]


@dataclass
class Folder:
    """A project folder of a study."""

    path: Path
    whole: bool = False
    """Whether runs also make the report and log to MLflow."""
    process: type[subprocess.Popen] = Forked
    said: str = field(default="", repr=False)
    """What the last command printed."""

    def write(self, inputs: Inputs, when: str = "now") -> list[str]:
        """Write the files that have changed; `when` is their time: now, older, ahead, or that of the file before."""
        changed = []
        for name, content in inputs.files.items():
            path = self.path / name
            if path.exists() and path.read_bytes() == content:
                continue
            path.parent.mkdir(parents=True, exist_ok=True)
            before = path.stat().st_mtime if path.exists() else time.time()
            path.write_bytes(content)
            seconds = {"now": time.time(), "older": 1e9, "ahead": time.time() + 86400, "same": before}[when]
            os.utime(path, (seconds, seconds))
            changed.append(name)
        return changed

    def start(self, *words: str) -> subprocess.Popen:
        """Start the command as a terminal would: in a process group, with Ctrl-C not ignored."""
        environment = {k: v for k, v in os.environ.items() if k not in ("MLFLOW_TRACKING_URI", "ROTASTACK_FORKS")}
        search = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        with (self.path / "said.txt").open("w") as said:
            return self.process(
                [sys.executable, "-P", "-m", "rotastack", *words],
                cwd=self.path,
                stdout=said,
                stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                env={**environment, "DATA_MIRROR": "mirror", "PATH": search, "PYTHONPATH": str(SRC)},
            )

    def call(self, *words: str) -> int:
        """Run a command to its end and return its exit code."""
        process = self.start(*words)
        try:
            code = process.wait(180)
        except subprocess.TimeoutExpired:
            self.end(process, signal.SIGKILL)
            code = -1
        self.said = (self.path / "said.txt").read_text()
        return code

    @property
    def rest(self) -> list[str]:
        return [] if self.whole else ["--", "--until", "summarize", "refit"]

    def run(self, study: str = "study.yaml", *rest: str) -> int:
        """Run the study; by default all of it, or up to the scores and the models."""
        return self.call("run", study, "--cores", "1", *(["--", *rest] if rest else self.rest))

    def begin(self, seconds: float) -> subprocess.Popen:
        """Start a run, and return after some seconds or at its end."""
        process = self.start("run", "study.yaml", "--cores", "1", *self.rest)
        with suppress(subprocess.TimeoutExpired):
            process.wait(seconds)
        return process

    def end(self, process: subprocess.Popen, number: int | None = None) -> int:
        """Wait for the end of a run, after a signal to its group; then for the end of all processes in the folder."""
        with suppress(ProcessLookupError):
            if number is not None and process.poll() is None:
                os.killpg(process.pid, number)
        code = process.wait(180)
        while any(self._is_here(other) for other in psutil.process_iter()):
            time.sleep(0.1)
        return code

    def _is_here(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error):
            return process.pid != os.getpid() and Path(process.cwd()).is_relative_to(self.path)
        return False

    def jobs(self) -> str:
        """Return what a dry run says about the jobs that would run."""
        self.call("run", "study.yaml", "--dry-run", *self.rest)
        found = re.search(r"^jobs +(.*(?:\n {2,}.*)*)(?:\nwhy +(.*))?", self.said, re.MULTILINE)
        return " ".join(filter(None, found.groups())) if found else self.said[-300:]

    def records(self) -> dict[str, str]:
        """Return record -> content; each job writes a new one."""
        root = self.path / "results"
        return {str(p.relative_to(root)): p.read_text() for p in root.rglob("*.run.json") if "other" not in p.parts}

    def predictions(self, dataset: str) -> str:
        """Return what the model of a data set predicts for all rows, or why there is none."""
        own = f"results/s/raw/{dataset}.parquet"
        raw = own if (self.path / own).is_file() else f"data/raw/{dataset}.parquet"
        code = self.call("predict", raw, "--study", "s", "--dataset", dataset, "--proba", "--trust", "mine")
        return "refused" if code else self.said

    def copied(self, path: Path, with_notes: bool, draw: random.Random | None = None) -> "Folder":
        """Return a copy without MLflow's database and receipts, `with_notes` of Snakemake; its files have one time, or times in a drawn order."""
        ignored = None if with_notes else shutil.ignore_patterns(".snakemake")
        shutil.copytree(self.path, path, copy_function=shutil.copy, ignore=ignored)
        now = time.time()
        for file in sorted(p for p in path.rglob("*") if p.is_file()):
            os.utime(file, (now - (draw.uniform(0, 2) if draw else 0),) * 2)
        shutil.rmtree(path / "results/mlflow", ignore_errors=True)
        for receipt in path.glob("results/*/tracking.json"):
            receipt.unlink()
        return Folder(path, self.whole, self.process)
