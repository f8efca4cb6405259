"""What the rules ask of a study: names of their files, slices, fingerprints and resources."""

import json
import os
import re
import sys
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rotastack.data.registry import make_sources
from rotastack.errors import RotastackError
from rotastack.files import read_json, write_text
from rotastack.project import project_file
from rotastack.run.codes import Codes
from rotastack.run.files import RAW, StudyFiles
from rotastack.run.resources import Resources
from rotastack.run.slices import Slices
from rotastack.stats.metrics import METRICS
from rotastack.study.names import ranks_name, slug, sweep_name
from rotastack.study.published_tables import published_paths
from rotastack.study.study import Study
from rotastack.tracking.address import VARIABLE, receipt_name

__all__ = ["Plan"]

TABLES = (
    "variance", "pairs", "facts", "claims", "calibration", "baseline", "control", "times", "published_columns",
    "published_ranks", "groups",
)  # fmt: skip
"""Tables of a study, beside one for each score."""
FIGURES_OF_CELLS = {
    "nested": ("heatmap_drawn", "heatmap_by_rotation_group", "heatmap_by_fold_group", "histogram"),
    "splits": ("boxes",),
}
"""Protocol -> figures of the scores of a data set."""
FIGURES_OF_MEMBERS = ("margin_distributions", "ordered_curves", "members", "diversity")
"""Figures of a data set where methods choose among members."""
FIGURES_OF_STUDY = (
    "critical_difference", "differences", "calibration", "rank_intervals", "win_matrix", "pareto", "posterior",
)  # fmt: skip
OF_SEVERAL = ("rank_intervals", "win_matrix", "pareto", "posterior")
"""Figures of methods over data sets, of which a single one has none."""


class Plan:
    """A study laid out for the rules.

    Parameters
    ----------
    study : Study
    machine : mapping
        config/config.yaml.
    where : str
        Where the study was read from, for messages.
    """

    def __init__(self, study: Study, machine: Mapping[str, Any], where: str = "study"):
        self.study = study
        self.machine = machine
        self.where = where
        self.files = StudyFiles(f"results/{study.name}")
        self.root = self.files.root
        self.slices = Slices(study)
        self.codes = Codes(study)
        self.resources = Resources(study, study.datasets)
        self.skipped: list[str] = []

    @property
    def datasets(self) -> list[str]:
        """Names of the data sets that are run."""
        return list(self.study.datasets)

    # Data sets that cannot be had

    @property
    def skips(self) -> bool:
        """Whether data sets that cannot be had are left out, rather than the study stopped."""
        return (self.study.document.missing or self.machine["data"]["missing"]) == "skip"

    def unavailable(self) -> dict[str, str]:
        """Return the data sets that cannot be had, and why."""
        from concurrent.futures import ThreadPoolExecutor

        datasets = self.study.datasets.items()
        waiting = [item for item in datasets if not Path(RAW.format(dataset=item[0])).is_file()]
        if not waiting:
            return {}
        from rotastack.data.loading import unavailable

        with ThreadPoolExecutor(8) as pool:
            reasons = pool.map(lambda item: unavailable(*item), waiting)
            return {name: why for (name, _), why in zip(waiting, reasons, strict=True) if why is not None}

    def drop_unavailable(self) -> None:
        """Leave out the data sets that cannot be had; RotastackError if none is left."""
        for name, why in self.unavailable().items():
            print(f"rotastack: skipped: {why}", file=sys.stderr)
            self.skipped.append(f"skipped: {why}")
            del self.study.datasets[name]
        if not self.study.datasets:
            raise RotastackError("none of the study's data sets can be had")

    def note_skipped(self) -> None:
        """Write down what is left out, for jobs that are processes of their own on a cluster."""
        note = Path(self.files.skipped)
        if self.skipped:
            write_text(note, self.skipped_json + "\n")
        else:
            note.unlink(missing_ok=True)

    def drop_skipped(self) -> None:
        """In a job: leave out what the run's own process left out, without asking the network."""
        for name in self.datasets:
            if not Path(RAW.format(dataset=name)).is_file():
                del self.study.datasets[name]
        note = Path(self.files.skipped)
        self.skipped = read_json(note, list) if note.is_file() else []

    @property
    def skipped_json(self) -> str:
        """What was skipped, for the report."""
        return json.dumps(self.skipped)

    # Names in files

    def own_file(self, dataset: str) -> list[str]:
        """Return the user's file behind a data set, so that an edit is seen."""
        for source in self.study.datasets[dataset]["sources"]:
            if "file" in source:
                value = source["file"]
                return [value if isinstance(value, str) else value["path"]]
        return []

    @cached_property
    def at_hand(self) -> list[str]:
        """Data sets whose first source needs no network."""
        first = {name: make_sources(name, entry)[:1] for name, entry in self.study.datasets.items()}
        return [name for name, sources in first.items() if not all(source.network for source in sources)]

    @cached_property
    def downloaded(self) -> list[str]:
        """Data sets that come from the network or a mirror."""
        return [name for name in self.datasets if name not in set(self.at_hand)]

    @property
    def pools(self) -> list[str]:
        """Pools that some method uses."""
        return self.study.used_pools

    @cached_property
    def blocks(self) -> list[str]:
        """Blocks of cells, each a training job of a pool."""
        return list(self.study.blocks)

    def rotations_of(self, pool: str, block: str) -> list[str]:
        """Return the rotations that a block of a pool reads, if its view is drawn before any training: ``view/RG-01-03``."""
        view, groups = self.study.pools[pool].view, block.partition("/")[0]
        if view is None or not view.is_drawn or groups not in self.study.rotation_groups:
            return []
        return [f"{view.key}/{groups}"]

    @cached_property
    def voted(self) -> list[str]:
        """File names of the methods that rule score combines."""
        return [slug(label) for label in self.study.quick]

    @property
    def voted_codes(self) -> dict[str, str]:
        """The methods that rule score combines, each with the fingerprint of its combiner."""
        return {label: self.codes.combine(label) for label in self.study.quick}

    @cached_property
    def combined(self) -> list[str]:
        """File names of the methods that rule combine makes."""
        quick = set(self.study.quick)
        return [slug(label) for label in self.study.methods if label not in quick]

    @staticmethod
    def one_of(names: Iterable[str]) -> str:
        """Return a regular expression of these names, for a wildcard."""
        return "|".join(map(re.escape, names)) or "(?!)"

    def label(self, file_name: str) -> str:
        """Return the label of the method whose files have this name."""
        return self.study.method_of(file_name)

    def pool_of(self, file_name: str) -> str:
        """Return the pool of the method whose files have this name."""
        return self.study.methods[self.label(file_name)].pool

    @property
    def refitted(self) -> list[str]:
        """Data sets of which a model is made."""
        if self.study.document.model.refit == "none":
            return []
        return [d for d in self.datasets if not self.study.datasets[d].get("noise_columns")]

    @property
    def explained(self) -> list[str]:
        """Data sets whose model the report explains."""
        return self.refitted if self.study.document.model.explain else []

    @cached_property
    def receipt(self) -> str:
        """File name of the receipt of runs that were brought to the tracking address of today."""
        return receipt_name(os.environ.get(VARIABLE))

    # Published results

    @property
    def published_page(self) -> list[str]:
        """The page that compares with published results, if there are any."""
        return [f"{self.root}/published.html"] if self.study.document.published else []

    @property
    def published_files(self) -> list[str]:
        """The published results, and reasons for differences where somebody wrote them down."""
        name = self.study.document.published
        return [os.path.relpath(p) for p in published_paths(name)] if name else []

    @property
    def published_columns_files(self) -> list[str]:
        """The published results that stand beside the study's own."""
        tables = dict.fromkeys(column.table for column in self.study.document.evaluation.published_columns)
        return [os.path.relpath(p) for table in tables for p in published_paths(table)]

    # Tables and figures

    @property
    def tables(self) -> list[str]:
        """Names of the study's tables."""
        evaluation = self.study.document.evaluation
        without = {"calibration"} if self.study.task.name == "regression" else set()
        without |= set() if evaluation.groups else {"groups"}
        without |= set() if evaluation.published_columns else {"published_columns", "published_ranks"}
        return [name for name in (*METRICS[self.study.task.name], *TABLES) if name not in without]

    @property
    def voting_pools(self) -> list[str]:
        """Pools whose members a figure shows two by two."""
        return self.study.voting_pools

    @property
    def pruning_figures(self) -> tuple[str, ...]:
        """Figures of a data set's members, if methods choose among them."""
        return FIGURES_OF_MEMBERS if self.study.prunes else ()

    @property
    def pruning_methods(self) -> list[str]:
        """File names of the methods that figures of members show."""
        return [slug(label) for label in self.study.methods] if self.study.prunes else []

    @cached_property
    def figures(self) -> dict[str, str]:
        """Figures, as ``study/NAME`` or ``DATASET/NAME``, each with its category in Snakemake's report."""
        study = self.study
        without = {"calibration"} if study.task.name == "regression" else set()
        without |= set(OF_SEVERAL) if len(self.datasets) < 2 else set()
        ranks = [ranks_name(group["name"]) for group in study.groups_of_methods]
        sweeps = map(sweep_name, range(len(study.document.evaluation.sweeps)))
        of_study = [name for name in (*FIGURES_OF_STUDY, *ranks, *sweeps) if name not in without]
        pairs = ["kappa_error"] if self.voting_pools else []
        of_dataset = [*FIGURES_OF_CELLS[study.protocol.package], *pairs, *self.pruning_figures]
        return {
            **{f"study/{name}": "study" for name in of_study},
            **{f"{dataset}/{name}": "data sets" for dataset in self.datasets for name in of_dataset},
        }

    @property
    def report_texts(self) -> list[str]:
        """Templates, scripts and captions of the report."""
        folder = project_file("workflow/report")
        return [os.path.relpath(p) for p in sorted(folder.iterdir()) if p.suffix in (".rst", ".j2", ".js")]

    @staticmethod
    def caption(figure: str) -> str | None:
        """Return the caption of a figure, for Snakemake's report: of its name, or of what comes before the - or _ in it."""
        figure = figure.rpartition("/")[2]
        if figure.startswith(ranks_name("")):
            figure = "critical_difference"  # the same diagram, of a group of methods
        names = [figure, *(figure.partition(mark)[0] for mark in "-_")]
        folder = project_file("workflow/report")
        return next((f"../report/{name}.rst" for name in names if (folder / f"{name}.rst").is_file()), None)
