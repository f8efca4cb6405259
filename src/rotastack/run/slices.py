"""The slice of a study that each step needs, and nothing else: one line of JSON, the same for equal content.

A slice is a parameter of the step's rule: Snakemake runs the step again where its slice has changed.
"""

from functools import cached_property
from typing import Any

from rotastack.study.names import sweep_name
from rotastack.study.study import Study, compact

__all__ = ["Slices"]


class Slices:
    """The slices of a study.

    Parameters
    ----------
    study : Study
        Data sets that are dropped from it later are in no slice that is made then.
    """

    def __init__(self, study: Study):
        self.study = study
        self._estimators = study.task.estimators
        self._of_dataset = dict(study.datasets)  # of those that are dropped later, too

    @cached_property
    def _pools(self) -> dict[str, dict[str, Any]]:
        return {name: pool.resolved(self._estimators) for name, pool in self.study.pools.items()}

    @cached_property
    def _views(self) -> dict[str, dict[str, Any]]:
        return {view.key: view.resolved() for view in self.study.drawn_views}

    def fetch(self, dataset: str) -> str:
        """Return where a table comes from, and what it must look like."""
        entry = self._of_dataset[dataset]
        keys = ("sources", "mirror", "rows", "columns", "classes", "homepage")
        return compact({key: entry[key] for key in keys if key in entry})

    def prepare(self, dataset: str) -> str:
        """Return the task and the kinds of columns."""
        entry = self._of_dataset[dataset]
        slice_: dict[str, Any] = {"task": self.study.task.name, "kinds": entry.get("kinds", "auto")}
        slice_ |= {"divided_by": divided} if (divided := self.study.protocol.divided_by) else {}
        if any("file" in source for source in entry["sources"]):
            slice_["is_own"] = True
        if entry.get("encoding", "dummies") != "dummies":
            slice_["encoding"] = entry["encoding"]
        if entry.get("noise_columns"):
            slice_ |= {"noise_columns": entry["noise_columns"], "seed": self.study.document.seed}
        return compact(slice_)

    def groups(self, dataset: str) -> str:
        """Return how rows are divided."""
        study = self.study
        return compact({"seed": study.document.seed, "dataset": dataset, **study.protocol.folds_spec()})

    def rotations(self, dataset: str, view: str, groups: str) -> str:
        """Return a view whose rotations are drawn before any training, and the rotation groups of a file."""
        study = self.study
        drawn = {
            "view": self._views[view],
            "groups": study.rotation_groups[groups],
            "rotations": study.protocol.rotations,
        }
        return compact({"seed": study.document.seed, "dataset": dataset, **drawn})

    def train(self, dataset: str, pool: str, block: str) -> str:
        """Return a pool, and the cells of a block."""
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

    def score(self, dataset: str, codes: dict[str, str]) -> str:
        """Return what numbers a cell, and the methods whose combiner learns nothing.

        `codes` has the fingerprint of each of these methods.
        """
        study = self.study
        votes = [
            {"slice": self._combine(dataset, label), "pool": method.pool, "code": codes[label]}
            for label, method in study.methods.items()
            if label in codes
        ]
        return compact(
            {
                "protocol": study.protocol.package, "axes": list(study.protocol.axes), "votes": votes,
                "pools": study.used_pools, "blocks": len(study.blocks), "methods": list(study.methods),
            }
        )  # fmt: skip

    def _published(self, evaluation: dict[str, Any]) -> dict[str, Any]:
        """Return the published columns, and what their sources call data sets of a mirror folder."""
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
        """Return what is compared; `extent` tells the rows of a data set, where its entry does."""
        study, evaluation = self.study, self.study.document.evaluation.dump()
        titles = {name: group["title"] for name, group in evaluation["groups"].items()}
        return compact(
            {
                "task": study.task.name, "score": study.score, "axes": list(study.protocol.axes), "alpha": evaluation["alpha"],
                "control": study.control, "methods": list(study.methods), "pairs": evaluation["pairs"],
                "claims": evaluation["claims"], **self._published(evaluation), **self._left_out(evaluation),
                "optimistic": study.optimistic, "groups": study.groups_of_methods, "rotated": study.rotated, "titles": titles,
                "test_to_train": {d: study.protocol.test_to_train(extent(d, "rows")) for d in study.datasets},
            }
        )  # fmt: skip

    def draw(self, pruning_figures: tuple[str, ...]) -> str:
        """Return what figures show."""
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
        """Return what is compared with published results."""
        study = self.study
        return compact({"alpha": study.document.evaluation.alpha, "groups": study.groups_of_methods})

    def refit(self, dataset: str) -> str:
        """Return the methods that a model may be made of."""
        study = self.study
        return compact(
            {
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
        """Return the score by which a model is explained."""
        return compact({"score": self.study.score})

    def report(self) -> str:
        """Return the whole study, blocks left out: the report shows it."""
        study = self.study
        content = {k: v for k, v in study.document.dump().items() if k not in ("blocks", "sizes")}
        more = {
            "score": study.score,
            "optimistic": study.optimistic,
            "rotated": study.rotated,
            "cells": study.protocol.cells,
        }
        return compact({**content, **more})
