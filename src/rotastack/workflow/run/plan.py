"""The plan of a study: the answers to the questions of the rules, on files, data sets, methods, tables and figures."""

import filecmp
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import chain
from pathlib import Path
from typing import Any

from rotastack.data.loading import source_files, unavailable
from rotastack.data.registry import make_sources, registry
from rotastack.errors import RotastackError
from rotastack.files import read_json, write_bytes, write_text
from rotastack.project import project_file
from rotastack.stats.metrics import METRICS
from rotastack.workflow.run.keys import Jobs
from rotastack.workflow.run.resources import Resources
from rotastack.workflow.study.names import ranks_name, slug, sweep_name
from rotastack.workflow.study.published_tables import published_paths
from rotastack.workflow.study.study import Study
from rotastack.workflow.tracking.address import is_own, tracking_uri, without_login


class StudyFiles:
    """Paths of a study's files; the paths of a data set's files contain ``{dataset}``."""

    def __init__(self, root: str):
        self.root = root
        self.report = f"{root}/report.html"
        self.scores = f"{root}/scores.parquet"
        self.verdict = f"{root}/statistics/verdict.json"
        self.comparison = f"{root}/statistics/comparison.json"
        self.raw = f"{root}/raw/{{dataset}}.parquet"  # of a data set that the study describes
        self.prepared = f"{root}/{{dataset}}/table.parquet"
        self.skipped = f"{root}/skipped.json"  # jobs read it instead of checking the data sets again
        self.folds = f"{root}/{{dataset}}/folds.parquet"
        self.model = f"{root}/{{dataset}}/model/model.skops"  # empty if training failed
        self.explanation = f"{root}/{{dataset}}/model/explanation.json"

    def rotations(self, name: str) -> str:
        """Return the path of a data set's rotations; `name` is the view and the rotation groups of a block."""
        return f"{self.root}/{{dataset}}/rotations/{name}.nc"

    def method(self, name: str) -> str:
        """Return the path of a method's outputs on a data set."""
        return f"{self.root}/{{dataset}}/methods/{name}.nc"

    def table(self, name: str) -> str:
        """Return the path of a table of the study."""
        return f"{self.root}/tables/{name}.csv"


TABLES = (
    "variance",
    "pairs",
    "facts",
    "claims",
    "calibration",
    "baseline",
    "control",
    "times",
    "published_columns",
    "published_ranks",
    "groups",
)
"""Tables of a study, in addition to one table for each score."""
FIGURES_OF_CELLS = {
    "nested": ("heatmap_drawn", "heatmap_by_rotation_group", "heatmap_by_fold_group", "histogram"),
    "splits": ("boxes",),
}
"""Protocol -> figures of a data set's scores."""
FIGURES_OF_MEMBERS = ("margin_distributions", "ordered_curves", "members", "diversity")
"""Figures of a data set in a study whose methods choose among members."""
OF_SEVERAL = ("critical_difference", "differences", "rank_intervals", "win_matrix", "pareto")
"""Figures that need several data sets."""
FIGURES_OF_STUDY = (*OF_SEVERAL, "calibration")


class Plan:
    """A study laid out for the rules; `where` names the study in messages, and Snakemake reads the `study_files`."""

    def __init__(
        self,
        study: Study,
        machine: Mapping[str, Any],
        where: str = "study",
        size: str = "full",
        study_files: Sequence[str] = (),
    ):
        self.study = study
        self.machine = machine
        self.where, self.size, self.study_files = where, size, study_files
        self.files = StudyFiles(f"results/{study.name}")
        self.root = self.files.root
        self.entries = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later
        self.resources = Resources(study)
        self.skipped: list[str] = []

    @cached_property
    def jobs(self) -> Jobs:
        """The jobs of the study; data sets that cannot be loaded are dropped before."""
        return Jobs(self)

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets, without the skipped ones."""
        return list(self.study.datasets)

    # Data sets that cannot be loaded

    @property
    def skips(self) -> bool:
        """Whether data sets that cannot be loaded are skipped; otherwise they stop the study."""
        return (self.study.document.missing or self.machine["data"]["missing"]) == "skip"

    def unavailable(self) -> dict[str, str]:
        """Return data set -> reason, for the data sets that cannot be loaded."""
        from concurrent.futures import ThreadPoolExecutor

        datasets = self.study.datasets.items()
        needed = {name: [Path(self.raw(name)), *source_files(name, entry)] for name, entry in datasets}
        waiting = [item for item in datasets if not all(file.is_file() for file in needed[item[0]])]
        if not waiting:
            return {}
        with ThreadPoolExecutor(8) as pool:
            reasons = pool.map(lambda item: unavailable(*item), waiting)
            return {name: why for (name, _), why in zip(waiting, reasons, strict=True) if why is not None}

    def drop_unavailable(self) -> None:
        """Skip the data sets that cannot be loaded; raise RotastackError if none is left."""
        for name, why in self.unavailable().items():
            self.skipped.append(f"skipped: {why}")
            del self.study.datasets[name]
        if not self.study.datasets:
            raise RotastackError("no data set of the study is available")

    def note_skipped(self) -> None:
        """Write the notes on skipped data sets to a file, for jobs that run as processes of their own on a cluster."""
        note = Path(self.files.skipped)
        if self.skipped:
            write_text(note, json.dumps(self.skipped) + "\n")
        else:
            note.unlink(missing_ok=True)

    def drop_skipped(self) -> None:
        """Skip, in a job, the data sets without a raw file, and read the run's notes on them; no network is used."""
        for name in self.datasets:
            if not Path(self.raw(name)).is_file():
                del self.study.datasets[name]
        note = Path(self.files.skipped)
        self.skipped = read_json(note, list) if note.is_file() else []

    def drop_leftovers(self) -> None:
        """Delete the tables and figures that earlier versions of the study had."""
        tables = {*self.tables, *(["published"] if self.published_page else [])}
        old = [Path(self.files.table(name)) for name in {*chain(*METRICS.values()), *TABLES, "published"} - tables]
        drawn = (*FIGURES_OF_STUDY, *chain(*FIGURES_OF_CELLS.values()), "kappa_error", *FIGURES_OF_MEMBERS)
        figures = [
            f for f in Path(self.root).glob("figures/*/*.[sp][vn]g") if f"{f.parent.name}/{f.stem}" not in self.figures
        ]
        for path in [*old, *(f for f in figures if f.stem in drawn or f.stem.startswith((ranks_name(""), "sweep-")))]:
            path.unlink(missing_ok=True)

    def copy_pages(self) -> None:
        """Copy the pages of the study to ``results``, which shows those of the latest run."""
        for page in map(Path, [self.files.report, *self.published_page]):
            shown = Path("results", page.name)
            if page.is_file() and not (shown.is_file() and filecmp.cmp(page, shown, shallow=False)):
                write_bytes(shown, page.read_bytes())

    # Questions of the rules

    def raw(self, dataset: str) -> str:
        """Return the path of a data set's raw table; all studies share those of the registry."""
        return self.files.raw.format(dataset=dataset) if dataset in self.own else f"data/raw/{dataset}.parquet"

    @cached_property
    def own(self) -> list[str]:
        """Data sets that the study describes itself."""
        return [name for name in self.study.datasets if name not in registry()]

    @cached_property
    def at_hand(self) -> list[str]:
        """Data sets whose first source needs no network."""
        first = {name: make_sources(name, entry)[:1] for name, entry in self.study.datasets.items()}
        return [name for name, sources in first.items() if not all(source.network for source in sources)]

    @cached_property
    def downloaded(self) -> list[str]:
        """Data sets that come from the network or a mirror."""
        return [name for name in self.datasets if name not in set(self.at_hand)]

    def rotations_of(self, pool: str, block: str) -> list[str]:
        """Return the rotations that a block reads (``view/RG-01-03``); none if the pool's view is drawn in training."""
        view, groups = self.study.pools[pool].view, block.partition("/")[0]
        if view is None or not view.is_drawn or groups not in self.study.rotation_groups:
            return []
        return [f"{view.key}/{groups}"]

    @cached_property
    def voted(self) -> list[str]:
        """File names of the methods that only vote, which rule vote combines."""
        return list(map(slug, self.study.voted))

    @cached_property
    def methods(self) -> list[str]:
        """File names of all methods, in the study's order."""
        return [slug(label) for label in self.study.methods]

    @cached_property
    def combined(self) -> list[str]:
        """File names of the methods that rule combine runs."""
        return [name for name in self.methods if name not in self.voted]

    @staticmethod
    def one_of(names: Iterable[str]) -> str:
        """Return a regular expression that matches these names alone, for a wildcard."""
        return "|".join(map(re.escape, names)) or "(?!)"

    def pool_of(self, file_name: str) -> str:
        """Return the pool of the method whose files have this name."""
        return self.study.methods[self.study.method_of(file_name)].pool

    @property
    def refitted(self) -> list[str]:
        """Data sets that get a model; data sets with noise columns get none."""
        if self.study.document.model.refit == "none" or not self.study.refittable:
            return []
        return [d for d in self.datasets if not self.study.datasets[d].get("noise_columns")]

    @property
    def explained(self) -> list[str]:
        """Data sets whose model the report explains."""
        return self.refitted if self.study.document.model.explain else []

    @cached_property
    def tracked_at(self) -> str:
        """MLflow's address without secrets, for the parameters of a job; empty for the database in ``results/mlflow``."""
        uri = tracking_uri()
        return "" if is_own(uri) else without_login(uri)

    # Published results

    @property
    def published_page(self) -> list[str]:
        """The page that compares the study with published results, if the study names them."""
        return [f"{self.root}/published.html"] if self.study.document.published else []

    @property
    def published_files(self) -> list[str]:
        """Files of the published results, and of known reasons for differences if such a file exists."""
        name = self.study.document.published
        return [os.path.relpath(p) for p in published_paths(name)] if name else []

    @property
    def published_columns_files(self) -> list[str]:
        """Files of the published results that tables show beside the study's own."""
        tables = dict.fromkeys(column.table for column in self.study.document.evaluation.published_columns)
        return [os.path.relpath(p) for table in tables for p in published_paths(table)]

    # Tables and figures

    @property
    def tables(self) -> list[str]:
        """Names of the study's tables."""
        evaluation = self.study.document.evaluation
        without = {
            *(["calibration"] if self.study.task.name == "regression" else []),
            *([] if evaluation.groups else ["groups"]),
            *([] if evaluation.published_columns else ["published_columns", "published_ranks"]),
        }
        return [name for name in (*METRICS[self.study.task.name], *TABLES) if name not in without]

    @property
    def methods_in_figures(self) -> list[str]:
        """File names of the methods in figures of members: all if any has a pruner, else none."""
        return self.methods if self.study.prunes else []

    @cached_property
    def figures(self) -> dict[str, str]:
        """Figure, as ``study/NAME`` or ``DATASET/NAME`` -> its category in Snakemake's report."""
        study = self.study
        without = {
            *(["calibration"] if study.task.name == "regression" else []),
            *(OF_SEVERAL if len(self.datasets) < 2 else []),
        }
        ranks = [ranks_name(group["name"]) for group in study.groups_of_methods]
        sweeps = map(sweep_name, range(len(study.document.evaluation.sweeps)))
        of_study = [name for name in (*FIGURES_OF_STUDY, *ranks, *sweeps) if name not in without]
        of_dataset = [
            *FIGURES_OF_CELLS[study.protocol.name],
            *(["kappa_error"] if study.pools_with_votes else []),
            *(FIGURES_OF_MEMBERS if study.prunes else ()),
        ]
        return {
            **{f"study/{name}": "study" for name in of_study},
            **{f"{dataset}/{name}": "data sets" for dataset in self.datasets for name in of_dataset},
        }

    @staticmethod
    def caption(figure: str) -> str | None:
        """Return the caption file of a figure, by its name or by the part before the first - or _; None without one."""
        figure = figure.rpartition("/")[2]
        if figure.startswith(ranks_name("")):
            figure = "critical_difference"  # the diagram of a group of methods has the same caption
        names = [figure, *(figure.partition(mark)[0] for mark in "-_")]
        folder = project_file("workflow/report")
        return next((f"../report/{name}.rst" for name in names if (folder / f"{name}.rst").is_file()), None)
