"""Slices of a study: what each step is told of it, and nothing else."""

from collections.abc import Mapping
from typing import Any

from rotastack.workflow.study import specs
from rotastack.workflow.study.names import outer, sweep_name
from rotastack.workflow.study.study import Study, size_in


class Slices:
    """The specs of a study's steps; data sets that are dropped from the study are in no later spec."""

    def __init__(self, study: Study):
        self.study = study
        self._entries = dict(study.datasets)  # a copy, which keeps the data sets that are dropped later

    def _is_own(self, dataset: str) -> bool:
        return any("file" in source for source in self._entries[dataset]["sources"])

    def fetch(self, dataset: str, contents: dict[str, str]) -> specs.FetchSpec:
        """Return the spec of the step ``fetch``; `contents` are the hashes of the files that the table is read from."""
        entry = self._entries[dataset]
        keys = ["sources", "mirror", "rows", "columns", "classes", "homepage"]
        keys += ["kinds"] if self._is_own(dataset) else []  # declared categories stay text
        return specs.FetchSpec(
            dataset=dataset, entry={key: entry[key] for key in keys if key in entry}, contents=contents
        )

    def prepare(self, dataset: str) -> specs.PrepareSpec:
        """Return the spec of the step ``prepare``."""
        study, entry = self.study, self._entries[dataset]
        noise = (
            {"noise_columns": entry["noise_columns"], "seed": study.document.seed} if entry.get("noise_columns") else {}
        )
        return specs.PrepareSpec(
            dataset=dataset, task=study.task.name, divided_by=study.protocol.divided_by, is_own=self._is_own(dataset),
            copies_together=getattr(study.protocol, "copies_together", False),
            **{key: entry[key] for key in ("kinds", "encoding", "smallest_class") if key in entry}, **noise,
        )  # fmt: skip

    def groups(self, dataset: str) -> Any:
        """Return the spec of the step ``groups`` for folds or splits."""
        return self.study.protocol.folds_spec(self.study.document.seed, dataset)

    def rotations(self, dataset: str, view: str, groups: str) -> specs.RotationsSpec:
        """Return the spec of the step ``groups`` for a view that is drawn before all training."""
        study = self.study
        views = {view.key: view for view in study.drawn_views}
        return specs.RotationsSpec(
            seed=study.document.seed, dataset=dataset, view=views[view], groups=study.rotation_groups[groups],
            rotations=study.protocol.rotations,
        )  # fmt: skip

    def train(self, dataset: str, pool: str, block: str) -> Any:
        """Return the spec of the step ``train`` for a pool and a block."""
        study, document = self.study, self.study.pools[pool]
        return study.protocol.training_spec(
            document, study.blocks[outer(block)], block != outer(block), study.selections_of(pool),
            seed=study.document.seed, dataset=dataset, name=pool, pool=document,
            rotations=1 if document.view is None else study.protocol.rotations,
        )  # fmt: skip

    def combine(self, dataset: str, label: str) -> specs.CombiningSpec:
        """Return the spec of the step ``combine`` for a method."""
        study = self.study
        return specs.CombiningSpec(
            protocol=study.protocol.package, seed=study.document.seed, dataset=dataset, method=label,
            combiner=study.methods[label].combiner,
        )  # fmt: skip

    def vote(self, dataset: str, keys: Mapping[str, str]) -> specs.VotingSpec:
        """Return the spec of the step ``combine`` for the methods that only vote; `keys` are those of the methods."""
        study = self.study
        votes = [
            specs.VotedMethod(spec=self.combine(dataset, label), pool=study.methods[label].pool, key=key)
            for label, key in keys.items()
        ]
        return specs.VotingSpec(votes=votes, pools=study.voted_pools, blocks=len(study.blocks_of[dataset]))

    def score(self, dataset: str) -> specs.ScoringSpec:
        """Return the spec of the step ``score``."""
        study = self.study
        return specs.ScoringSpec(
            dataset=dataset, score=study.score, protocol=study.protocol.package, axes=list(study.protocol.axes),
            methods=list(study.methods), pools=study.used_pools,
            is_own=self._is_own(dataset), copies_together=getattr(study.protocol, "copies_together", False),
        )  # fmt: skip

    def _compared(self) -> dict[str, Any]:
        """Return the keys that the comparison of methods and the figures share."""
        study, evaluation = self.study, self.study.document.evaluation
        return {
            "task": study.task.name, "score": study.score, "axes": list(study.protocol.axes), "alpha": evaluation.alpha,
            "control": study.control, "methods": list(study.methods), "optimistic": study.optimistic,
            "groups": study.groups_of_methods, "average": evaluation.average,
            "left_out": {d: why for d, why in evaluation.left_out.items() if d in study.datasets},
        }  # fmt: skip

    def summarize(self, contents: dict[str, str]) -> specs.SummarySpec:
        """Return the spec of the step ``summarize``; `contents` are the hashes of the files of published results."""
        study, evaluation = self.study, self.study.document.evaluation
        columns = [c.dump() for c in evaluation.published_columns]
        columns = [{k: v for k, v in c.items() if (k, v) != ("failed", "missing")} for c in columns]
        entries = self._entries.items()
        mirrored = {entry["mirror"]: name for name, entry in entries if entry.get("mirror") and not entry["sources"]}
        return specs.SummarySpec(
            **self._compared(), pairs=evaluation.pairs, claims=evaluation.claims,
            published_columns=columns, printed_names=mirrored if columns else {}, rotation_pairs=study.rotation_pairs,
            titles={name: group.title for name, group in evaluation.groups.items()},
            test_to_train={d: study.protocol.test_to_train(size_in(self._entries[d], "rows")) for d in study.datasets},
            threshold=study.document.model.threshold, chooses=study.document.model.refit == "best", contents=contents,
        )  # fmt: skip

    def draw(self) -> specs.FiguresSpec:
        """Return the spec of the step ``draw``."""
        study, evaluation = self.study, self.study.document.evaluation
        return specs.FiguresSpec(
            **self._compared(), shown=evaluation.shown, datasets=list(study.datasets), votes=study.pools_with_votes,
            sweeps={sweep_name(k): sweep for k, sweep in enumerate(evaluation.sweeps)},
            silent=[p for p in study.used_pools if p not in study.pools_with_votes],
        )  # fmt: skip

    def published(self, skipped: list[str], contents: dict[str, str]) -> specs.PublishedSpec:
        """Return the spec of the step ``published``; see :meth:`report`."""
        document, about = self.study.document, self.study.document.evaluation
        return specs.PublishedSpec(
            title=document.title or document.name, alpha=about.alpha, average=about.average, groups=self.study.groups_of_methods,
            skipped=skipped, contents=contents,
        )  # fmt: skip

    def refit(self, dataset: str) -> specs.RefitSpec:
        """Return the spec of the step ``refit``."""
        study, model, protocol = self.study, self.study.document.model, self.study.protocol
        choosing: dict[str, Any] = {}
        if model.refit == "best":
            choosing = {"axes": list(protocol.axes), "alpha": study.document.evaluation.alpha}
        methods = {label: method for label, method in study.method_specs.items() if label in study.refittable}
        return specs.RefitSpec(
            task=study.task.name, score=study.score, seed=study.document.seed, dataset=dataset, refit=model.refit,
            threshold=model.threshold, methods=methods, kinds=self._entries[dataset].get("kinds", "auto"),
            rotations=protocol.rotations, rotation_groups=getattr(protocol, "rotation_groups", 1),
            divided_by=protocol.divided_by, folds=getattr(protocol, "folds", 5), trusted=study.document.trusted, **choosing,
        )  # fmt: skip

    def explain(self, dataset: str, contents: dict[str, str]) -> specs.ExplainSpec:
        """Return the spec of the step ``explain``; `contents` are the hashes of the report's templates."""
        study = self.study
        return specs.ExplainSpec(
            study=study.name, dataset=dataset, score=study.score, trusted=study.document.trusted, contents=contents
        )

    def report(self, skipped: list[str], contents: dict[str, str], tracked_at: str = "") -> specs.ReportSpec:
        """Return the spec of the steps ``report`` and ``track``.

        `skipped` are the notes on skipped data sets, `contents` the hashes of the report's templates, and `tracked_at` is
        the address of MLflow.
        """
        study = self.study
        content = {k: v for k, v in study.document.dump().items() if k not in ("blocks", "sizes")}
        return specs.ReportSpec(
            **content, score=study.score, control=study.control, optimistic=study.optimistic, rotated=study.rotated,
            cells=study.protocol.cells, skipped=skipped, contents=contents, tracked_at=tracked_at,
        )  # fmt: skip
