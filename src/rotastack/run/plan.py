"""What the Snakefile asks: the study to run, its files, parameters and fingerprints."""

import json
import os
import sys
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from rotastack.errors import RotastackError
from rotastack.files import read_json, write_text
from rotastack.project import project_file
from rotastack.run.fingerprint import fingerprint
from rotastack.run.job import declarations
from rotastack.run.protocols import MODULES
from rotastack.run.resources import Resources
from rotastack.stats.metrics import METRICS
from rotastack.study.building import REFITTED, combiner_modules, pool_modules
from rotastack.study.names import ranks_name, slug, sweep_name
from rotastack.study.published_tables import published_paths
from rotastack.study.study import Study, compact
from rotastack.tracking.address import VARIABLE, receipt_name

__all__ = ["Plan"]

OF_PROTOCOL = {"folds": "groups", "train": "train", "combine": "combine", "score": "groups"}
"""Steps that each protocol does in its own way, or ask of it -> which of its modules."""

OF_SEVERAL = ("rank_intervals", "win_matrix", "pareto", "posterior")
"""Figures of methods over data sets, of which a single one has none."""


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
    def datasets(self) -> list[str]:
        """Names of the data sets that are run."""
        return list(self.study.datasets)

    # Data sets that cannot be had

    def drop_unavailable(self, only_warn: bool) -> None:
        """Check, before anything is computed, that each data set is there or can be had."""
        missing = self._missing()
        if not missing:
            if not only_warn:  # what an earlier run skipped is there by now, and jobs are to know it
                self._note.unlink(missing_ok=True)
            return
        if self._skips:
            for name, why in missing.items():
                print(f"rotastack: skipped: {why}", file=sys.stderr)
                self.skipped.append(f"skipped: {why}")
                del self.study.datasets[name]
            if not self.study.datasets:
                raise RotastackError("none of the study's data sets can be had")
            if not only_warn:  # for the jobs, which do not ask again
                write_text(self._note, self.skipped_json + "\n")
        elif only_warn:
            for why in missing.values():
                print(f"rotastack: warning: {why}", file=sys.stderr)
        else:
            raise RotastackError("; ".join(missing.values()))

    def drop_what_is_not_there(self) -> None:
        """In a job: leave out what the run's own process left out, without asking the network."""
        if self._skips:
            for name in list(self.study.datasets):
                if not Path(f"data/raw/{name}.csv.gz").is_file():
                    del self.study.datasets[name]
            self.skipped = read_json(self._note, list) if self._note.is_file() else []

    def _missing(self) -> dict[str, str]:
        """Return which data sets cannot be had, and why."""
        from concurrent.futures import ThreadPoolExecutor

        waiting = {
            name: spec for name, spec in self.study.datasets.items() if not Path(f"data/raw/{name}.csv.gz").is_file()
        }
        if not waiting:
            return {}
        from rotastack.data.loading import unavailable

        with ThreadPoolExecutor(8) as pool:
            reasons = zip(waiting, pool.map(lambda item: unavailable(*item), waiting.items()), strict=True)
            return {name: why for name, why in reasons if why is not None}

    @property
    def _note(self) -> Path:
        """Where jobs, which do not ask again, find what was skipped."""
        return Path(f"{self.root}/skipped.json")

    @property
    def _skips(self) -> bool:
        return (self.study.document.missing or self.machine["data"]["missing"]) == "skip"

    @property
    def skipped_json(self) -> str:
        """What was skipped, for the report."""
        return json.dumps(self.skipped)

    # Files

    def targets(self) -> list[str]:
        """Return what ``rule all`` asks for: all that somebody may want, so that what is deleted of it is made again."""
        return [
            "results/report.html",
            *self.published,
            f"{self.root}/report.html",
            f"{self.root}/scores.parquet",
            f"{self.root}/{self.receipt}",
            *(f for kind in ("svg", "png") for f in self.study_figure_files(kind)),
            *(file for dataset in self.datasets for file in self._targets_of(dataset)),
        ]

    def _targets_of(self, dataset: str) -> list[str]:
        return [
            f"{self.root}/{dataset}/{self.receipt}",
            f"{self.root}/{dataset}/scores.parquet",
            *self.method_files(dataset),
            *self.model_files(dataset, "model.skops"),
            *(f for kind in ("svg", "png") for f in self.figure_files(dataset, kind)),
        ]

    @cached_property
    def receipt(self) -> str:
        """Name of receipts of runs that were brought to the tracking address of today."""
        return receipt_name(os.environ.get(VARIABLE))

    def own_file(self, dataset: str) -> list[str]:
        """Return the user's file behind a data set, so that an edit is seen."""
        for source in self.study.datasets[dataset]["sources"]:
            if "file" in source:
                value = source["file"]
                return [value if isinstance(value, str) else value["path"]]
        return []

    def rotation_files(self, dataset: str, pool: str, block: str) -> list[str]:
        """Return the rotation groups that a block of a pool reads: of views that are drawn before any training."""
        view = self.study.pools[pool].view
        if view is None or not view.is_drawn:
            return []
        groups = self.study.protocol.rotation_groups_of(self.study.blocks[block])
        return [f"{self.root}/{dataset}/rotations/{view.key}/{group}.nc" for group in groups]

    def pool_files(self, dataset: str, pool: str, suffix: str = "nc") -> list[str]:
        """Return the files of all blocks of a pool."""
        return [f"{self.root}/{dataset}/pools/{pool}/{block}.{suffix}" for block in self.study.blocks]

    def all_pool_files(self, dataset: str, suffix: str) -> list[str]:
        """Return the files of all blocks of all pools."""
        return [f for pool in self.study.used_pools for f in self.pool_files(dataset, pool, suffix)]

    def method_files(self, dataset: str, suffix: str = "nc") -> list[str]:
        """Return the files of all methods."""
        return [f"{self.root}/{dataset}/methods/{slug(m)}.{suffix}" for m in self.study.methods]

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

    def model_files(self, dataset: str, name: str) -> list[str]:
        """Return a file of the data set's model, if one is made."""
        return [f"{self.root}/{dataset}/model/{name}"] if dataset in self.refitted else []

    @property
    def explanations(self) -> list[str]:
        """What models look at, if the study asks for it."""
        asked = self.study.document.model.explain
        return [f for d in self.refitted if asked for f in self.model_files(d, "explanation.json")]

    @property
    def published(self) -> list[str]:
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

    @property
    def _without(self) -> list[str]:
        """Tables and figures of class probabilities, not made of a regression, and figures of several data sets."""
        of_classes = ["calibration"] if self.study.task.name == "regression" else []
        return of_classes + (list(OF_SEVERAL) if len(self.datasets) < 2 else [])

    @property
    def tables(self) -> list[str]:
        """The study's tables."""
        names = [*METRICS[self.study.task.name], *declarations("summarize")["TABLES"]]
        without = self._without + ([] if self.study.groups_of_methods else ["groups"])
        if not self.study.document.evaluation.published_columns:
            without += ["published_columns", "published_ranks"]
        return [f"{self.root}/tables/{name}.csv" for name in names if name not in without]

    @property
    def report_texts(self) -> list[str]:
        """Templates, scripts and captions of the report."""
        folder = project_file("workflow/report")
        return [os.path.relpath(p) for p in sorted(folder.iterdir()) if p.suffix in (".rst", ".j2", ".js")]

    @staticmethod
    def caption(figure: str) -> str | None:
        """Return the caption of a figure, for Snakemake's report: of its name, or of what comes before the - or _ in it."""
        folder = project_file("workflow/report")
        if figure.startswith(ranks_name("")):
            figure = "critical_difference"  # the same diagram, of a group of methods
        names = [figure, *(figure.partition(mark)[0] for mark in "-_")]
        found = next((name for name in names if (folder / f"{name}.rst").is_file()), None)
        return found and f"../report/{found}.rst"

    @property
    def figures(self) -> tuple[str, ...]:
        """Figures of a data set's scores."""
        own = declarations("draw_dataset")["FIGURES"][self.study.protocol.package]
        return (*own, *(["kappa_error"] if self.study.voting_pools else []))

    def voting_files(self, dataset: str) -> list[str]:
        """Return the first blocks of the pools that hold votes."""
        return [self.pool_files(dataset, pool)[0] for pool in self.study.voting_pools]

    @property
    def pruning_figures(self) -> tuple[str, ...]:
        """Figures of a data set's members, if methods choose among them."""
        return declarations("draw_pruning")["FIGURES"] if self.study.prunes else ()

    def figure_files(self, dataset: str, suffix: str) -> list[str]:
        """Return the figures of a data set."""
        return [f"{self.root}/figures/{dataset}/{name}.{suffix}" for name in (*self.figures, *self.pruning_figures)]

    def study_figure_files(self, suffix: str) -> list[str]:
        """Return the figures over data sets."""
        ranks = [ranks_name(group["name"]) for group in self.study.groups_of_methods]
        sweeps = map(sweep_name, range(len(self.study.document.evaluation.sweeps)))
        return [
            f"{self.root}/figures/study/{name}.{suffix}"
            for name in (*declarations("draw_study")["FIGURES"], *ranks, *sweeps)
            if name not in self._without
        ]

    # Parameters: JSON, the same for equal content

    def spec(self, step: str, *names: str) -> str:
        """Return the slice of the study that a step uses."""
        return compact(getattr(self.study, f"{step}_spec")(*names))

    def summarize_spec(self) -> str:
        """Return the slice for statistics."""
        evaluation = self.study.document.evaluation.dump()
        return compact(
            {
                "task": self.study.task.name, "axes": list(self.study.protocol.axes),
                "alpha": evaluation["alpha"], "control": self.study.control,
                "methods": list(self.study.methods), "pairs": evaluation["pairs"], "claims": evaluation["claims"],
                "published_columns": evaluation["published_columns"],
                "optimistic": self.study.optimistic, "groups": self.study.groups_of_methods,
                "rotated": self.study.rotated, "titles": {name: group["title"] for name, group in evaluation["groups"].items()},
                "test_to_train": {d: self.study.protocol.test_to_train(self.resources.extent(d, "rows")) for d in self.datasets},
            }
        )  # fmt: skip

    def draw_study_spec(self) -> str:
        """Return the slice for figures over data sets."""
        evaluation = self.study.document.evaluation.dump()
        return compact(
            {
                "task": self.study.task.name, "axes": list(self.study.protocol.axes),
                "alpha": evaluation["alpha"], "control": self.study.control,
                "methods": list(self.study.methods), "shown": evaluation["shown"],
                "optimistic": self.study.optimistic, "groups": self.study.groups_of_methods,
                "sweeps": {sweep_name(k): sweep for k, sweep in enumerate(evaluation["sweeps"])},
            }
        )  # fmt: skip

    def published_spec(self) -> str:
        """Return the slice for the comparison with published results."""
        alpha = self.study.document.evaluation.alpha
        return compact({"alpha": alpha, "groups": self.study.groups_of_methods})

    def pruning_spec(self) -> str:
        """Return the slice for figures of members: which methods are in those that show each."""
        shown = self.study.document.evaluation.shown
        return compact({"only": {n: shown for n in self.pruning_figures if n != "members"}} if shown else {})

    def report_spec(self) -> str:
        """Return the whole study, blocks left out: the report shows it."""
        content = {k: v for k, v in self.study.document.dump().items() if k not in ("blocks", "sizes")}
        known = {"optimistic": self.study.optimistic, "rotated": self.study.rotated}
        return compact({**content, **known, "cells": self.study.protocol.cells})

    # Fingerprints

    def code(self, step: str, *names: str) -> str:
        """Return the fingerprint of a step; for train and combine, of the pool or method named, and so on."""
        return fingerprint(*self._modules(step, *names))

    def code_of_classes(self) -> str:
        """Return the fingerprint of all classes of the study, and of what checks them."""
        estimators, modules = self.study.task.estimators, ["rotastack.study.classes"]
        for pool in self.study.pools.values():
            modules += pool_modules(pool.resolved(estimators))
        for method in self.study.methods.values():
            modules += combiner_modules(method.combiner.resolved(estimators))
        return fingerprint(*dict.fromkeys(modules))

    def _modules(self, step: str, *names: str) -> list[str]:
        modules, estimators = [f"rotastack.run.steps.{step}"], self.study.task.estimators
        if step in OF_PROTOCOL:
            modules.append(MODULES[self.study.protocol.package][OF_PROTOCOL[step]])
        if step == "train":
            modules += pool_modules(self.study.pools[names[0]].resolved(estimators))
        elif step == "combine":
            modules += combiner_modules(self.study.methods[names[0]].combiner.resolved(estimators))
        elif step == "refit":
            for label in self.study.refittable:
                method = self.study.methods[label]
                modules += pool_modules(self.study.pools[method.pool].resolved(estimators))
                modules += combiner_modules(method.combiner.resolved(estimators))
                modules += [REFITTED[k] for k in [method.combiner.kind] if k in REFITTED]
        elif step == "rotations":
            modules.append(self.study.view_of(names[0]).entry.module)
        elif step == "fetch":
            modules += [f"rotastack.data.sources.{next(iter(s))}" for s in self._all_datasets[names[0]]["sources"]]
        return modules

    # Sizes

    @cached_property
    def resources(self) -> Resources:
        """Memory, time and threads of jobs."""
        return Resources(self.study, self._all_datasets)
