"""A study as the workflow sees it: checked, with defaults, and cut into each step's slice."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rotastack.data.registry import make_sources, registry
from rotastack.errors import RotastackError, nearest
from rotastack.learners.registry import check_learner
from rotastack.schema import schema, validate, with_defaults

__all__ = ["Study", "compact", "slug"]


def slug(label: str) -> str:
    """Return a label as a file name: ``S-RRE/RF`` becomes ``S-RRE_RF``."""
    return "".join(c if c.isalnum() or c in "-." else "_" for c in label)


def compact(spec: Mapping[str, Any]) -> str:
    """Return JSON that is the same for equal content, on one line."""
    return json.dumps(spec, sort_keys=True, separators=(",", ":"))


def _label(prefix: str, number: int) -> str:
    return f"{prefix}-{number + 1:02d}"


def _block_name(prefix: str, numbers: list[int]) -> str:
    first = _label(prefix, numbers[0])
    return first if len(numbers) == 1 else f"{first}-{numbers[-1] + 1:02d}"


@dataclass(frozen=True)
class Study:
    """A checked study.

    Parameters
    ----------
    content : dict
        The study's keys, defaults filled in.
    datasets : dict
        Name -> registry entry of each data set.
    """

    content: dict[str, Any]
    datasets: dict[str, dict[str, Any]]

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], where: str) -> "Study":
        """Check a study read from `where`.

        Raises
        ------
        RotastackError
            The first thing that is wrong, with its key and what is allowed.
        """
        validate(data, "study", where)
        content = with_defaults(dict(data), schema("study"))
        study = cls(content, _resolve_datasets(content["datasets"], where))
        study._check(where)
        return study

    def _check(self, where: str) -> None:
        for name, pool in self.pools.items():
            check_learner(pool["learner"], f"{where}: pools.{name}.learner")
        labels = list(self.methods)
        slugs = [slug(label) for label in labels]
        for label, method in self.methods.items():
            if slugs.count(slug(label)) > 1:
                raise RotastackError(
                    f"{where}: methods: {label!r} and another label differ in punctuation only"
                )
            if method["pool"] not in self.pools:
                raise RotastackError(
                    f"{where}: methods.{label}.pool: pool {method['pool']!r} is unknown"
                    f"{nearest(method['pool'], list(self.pools))}; there are {', '.join(self.pools)}"
                )
            kind = method["combiner"]["kind"]
            stray = {"vote": "learner", "stacking": "voting"}[kind]
            if stray in method["combiner"]:
                raise RotastackError(
                    f"{where}: methods.{label}.combiner: {stray!r} does not go with kind {kind!r}"
                )
            if kind == "stacking":
                learner = method["combiner"].setdefault("learner", {"kind": "forest"})
                check_learner(learner, f"{where}: methods.{label}.combiner.learner")
            else:
                method["combiner"].setdefault("voting", "soft")
        control = self.content["evaluation"]["control"]
        refit = self.content["model"]["refit"]
        for key, value, extra in [
            ("evaluation.control", control, []),
            ("model.refit", refit, ["best", "none"]),
        ]:
            if value is not None and value not in labels + extra:
                raise RotastackError(
                    f"{where}: {key}: {value!r} is not a method{nearest(value, labels + extra)}; "
                    f"there are {', '.join(extra + labels)}"
                )

    # Names

    @property
    def name(self) -> str:
        """Folder of the results, and MLflow experiment."""
        return self.content["name"]

    @property
    def pools(self) -> dict[str, dict[str, Any]]:
        """Pool name -> specification."""
        return self.content["pools"]

    @property
    def methods(self) -> dict[str, dict[str, Any]]:
        """Method label -> specification."""
        return self.content["methods"]

    @property
    def used_pools(self) -> list[str]:
        """Pools that some method uses; the others are not trained."""
        used = {method["pool"] for method in self.methods.values()}
        return [name for name in self.pools if name in used]

    @property
    def control(self) -> str:
        """The method that the others are compared with."""
        return self.content["evaluation"]["control"] or next(iter(self.methods))

    def method_of(self, file_name: str) -> str:
        """Return the label whose slug is `file_name`."""
        return next(label for label in self.methods if slug(label) == file_name)

    def groups(self, kind: str) -> list[str]:
        """Return ``RG-01, ...`` for kind "rotation" and ``FG-01, ...`` for "fold"."""
        prefix = {"rotation": "RG", "fold": "FG"}[kind]
        return [_label(prefix, g) for g in range(self.content["protocol"][f"{kind}_groups"])]

    def blocks(self, kind: str) -> dict[str, list[int]]:
        """Return block name -> numbers of its groups, for kind "rotation" or "fold"."""
        prefix = {"rotation": "RG", "fold": "FG"}[kind]
        count = self.content["protocol"][f"{kind}_groups"]
        size = self.content["blocks"][f"{kind}_groups"]
        blocks = [list(range(start, min(start + size, count))) for start in range(0, count, size)]
        return {_block_name(prefix, block): block for block in blocks}

    def is_nested(self, pool: str) -> bool:
        """Tell whether a method on this pool has a combiner that is trained."""
        return any(m["pool"] == pool and m["combiner"]["kind"] != "vote" for m in self.methods.values())

    # What each step needs of the study, and nothing else

    def fetch_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack fetch``."""
        keys = ("sources", "mirror", "rows", "columns", "classes", "homepage")
        return {k: self.datasets[dataset][k] for k in keys if k in self.datasets[dataset]}

    def prepare_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack prepare``."""
        return {"kinds": self.datasets[dataset].get("kinds", "auto")}

    def folds_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack folds``."""
        protocol = self.content["protocol"]
        return {
            "seed": self.content["seed"], "dataset": dataset,
            "fold_groups": protocol["fold_groups"], "folds": protocol["folds"],
        }  # fmt: skip

    def rotations_spec(self, dataset: str, group: str) -> dict[str, Any]:
        """Return the slice for ``rotastack rotations``."""
        protocol = self.content["protocol"]
        return {
            "seed": self.content["seed"], "dataset": dataset, "group": self.groups("rotation").index(group),
            **{k: protocol[k] for k in ("rotations", "flip", "max_axes")},
        }  # fmt: skip

    def train_spec(self, dataset: str, pool: str, rotation_block: str, fold_block: str) -> dict[str, Any]:
        """Return the slice for ``rotastack train``."""
        return {
            "seed": self.content["seed"], "dataset": dataset, "name": pool, "pool": self.pools[pool],
            "nested": self.is_nested(pool), "folds": self.content["protocol"]["folds"],
            "rotation_groups": self.blocks("rotation")[rotation_block],
            "fold_groups": self.blocks("fold")[fold_block],
        }  # fmt: skip

    def combine_spec(self, dataset: str, label: str) -> dict[str, Any]:
        """Return the slice for ``rotastack combine``."""
        return {
            "seed": self.content["seed"], "dataset": dataset, "method": label,
            "combiner": self.methods[label]["combiner"], "pools": [self.methods[label]["pool"]],
            **self._block_names(),
        }  # fmt: skip

    def track_spec(self) -> dict[str, Any]:
        """Return the slice for ``rotastack track`` of a data set."""
        return {"pools": self.used_pools, **self._block_names()}

    def _block_names(self) -> dict[str, list[str]]:
        return {f"{kind}_blocks": list(self.blocks(kind)) for kind in ("rotation", "fold")}

    def refit_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack refit``."""
        protocol = self.content["protocol"]
        return {
            "seed": self.content["seed"], "dataset": dataset, "refit": self.content["model"]["refit"],
            "methods": {label: {**m, "pool": self.pools[m["pool"]]} for label, m in self.methods.items()},
            "kinds": self.datasets[dataset].get("kinds", "auto"),
            **{k: protocol[k] for k in ("folds", "rotations", "flip", "max_axes")},
        }  # fmt: skip


def _resolve_datasets(items: list[Any], where: str) -> dict[str, dict[str, Any]]:
    known = registry()
    resolved: dict[str, dict[str, Any]] = {}
    for item in items:
        name = item if isinstance(item, str) else item["name"]
        if name in resolved:
            raise RotastackError(f"{where}: datasets: {name!r} stands twice")
        if isinstance(item, str):
            if item not in known:
                raise RotastackError(
                    f"{where}: datasets: {item!r} is unknown{nearest(item, list(known))}; "
                    "`rotastack datasets` lists all"
                )
            resolved[name] = known[item]
        else:
            resolved[name] = {k: v for k, v in item.items() if k != "name"}
        make_sources(name, resolved[name])
    return resolved
