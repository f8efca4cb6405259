"""A study as the workflow sees it: checked, with defaults, and cut into each step's slice."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rotastack.data.registry import make_sources, registry
from rotastack.errors import RotastackError, nearest
from rotastack.schema import schema, validate, with_defaults
from rotastack.study.checks import check_study
from rotastack.study.components import TRAINED
from rotastack.study.names import slug

__all__ = ["Study", "compact", "slug"]

_OF_KIND = {
    "nested": ("rotation_groups", "fold_groups", "folds", "rotations", "flip", "max_axes"),
    "holdout": ("repeats", "train"),
    "crossval": ("repeats", "folds"),
}


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
        kind = data.get("protocol", {}).get("kind", "nested")
        for key in data.get("protocol", {}):
            if key != "kind" and key not in _OF_KIND[kind]:
                raise RotastackError(f"{where}: protocol: {key!r} does not go with kind {kind!r}")
        content = with_defaults(dict(data), schema("study"))
        if kind == "crossval":
            for key, usual in (("repeats", 1), ("folds", 10)):
                content["protocol"][key] = data["protocol"].get(key, usual)
        content["protocol"] = {
            k: v for k, v in content["protocol"].items() if k == "kind" or k in _OF_KIND[kind]
        }
        study = cls(content, _resolve_datasets(content["datasets"], where))
        check_study(study, where)
        return study

    # Names

    @property
    def is_holdout(self) -> bool:
        """Tell whether the protocol is a series of splits: random ones, or those of a cross-validation."""
        return self.content["protocol"]["kind"] in ("holdout", "crossval")

    @property
    def n_splits(self) -> int:
        """Number of splits: repeats, or folds of all repeats."""
        protocol = self.content["protocol"]
        return protocol["repeats"] * (protocol["folds"] if protocol["kind"] == "crossval" else 1)

    @property
    def optimistic(self) -> list[str]:
        """Methods that choose members by the test rows: shown, but neither ranked nor ever the best."""
        return [m for m, v in self.methods.items() if v["combiner"].get("selection") == "test"]

    @property
    def prunes(self) -> bool:
        """Tell whether a method chooses among members."""
        return any(m["combiner"]["kind"] == "prune" for m in self.methods.values())

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

    @property
    def groups_of_methods(self) -> list[dict[str, Any]]:
        """Groups that are compared: name, parts, and label -> its method in each part, in order.

        A group is its own only part. If all groups have the same labels and the same first one, the
        last is "all", whose parts are the groups. Lists stand for mappings, as specs sort their keys.
        """
        groups = {name: g["methods"] for name, g in self.content["evaluation"]["groups"].items()}
        found = [_group(name, {name: methods}) for name, methods in groups.items()]
        if len(groups) > 1 and len({(next(iter(m)), frozenset(m)) for m in groups.values()}) == 1:
            found.append(_group("all", groups))
        return found

    def method_of(self, file_name: str) -> str:
        """Return the label whose slug is `file_name`."""
        return next(label for label in self.methods if slug(label) == file_name)

    def groups(self, kind: str) -> list[str]:
        """Return ``RG-01, ...`` for kind "rotation" and ``FG-01, ...`` (repeats: ``R-01, ...``) for "fold"."""
        return [_label(self._prefix(kind), g) for g in range(self._count(kind))]

    def _prefix(self, kind: str) -> str:
        return "RG" if kind == "rotation" else "R" if self.is_holdout else "FG"

    def _count(self, kind: str) -> int:
        """Return the number of rotation groups (one with random splits), or of fold groups or repeats."""
        if self.is_holdout:
            return 1 if kind == "rotation" else self.n_splits
        return self.content["protocol"][f"{kind}_groups"]

    def blocks(self, kind: str) -> dict[str, list[int]]:
        """Return block name -> numbers of its groups, for kind "rotation" or "fold"."""
        prefix, count = self._prefix(kind), self._count(kind)
        size = self.content["blocks"][f"{kind}_groups"]
        blocks = [list(range(start, min(start + size, count))) for start in range(0, count, size)]
        return {_block_name(prefix, block): block for block in blocks}

    def is_nested(self, pool: str) -> bool:
        """Tell whether a method on this pool has a combiner that is trained."""
        return any(m["pool"] == pool and m["combiner"]["kind"] in TRAINED for m in self.methods.values())

    def votes_of(self, pool: str) -> list[str]:
        """Return by which rows methods choose among the pool's members; none if no method does."""
        found = {m["combiner"].get("selection") for m in self.methods.values() if m["pool"] == pool}
        return sorted(found - {None})

    # What each step needs of the study, and nothing else

    def fetch_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack fetch``."""
        keys = ("sources", "mirror", "rows", "columns", "classes", "homepage")
        return {k: self.datasets[dataset][k] for k in keys if k in self.datasets[dataset]}

    def prepare_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack prepare``."""
        entry = self.datasets[dataset]
        spec = {"kinds": entry.get("kinds", "auto")}
        if entry.get("noise_columns"):
            spec |= {"noise_columns": entry["noise_columns"], "seed": self.content["seed"]}
        return spec

    def folds_spec(self, dataset: str) -> dict[str, Any]:
        """Return the slice for ``rotastack folds``."""
        protocol = self.content["protocol"]
        if self.is_holdout:
            return {
                "seed": self.content["seed"], "dataset": dataset, "kind": protocol["kind"],
                **{k: protocol[k] for k in _OF_KIND[protocol["kind"]]},
            }  # fmt: skip
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
        """Return the slice for ``rotastack train`` or ``train_holdout``."""
        of_splits = ("diversity", "training_error", "noise", "sizes")
        spec = {k: v for k, v in self.pools[pool].items() if k not in ("repeats", *of_splits)}
        if self.is_holdout:
            spec |= {k: self.pools[pool][k] for k in of_splits}
            spec["votes"] = self.votes_of(pool)
            repeats = self.pools[pool]["repeats"].get(dataset, self.n_splits)
            return {
                "seed": self.content["seed"], "dataset": dataset, "name": pool, "pool": spec,
                "fold_groups": self.blocks("fold")[fold_block], "repeats": repeats,
            }  # fmt: skip
        return {
            "seed": self.content["seed"], "dataset": dataset, "name": pool, "pool": spec,
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
            "methods": {
                label: {**m, "pool": self.pools[m["pool"]]}
                for label, m in self.methods.items() if label not in self.optimistic
            },
            "holdout": self.is_holdout, "kinds": self.datasets[dataset].get("kinds", "auto"),
            **{k: protocol[k] for k in ("folds", "rotations", "flip", "max_axes") if k in protocol},
        }  # fmt: skip


def _group(name: str, parts: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    labels = next(iter(parts.values()))
    methods = [[label, [part[label] for part in parts.values()]] for label in labels]
    return {"name": name, "parts": list(parts), "methods": methods}


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
            own = {k: v for k, v in item.items() if k not in ("name", "like")}
            like = item.get("like")
            if like is not None and like not in known:
                raise RotastackError(
                    f"{where}: datasets: {name}.like: {like!r} is unknown{nearest(like, list(known))}"
                )
            shared = {} if like is None else {"mirror": like, **known[like]}
            resolved[name] = {**shared, **own}
        make_sources(name, resolved[name])
    return resolved
