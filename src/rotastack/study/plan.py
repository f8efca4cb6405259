"""What the Snakefile asks: the study to run, its files, parameters and fingerprints."""

import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.files import write_text
from rotastack.project import project_file
from rotastack.study.components import (
    TRAINED,
    combine_modules,
    refit_modules,
    step_module,
    train_modules,
)
from rotastack.study.config import Study, compact, slug
from rotastack.study.fingerprint import closure, fingerprint
from rotastack.study.names import member_names, ranks_name, sweep_name

__all__ = ["Plan"]

FIGURES = {
    "nested": ("heatmap_drawn", "heatmap_by_rotation_group", "heatmap_by_fold_group", "histogram"),
    "holdout": ("boxes",),
    "crossval": ("boxes",),
}
PRUNING_FIGURES = ("margin_distributions", "ordered_curves", "members", "diversity")
OF_PROTOCOL = ("folds", "train", "combine")  # steps that random splits do in another way
STUDY_FIGURES = ("critical_difference", "differences", "calibration")
KERNEL = ("rotastack.trees.kernel.lots", "rotastack.trees.kernel.reading", "rotastack.trees.bagged_views")
TABLES = ("error", "balanced_accuracy", "log_loss", "brier", "variance", "pairs", "facts", "claims",
          "calibration", "control", "times")  # fmt: skip


class Plan:
    """A study laid out as files, parameters and fingerprints.

    Parameters
    ----------
    study : Study
    machine : mapping
        config/config.yaml.
    """

    def __init__(self, study: Study, machine: Mapping[str, Any]):
        self.study = study
        self.machine = machine
        self.root = f"results/{study.name}"
        self.skipped: list[str] = []
        self._all_datasets = dict(study.datasets)

    @property
    def figures(self) -> tuple[str, ...]:
        """Figures of a data set's scores."""
        return FIGURES[self.study.content["protocol"]["kind"]]

    @property
    def pruning_figures(self) -> tuple[str, ...]:
        """Figures of a data set's members, if methods choose among them."""
        return PRUNING_FIGURES if self.study.prunes else ()

    def step(self, name: str) -> str:
        """Return the step behind a rule: random splits have their own for some."""
        return f"{name}_holdout" if self.study.is_holdout and name in OF_PROTOCOL else name

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets that are run."""
        return list(self.study.datasets)

    def drop_unavailable(self, only_warn: bool) -> None:
        """Check, before anything is computed, that each data set is there or can be had."""
        from concurrent.futures import ThreadPoolExecutor

        from rotastack.data.loading import unavailable

        waiting = {
            name: spec
            for name, spec in self.study.datasets.items()
            if not Path(f"data/raw/{name}.csv.gz").is_file()
        }
        with ThreadPoolExecutor(8) as pool:
            reasons = dict(
                zip(waiting, pool.map(lambda item: unavailable(*item), waiting.items()), strict=True)
            )
        missing = {name: why for name, why in reasons.items() if why is not None}
        if not missing:
            return
        if self._skips:
            for name, why in missing.items():
                print(f"rotastack: skipped: {why}", file=sys.stderr)
                self.skipped.append(f"skipped: {why}")
                del self.study.datasets[name]
            if not self.study.datasets:
                raise RotastackError("none of the study's data sets can be had")
            if not only_warn:  # for the jobs, which do not ask again
                write_text(f"{self.root}/skipped.json", self.skipped_json + "\n")
        elif only_warn:
            for why in missing.values():
                print(f"rotastack: warning: {why}", file=sys.stderr)
        else:
            raise RotastackError("; ".join(missing.values()))

    @property
    def _skips(self) -> bool:
        return (self.study.content["missing"] or self.machine["data"]["missing"]) == "skip"

    @property
    def skipped_json(self) -> str:
        """What was skipped, for the report."""
        return json.dumps(self.skipped)

    @property
    def refitted(self) -> list[str]:
        """Data sets of which a model is made."""
        if self.study.content["model"]["refit"] == "none":
            return []
        return [d for d in self.datasets if not self.study.datasets[d].get("noise_columns")]

    def model_files(self, dataset: str, name: str) -> list[str]:
        """Return a file of the data set's model, if one is made."""
        return [f"{self.root}/{dataset}/model/{name}"] if dataset in self.refitted else []

    @property
    def published(self) -> list[str]:
        """The page that compares with published results, if there are any."""
        return [f"{self.root}/published.html"] if self.study.content["published"] else []

    @property
    def published_files(self) -> list[str]:
        """The published results, and reasons for differences where somebody wrote them down."""
        name = self.study.content["published"]
        paths = [project_file(f"config/published/{name}.{suffix}") for suffix in ("csv", "yaml")]
        return [os.path.relpath(p) for p in paths if p.is_file()]

    def label(self, file_name: str) -> str:
        """Return the label of the method whose files have this name."""
        return self.study.method_of(file_name)

    def pool_of(self, file_name: str) -> str:
        """Return the pool of the method whose files have this name."""
        return self.study.methods[self.label(file_name)]["pool"]

    def drop_what_is_not_there(self) -> None:
        """In a job: leave out what the run's own process left out, without asking the network."""
        if self._skips:
            for name in list(self.study.datasets):
                if not Path(f"data/raw/{name}.csv.gz").is_file():
                    del self.study.datasets[name]
            note = Path(f"{self.root}/skipped.json")
            self.skipped = json.loads(note.read_text(encoding="utf-8")) if note.is_file() else []

    # Files

    @property
    def tables(self) -> list[str]:
        """The study's tables."""
        return [f"{self.root}/tables/{name}.csv" for name in TABLES] + self.group_tables

    @property
    def group_tables(self) -> list[str]:
        """The table of groups of methods, if the study has groups."""
        return [f"{self.root}/tables/groups.csv"] if self.study.groups_of_methods else []

    @property
    def report_texts(self) -> list[str]:
        """Template and captions of the report."""
        folder = project_file("workflow/report")
        return [os.path.relpath(p) for p in sorted(folder.iterdir()) if p.suffix in (".rst", ".j2")]

    def targets(self) -> list[str]:
        """Return what ``rule all`` asks for."""
        return [
            "results/report.html",
            *self.published,
            f"{self.root}/tracking.json",
            *(f"{self.root}/{d}/tracking.json" for d in self.datasets),
        ]

    def own_file(self, dataset: str) -> list[str]:
        """Return the user's file behind a data set, so that an edit is seen."""
        for source in self.study.datasets[dataset]["sources"]:
            if "file" in source:
                value = source["file"]
                return [value if isinstance(value, str) else value["path"]]
        return []

    def pool_files(self, dataset: str, pool: str, suffix: str = "nc") -> list[str]:
        """Return the files of all blocks of a pool."""
        return [
            f"{self.root}/{dataset}/pools/{pool}/{rg}/{fg}.{suffix}"
            for rg in self.study.blocks("rotation")
            for fg in self.study.blocks("fold")
        ]

    def all_pool_files(self, dataset: str, suffix: str) -> list[str]:
        """Return the files of all blocks of all pools."""
        return [f for pool in self.study.used_pools for f in self.pool_files(dataset, pool, suffix)]

    def rotation_files(self, dataset: str, pool: str, block: str) -> list[str]:
        """Return the rotation groups that a block of a pool reads: none for unrotated pools."""
        if self.study.pools[pool]["view"] != "rotation":
            return []
        names = self.study.groups("rotation")
        numbers = self.study.blocks("rotation")[block]
        return [f"{self.root}/{dataset}/rotations/{names[g]}.nc" for g in numbers]

    def method_files(self, dataset: str, suffix: str = "nc") -> list[str]:
        """Return the files of all methods."""
        return [f"{self.root}/{dataset}/methods/{slug(m)}.{suffix}" for m in self.study.methods]

    def figure_files(self, dataset: str, suffix: str) -> list[str]:
        """Return the figures of a data set."""
        return [
            f"{self.root}/figures/{dataset}/{name}.{suffix}"
            for name in (*self.figures, *self.pruning_figures)
        ]

    def study_figure_files(self, suffix: str) -> list[str]:
        """Return the figures over data sets."""
        sweeps = self.study.content["evaluation"]["sweeps"]
        ranks = [ranks_name(group["name"]) for group in self.study.groups_of_methods]
        names = [*STUDY_FIGURES, *ranks, *map(sweep_name, range(len(sweeps)))]
        return [f"{self.root}/figures/study/{name}.{suffix}" for name in names]

    # Parameters: JSON, the same for equal content

    def spec(self, step: str, *names: str) -> str:
        """Return the slice of the study that a step uses."""
        return compact(getattr(self.study, f"{step}_spec")(*names))

    def summarize_spec(self) -> str:
        """Return the slice for statistics."""
        evaluation = self.study.content["evaluation"]
        return compact(
            {
                "alpha": evaluation["alpha"], "control": self.study.control,
                "methods": list(self.study.methods), "pairs": evaluation["pairs"], "claims": evaluation["claims"],
                "optimistic": self.study.optimistic, "groups": self.study.groups_of_methods,
            }
        )  # fmt: skip

    def draw_study_spec(self) -> str:
        """Return the slice for figures over data sets."""
        evaluation = self.study.content["evaluation"]
        return compact(
            {
                "alpha": evaluation["alpha"], "control": self.study.control,
                "methods": list(self.study.methods), "shown": evaluation["shown"],
                "groups": self.study.groups_of_methods,
                "sweeps": {
                    sweep_name(k): {**sweep, "lines": list(sweep["lines"].items())}  # in order, which sorted keys have not
                    for k, sweep in enumerate(evaluation["sweeps"])
                },
            }
        )  # fmt: skip

    def published_spec(self) -> str:
        """Return the slice for the comparison with published results."""
        alpha = self.study.content["evaluation"]["alpha"]
        return compact({"alpha": alpha, "groups": self.study.groups_of_methods})

    def pruning_spec(self) -> str:
        """Return the slice for figures of members: which methods are in those that show each."""
        shown = self.study.content["evaluation"]["shown"]
        return compact({"only": {n: shown for n in PRUNING_FIGURES if n != "members"}} if shown else {})

    def report_spec(self) -> str:
        """Return the whole study, blocks left out: the report shows it."""
        return compact({k: v for k, v in self.study.content.items() if k != "blocks"})

    # Fingerprints

    def code(self, step: str, *names: str) -> str:
        """Return the fingerprint of a step; for train and combine, of the pool or method named, and so on."""
        return fingerprint(*self._modules(step, *names))

    @property
    def receipt(self) -> str:
        """The receipt of the compile step, named after the code it compiled.

        Without the name an edit of the kernel would have to rerun the step, and Snakemake does
        not look whether the code of jobs below such a step has changed.
        """
        return f"results/compiled/{fingerprint(*KERNEL)}.json"

    def compiled(self, step: str, *names: str) -> list[str]:
        """Return the receipt if a step runs compiled code, else nothing."""
        return [self.receipt] if KERNEL[0] in closure(self._modules(step, *names)) else []

    def _modules(self, step: str, *names: str) -> list[str]:
        modules = [step_module(self.step(step))]
        if step == "train":
            modules += train_modules(self.study.pools[names[0]])
        elif step == "combine":
            modules += combine_modules(self.study.methods[names[0]]["combiner"])
        elif step == "refit":
            used = {m: {**v, "pool": self.study.pools[v["pool"]]} for m, v in self.study.methods.items()}
            modules += refit_modules(used)
        elif step == "fetch":
            modules += [
                f"rotastack.data.sources.{next(iter(s))}" for s in self._all_datasets[names[0]]["sources"]
            ]
        return modules

    # Resources, by the size of the data set and the attempt

    def rows(self, dataset: str) -> int:
        """Return the number of rows that the registry expects (1000 for one's own table)."""
        return int(self._all_datasets[dataset].get("rows", 1000))

    def columns(self, dataset: str) -> int:
        """Return the number of columns that the registry expects (50 for one's own table)."""
        columns = self._all_datasets[dataset].get("columns", 50)
        return columns if isinstance(columns, int) else len(columns)

    def pool_megabytes(self, dataset: str, pool: str) -> float:
        """Return the size of the outputs that one training job of a pool holds."""
        protocol, blocks = self.study.content["protocol"], self.study.content["blocks"]
        classes = len(self._all_datasets[dataset].get("classes", range(10)))
        if self.study.is_holdout:
            members = len(member_names(self.study.pools[pool]))
            cells = min(blocks["fold_groups"], self.study.n_splits)
            votes = (
                6 * self.study.pools[pool]["learner"].get("n_trees", 100) if self.study.votes_of(pool) else 0
            )
            return cells * self.rows(dataset) * (8 * members * classes + votes) / 1e6
        members = protocol["rotations"] if self.study.pools[pool]["view"] == "rotation" else 1
        cells = min(blocks["rotation_groups"], protocol["rotation_groups"]) * min(
            blocks["fold_groups"], protocol["fold_groups"]
        )
        return 4 * cells * protocol["folds"] * members * self.rows(dataset) * classes / 1e6

    def train_mb(self, dataset: str, pool: str, attempt: int) -> int:
        """Return the memory of a training job: libraries, outputs twice, data and trees."""
        data = 8 * self.rows(dataset) * self.columns(dataset) * 16 / 1e6
        forest = 0.0
        if self.study.is_holdout:  # trees are kept until test rows are read: at most 64 bytes a row and tree
            learner = self.study.pools[pool]["learner"]
            families = 6 * learner.get("trees_per_family", 100) if learner["kind"] == "rotastack" else 0
            n_trees = learner.get("n_trees", families)
            forest = 64e-6 * self.rows(dataset) * 3 * n_trees
        return int(attempt * (500 + 5.5 * self.pool_megabytes(dataset, pool) + data + forest))

    def combine_threads(self, file_name: str) -> int:
        """Return the threads of a combining job: one per eight cells to train for, four at most."""
        protocol = self.study.content["protocol"]
        if self.study.is_holdout:
            return 1
        cells = protocol["rotation_groups"] * protocol["fold_groups"]
        trained = self.study.methods[self.label(file_name)]["combiner"]["kind"] in TRAINED
        return max(1, min(4, cells // 16)) if trained else 1

    def combine_minutes(self, dataset: str, file_name: str) -> int:
        """Return the time limit of a combining job, generously."""
        protocol = self.study.content["protocol"]
        if self.study.is_holdout:
            return 30
        fits = protocol["rotation_groups"] * protocol["fold_groups"] * protocol["folds"]
        return 10 + int(fits * (0.5 + 1e-3 * self.rows(dataset)) / 20 / self.combine_threads(file_name))

    def train_minutes(self, dataset: str, pool: str, attempt: int) -> int:
        """Return the time limit of a training job, generously."""
        protocol = self.study.content["protocol"]
        if self.study.is_holdout:
            trees = self.study.pools[pool]["learner"].get("n_trees", 1000)
            cells = min(self.study.content["blocks"]["fold_groups"], self.study.n_splits)
            seconds = cells * (10 + 2e-6 * trees * self.rows(dataset) * self.columns(dataset) ** 0.5)
            return int(attempt * (30 + seconds / 20))
        cells = self.study.content["blocks"]["rotation_groups"] * self.study.content["blocks"]["fold_groups"]
        members = protocol["rotations"] if self.study.pools[pool]["view"] == "rotation" else 1
        trainings = cells * members * protocol["folds"] * (protocol["folds"] + 1) / 2
        seconds = trainings * (0.1 + 2e-5 * self.rows(dataset) * self.columns(dataset) ** 0.5)
        return int(attempt * (10 + seconds / 20))
