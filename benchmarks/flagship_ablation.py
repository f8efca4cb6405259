"""Measure the effect of each family of the flagship, and of the number of trees and the ridge halved and doubled.

    DATA_MIRROR=... python benchmarks/flagship_ablation.py [--sets all,generated] [--runs 0,1] [--changes name,name]
    python benchmarks/flagship_ablation.py --table

Families are independent, so a change grows only the changed families again, and pools them with the other families. The
outputs of a family for held-out rows and test rows are a file in the folder `--results`, named after its settings; existing
files are reused. A run is a split and a seed: the fifteen runs, 0 to 14, are three seeds for each of five splits. `--table`
writes docs/evidence/flagship-ablation.md.
"""

import argparse
import os
import time
import warnings
import zlib

for _variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[_variable] = "1"

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from flagship_data import GENERATED, MOST_ROWS, SETS, Split, chosen_sets, scores
from numpy.typing import NDArray

from rotastack import RotastackClassifier
from rotastack.combine.log_linear import LogLinearWeights
from rotastack.ensembles.flagship.families import FAMILIES, RIDGE, Family, TreeFamily
from rotastack.files import replacing, write_text

PAGE = Path(__file__).parents[1] / "docs/evidence/flagship-ablation.md"
DEFAULTS = RotastackClassifier()
NAMES = DEFAULTS.families
BAGGED = tuple(name for name in NAMES if isinstance(FAMILIES[name], TreeFamily) and not FAMILIES[name].folds)
BOOSTED = tuple(name for name in NAMES if FAMILIES[name].boosting is not None)
GROUPS = (BAGGED, *((name,) for name in NAMES if name not in BAGGED))
"""Families that are grown together: the seeds of those on bags depend on which others there are."""

N_SPLITS = 5
LEAST_ERROR = 0.005  # is added to errors, so that ratios of none to one wrong row are not infinite


@dataclass(frozen=True)
class Change:
    """What is other than by default.

    Attributes
    ----------
    name : str
    left_out : tuple of str
        Families that are left out.
    n_trees : int
    ridge : float
    seed : int
        What is added to the usual one.
    """

    name: str
    left_out: tuple[str, ...] = ()
    n_trees: int = DEFAULTS.trees_per_family
    ridge: float = RIDGE
    seed: int = 0

    def grown(self, group: tuple[str, ...]) -> "Growth":
        """Return the settings of a group of families; only trees that are not boosted have a given number."""
        n_trees = DEFAULTS.trees_per_family if group[0] in (*BOOSTED, "kernel") else self.n_trees
        return Growth(tuple(FAMILIES[name] for name in group), n_trees, self.seed)


@dataclass(frozen=True)
class Growth:
    """Families that are grown together, and their settings."""

    families: tuple[Family, ...]
    n_trees: int = DEFAULTS.trees_per_family
    seed: int = field(default=0, repr=False)

    def file(self, folder: Path, split: int) -> Path:
        name = self.families[0].name if len(self.families) == 1 else "bags"
        return folder / f"{split}.grown.{name}-{zlib.crc32(repr(self).encode()):08x}-{self.seed}.npz"


class Kept(RotastackClassifier):
    """The flagship, with all that its families put out, and not only those that have a weight.

    Attributes
    ----------
    unseen_ : ndarray of shape (n_families, n_rows, n_classes)
        What the families' weights are fitted to.
    """

    def _weigh(self, outputs, codes, weights, folds):
        self.unseen_ = np.where(np.isnan(outputs), 1 / outputs.shape[2], outputs)
        super()._weigh(outputs, codes, weights, folds)

    def _switch_off(self):
        pass

    def outputs(self, X) -> NDArray[np.float64]:
        """Return the outputs of families for rows, (family, row, class)."""
        return np.concatenate(list(self._outputs(self._encoded(X))), axis=1)


def doubled(value: float) -> list[float]:
    """Return half and twice a setting; integers stay integers."""
    return [round(value / 2), value * 2] if isinstance(value, int) else [value / 2, value * 2]


def changes() -> Iterator[Change]:
    yield Change("as it is")
    yield Change("another seed", seed=1000)
    for name in NAMES:
        yield Change(f"without {name}", (name,))
    yield Change("without both boosted", BOOSTED)
    yield Change("without all on folds", tuple(name for name in NAMES if name not in BAGGED))
    for n in doubled(DEFAULTS.trees_per_family):
        yield Change(f"trees_per_family {n}", n_trees=n)
    for ridge in doubled(RIDGE):
        yield Change(f"ridge {ridge:g}", ridge=ridge)


def grow(growth: Growth, split: Split, number: int) -> dict[str, NDArray]:
    """Return the outputs of families for held-out and test rows, and seconds of the fit."""
    model = Kept(growth.n_trees, growth.families, random_state=number + growth.seed)
    start = time.process_time()
    model.fit(split.X, split.y)
    seconds = time.process_time() - start
    return {
        "unseen": model.unseen_.astype(np.float32),
        "test": model.outputs(split.X_test).astype(np.float32),
        "fit": np.array(seconds),
    }


class Outputs:
    """The families' outputs in one run on a table, from existing files."""

    def __init__(self, name: str, number: int, folder: Path):
        self.split, self.number, self.folder = Split.of(name, number % N_SPLITS), number, folder / name
        model = Kept(1, ("rotations",), oob_score=False).fit(self.split.X, self.split.y)
        self.without = () if model.table_.groups_ else ("pairs",)  # families that the table does not allow
        self.read: dict[Path, dict[str, NDArray]] = {}

    def of(self, growth: Growth, write: bool) -> dict[str, NDArray] | None:
        """Return outputs (family, row, class); None without a file and without permission to compute."""
        file = growth.file(self.folder, self.number)
        if file not in self.read:
            if not file.exists():
                if not write:
                    return None
                found = grow(growth, self.split, self.number)
                with replacing(file) as temporary, temporary.open("wb") as stream:
                    np.savez(stream, **found)
            with np.load(file) as stored:
                self.read[file] = dict(stored)
        return self.read[file]

    def judged(self, change: Change, write: bool) -> tuple[float, float, float] | None:
        """Return error, log loss and seconds to fit."""
        unseen, test, seconds = [], [], 0.0
        for group in GROUPS:
            if group[0] in self.without:
                continue
            found = self.of(change.grown(group), write)
            if found is None:
                return None
            there = [g for g, name in enumerate(group) if name not in change.left_out]
            unseen.append(found["unseen"][there])
            test.append(found["test"][there])
            seconds += float(found["fit"]) * len(there) / len(group)
        n_classes = unseen[0].shape[2]
        pool = LogLinearWeights(change.ridge).fit(np.concatenate(unseen), self.split.y, n_classes)
        return (*scores(pool.predict_proba(np.concatenate(test)), self.split.y_test), seconds)


def table(folder: Path) -> str:
    """Return the page of all changes, over the tables and runs with all files."""
    all_changes = list(changes())
    kinds = {"data sets": SETS, "generated": GENERATED}
    means: dict[str, NDArray] = {}  # (change, measure) of a table
    n_runs: dict[str, int] = {}
    for name in (*SETS, *GENERATED):
        numbers = sorted({int(file.name.split(".")[0]) for file in (folder / name).glob("*.grown.*")})
        rows = []
        for number in numbers:
            outputs = Outputs(name, number, folder)
            row = [outputs.judged(change, write=False) for change in all_changes]
            if None not in row:
                rows.append(row)
        if rows:
            means[name], n_runs[name] = np.mean(rows, axis=0), len(rows)
    heads = [f"{kind}: {what}" for kind in kinds for what in ("log loss", "error", "wins : losses", "other")]
    lines = [f"| change | {' | '.join(heads)} | time to fit |", "|---" * (len(heads) + 2) + "|"]
    for c, change in enumerate(all_changes[1:], start=1):
        cells, times = [change.name], []
        for names in kinds.values():
            found = np.array([means[name] for name in names if name in means])
            if not len(found):
                cells += ["-"] * 4
                continue
            errors, losses, seconds = found[:, c].T
            usual_errors, usual_losses, usual_seconds = found[:, 0].T
            times.append(seconds / usual_seconds)
            log_loss = np.exp(np.mean(np.log(losses / usual_losses)))
            error = np.exp(np.mean(np.log((errors + LEAST_ERROR) / (usual_errors + LEAST_ERROR))))
            better, worse = np.sum(errors < usual_errors - 1e-9), np.sum(errors > usual_errors + 1e-9)
            other = np.sum(abs(losses - usual_losses) > 1e-6)
            cells += [f"{log_loss:.3f}", f"{error:.3f}", f"{better} : {worse}", str(other)]
        lines.append(f"| {' | '.join(cells)} | {np.median(np.concatenate(times)):.2f} |")
    there = {kind: [name for name in names if name in means] for kind, names in kinds.items()}
    missing = [name for name in (*SETS, *GENERATED) if name not in means]
    runs = sorted(set(n_runs.values()))
    return "\n".join(
        [
            "# The flagship's families and settings, one by one",
            "",
            "Written by `python benchmarks/flagship_ablation.py --table`, from the results of the same command without `--table`.",
            "",
            "What is the effect on [the flagship](../understand/flagship.md) of leaving out a family, and of half or twice the number of trees or the ridge? Numbers are the log loss "
            "(probabilities clipped at .001), and the error + .005, divided by those of the unchanged flagship: above 1 the change does harm. Numbers are geometric means over data sets.",
            "",
            f"- **Data sets.** {len(there['data sets'])} of the registry and {len(there['generated'])} generated tables "
            f"(`benchmarks/generated_tables.py`), at most {MOST_ROWS} rows, 70 % of them for training. Runs of a table: {' or '.join(map(str, runs))}; a run is one of {N_SPLITS} splits with a seed."
            + (f" Left out, as growing all of this takes minutes there: {', '.join(missing)}." if missing else ""),
            "- **Chance.** The effect of another seed is that of chance.",
            "- **Wins : losses** count data sets with fewer and more errors. *Other* is the number of data sets whose log loss changes at all.",
            "- **Time to fit** is processor time, one thread, median of ratios, while other jobs ran, and so rough. The time of a family on bags is its share of the time of all families on bags.",
            "- **Seeds.** Families are grown with the same seeds: leaving out one family does not change the others.",
            "",
            *lines,
            "",
        ]
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", default="all,generated")
    parser.add_argument("--runs", default="0")
    parser.add_argument("--changes", help="names, with commas; all of them by default")
    parser.add_argument("--results", type=Path, default=Path("results/benchmarks/flagship_ablation"))
    parser.add_argument("--table", action="store_true")
    options = parser.parse_args()
    warnings.filterwarnings("ignore")
    if options.table:
        write_text(PAGE, table(options.results))
        return
    wanted = [c for c in changes() if options.changes is None or c.name in options.changes.split(",")]
    for number in map(int, options.runs.split(",")):
        for name in chosen_sets(options.sets):
            start = time.process_time()
            outputs = Outputs(name, number, options.results)
            found = [outputs.judged(change, write=True) for change in wanted]
            error, log_loss, seconds = found[0]
            print(
                f"{name} {number} {error:.4f} {log_loss:.4f} {seconds:.2f} s; all {time.process_time() - start:.0f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
