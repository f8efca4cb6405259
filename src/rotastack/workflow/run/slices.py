"""Slices of a study: the content that a step needs and nothing else, as one line of JSON.

A slice is a parameter of the step's rule: Snakemake reruns the step if the slice changes. Equal content gives the same JSON.
"""

from functools import cached_property
from typing import Any

from rotastack.workflow.study.names import sweep_name
from rotastack.workflow.study.study import Study, compact

__all__ = ["Slices"]


class Slices:
    """The slices of a study.

    Parameters
    ----------
    study : Study
        Data sets that are dropped from the study are in no later slice.
    """

    def __init__(self, study: Study):
        self.study = study
        self._estimators = study.task.estimators
        self._of_dataset = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later

    @cached_property
    def _pools(self) -> dict[str, dict[str, Any]]:
        return {name: pool.resolved(self._estimators) for name, pool in self.study.pools.items()}

    @cached_property
    def _views(self) -> dict[str, dict[str, Any]]:
        return {view.key: view.resolved() for view in self.study.drawn_views}

    def fetch(self, dataset: str) -> str:
        """Return the sources of a table, and the rows, columns and classes that it must have."""
        entry = self._of_dataset[dataset]
        keys = ["sources", "mirror", "rows", "columns", "classes", "homepage"]
        if any("file" in source for source in entry["sources"]):
            keys.append("kinds")  # declared categories stay text
        return compact({key: entry[key] for key in keys if key in entry})

    def prepare(self, dataset: str) -> str:
        """Return the task, the kinds and encoding of columns, and the noise columns."""
        entry = self._of_dataset[dataset]
        slice_: dict[str, Any] = {"task": self.study.task.name, "kinds": entry.get("kinds", "auto")}
        slice_ |= {"divided_by": divided} if (divided := self.study.protocol.divided_by) else {}
        if self.study.protocol.folds_spec().get("copies_together"):
            slice_["copies_together"] = True
        if any("file" in source for source in entry["sources"]):
            slice_["is_own"] = True
        if entry.get("encoding", "dummies") != "dummies":
            slice_["encoding"] = entry["encoding"]
        if entry.get("noise_columns"):
            slice_ |= {"noise_columns": entry["noise_columns"], "seed": self.study.document.seed}
        return compact(slice_)

    def groups(self, dataset: str) -> str:
        """Return how the rows are divided into folds or splits."""
        study = self.study
        return compact({"seed": study.document.seed, "dataset": dataset, **study.protocol.folds_spec()})

    def rotations(self, dataset: str, view: str, groups: str) -> str:
        """Return a view whose rotations are drawn before all training, and the rotation groups of one file."""
        study = self.study
        drawn = {
            "view": self._views[view],
            "groups": study.rotation_groups[groups],
            "rotations": study.protocol.rotations,
        }
        return compact({"seed": study.document.seed, "dataset": dataset, **drawn})

    def train(self, dataset: str, pool: str, block: str) -> str:
        """Return a pool and the cells of a block."""
        study, protocol, content = self.study, self.study.protocol, self.study.pools[pool]
        keys = ["view", "scaling", "estimator", "parameters", *protocol.pool_keys]
        keys += [] if content.training_limit is None else ["training_limit"]
        resolved = self._pools[pool]
        selections = study.selections_of(pool)
        return compact(
            {
                "protocol": protocol.package, "seed": study.document.seed, "dataset": dataset, "name": pool,
                **study.blocks[block],
                **({} if content.view is None else {"rotations": protocol.rotations}),
                **protocol.training_spec(content, dataset, study.has_second_level(pool), selections),
                "pool": {key: resolved[key] for key in keys},
            }
        )  # fmt: skip

    def _combine(self, dataset: str, label: str) -> dict[str, Any]:
        study, method = self.study, self.study.methods[label]
        return {
            "protocol": study.protocol.package, "seed": study.document.seed, "dataset": dataset, "method": label,
            "combiner": method.combiner.resolved(self._estimators),
        }  # fmt: skip

    def combine(self, dataset: str, label: str) -> str:
        """Return a method's combiner."""
        return compact(self._combine(dataset, label))

    def vote(self, dataset: str, codes: dict[str, str]) -> str:
        """Return the methods that only vote; `codes` maps each of them to the fingerprint of its combiner."""
        study = self.study
        votes = [
            {"slice": self._combine(dataset, label), "pool": study.methods[label].pool, "code": code}
            for label, code in codes.items()
        ]
        return compact({"votes": votes, "pools": study.quick_pools, "blocks": len(study.blocks_of[dataset])})

    def score(self, dataset: str) -> str:
        """Return the axes that number a cell, the methods, and the pools with the number of their blocks."""
        study = self.study
        return compact(
            {
                "protocol": study.protocol.package, "axes": list(study.protocol.axes), "methods": list(study.methods),
                "pools": study.used_pools, "blocks": len(study.blocks_of[dataset]),
            }
        )  # fmt: skip

    def _published(self, evaluation: dict[str, Any]) -> dict[str, Any]:
        """Return the published columns, and published name -> name of each data set that has only a mirror."""
        columns = [
            {k: v for k, v in c.items() if (k, v) != ("failed", "missing")} for c in evaluation["published_columns"]
        ]
        names = {
            entry["mirror"]: name
            for name, entry in self._of_dataset.items()
            if entry.get("mirror") and not entry["sources"]
        }
        return {"published_columns": columns, **({"printed_names": names} if columns and names else {})}

    def _left_out(self, evaluation: dict[str, Any]) -> dict[str, Any]:
        left_out = {d: why for d, why in evaluation["left_out"].items() if d in self.study.datasets}
        return {"left_out": left_out} if left_out else {}

    def summarize(self, extent: Any) -> str:
        """Return the methods, tests and groups; `extent` returns the rows of a data set, or None."""
        study, evaluation = self.study, self.study.document.evaluation.dump()
        titles = {name: group["title"] for name, group in evaluation["groups"].items()}
        return compact(
            {
                "task": study.task.name, "score": study.score, "axes": list(study.protocol.axes), "alpha": evaluation["alpha"],
                "control": study.control, "methods": list(study.methods), "pairs": evaluation["pairs"],
                "claims": evaluation["claims"], **self._published(evaluation), **self._left_out(evaluation),
                "optimistic": study.optimistic, "groups": study.groups_of_methods, "rotation_pairs": study.rotation_pairs, "titles": titles,
                "test_to_train": {d: study.protocol.test_to_train(extent(d, "rows")) for d in study.datasets},
                "threshold": study.document.model.threshold,
            }
        )  # fmt: skip

    def draw(self, pruning_figures: tuple[str, ...]) -> str:
        """Return the methods, data sets and pools that figures show."""
        study, evaluation = self.study, self.study.document.evaluation.dump()
        shown = evaluation["shown"]
        return compact(
            {
                "task": study.task.name, "score": study.score, "axes": list(study.protocol.axes), "alpha": evaluation["alpha"],
                "control": study.control, "methods": list(study.methods), "shown": shown,
                "optimistic": study.optimistic, "groups": study.groups_of_methods,
                "sweeps": {sweep_name(k): sweep for k, sweep in enumerate(evaluation["sweeps"])},
                "datasets": list(study.datasets), "votes": study.voting_pools,
                "silent": [p for p in study.used_pools if p not in study.voting_pools],
                "only": {name: shown for name in pruning_figures if shown and name != "members"}, **self._left_out(evaluation),
            }
        )  # fmt: skip

    def published(self) -> str:
        """Return the test level and the groups of methods, for the comparison with published results."""
        study = self.study
        return compact({"alpha": study.document.evaluation.alpha, "groups": study.groups_of_methods})

    def refit(self, dataset: str, extent: Any) -> str:
        """Return the methods that may become the model of a data set, and how one is chosen."""
        study, choosing = self.study, {}
        if study.document.model.refit == "best":
            ratio = study.protocol.test_to_train(extent(dataset, "rows"))
            choosing = {
                "axes": list(study.protocol.axes),
                "alpha": study.document.evaluation.alpha,
                "test_to_train": ratio,
            }
        return compact(
            {
                **choosing,
                "task": study.task.name, "score": study.score, "seed": study.document.seed, "dataset": dataset, "refit": study.document.model.refit,
                **({} if study.document.model.threshold is None else {"threshold": study.document.model.threshold}),
                "methods": {
                    label: {"pool": self._pools[m.pool], "combiner": m.combiner.resolved(self._estimators)}
                    for label, m in study.methods.items()
                    if label in study.refittable
                },
                "kinds": self._of_dataset[dataset].get("kinds", "auto"), "rotations": study.protocol.rotations,
                **({"divided_by": divided} if (divided := study.protocol.divided_by) else {}),
                "folds": study.protocol.folds_spec().get("folds", 5),
            }
        )  # fmt: skip

    def explain(self) -> str:
        """Return the score for the explanation of a model."""
        return compact({"score": self.study.score})

    def report(self) -> str:
        """Return the study without its blocks and sizes, for the report."""
        study = self.study
        content = {k: v for k, v in study.document.dump().items() if k not in ("blocks", "sizes")}
        more = {
            "score": study.score,
            "optimistic": study.optimistic,
            "rotated": study.rotated,
            "cells": study.protocol.cells,
        }
        return compact({**content, **more})
