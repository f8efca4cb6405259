"""A study as the workflow sees it: checked, with defaults, and cut into each step's slice."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from rotastack.data.registry import make_sources, registry
from rotastack.errors import RotastackError, nearest
from rotastack.learners.registry import check_learner
from rotastack.schema import schema, validate, with_defaults
from rotastack.study.components import PRUNERS

__all__ = ["Study", "compact", "slug"]

_OF_KIND = {
    "nested": ("rotation_groups", "fold_groups", "folds", "rotations", "flip", "max_axes"),
    "holdout": ("repeats", "train"),
    "crossval": ("repeats", "folds"),
}
_VOTING_TREES = (
    "adaboost_m1",
    "bagging",
    "double_rotation_forest",
    "extra_forest",
    "forest",
    "multi_rotation_forest",
    "random_rotation_forest",
    "rotation_forest",
)
_OF_COMBINER = {
    "vote": ("voting",), "stacking": ("learner",), "weights": ("weighting", "h"), "member": ("member",),
    "prune": ("pruner", "selection", "first", *dict.fromkeys(k for p in PRUNERS.values() for k in p[3])),
}  # fmt: skip


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
        study._check(where)
        return study

    def _check(self, where: str) -> None:
        for name, pool in self.pools.items():
            check_learner(pool["learner"], f"{where}: pools.{name}.learner")
            self._check_pool(pool, f"{where}: pools.{name}")
            if self.is_holdout and pool["view"] != "identity":
                raise RotastackError(
                    f"{where}: pools.{name}.view: with random splits a learner that rotates does so itself, "
                    "such as random_rotation_forest"
                )
            for dataset in pool["repeats"]:
                if dataset not in self.datasets:
                    raise RotastackError(
                        f"{where}: pools.{name}.repeats: {dataset!r} is not a data set of this study"
                        f"{nearest(dataset, list(self.datasets))}"
                    )
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
            self._check_combiner(method, f"{where}: methods.{label}.combiner")
        for pair in self.content["evaluation"]["pairs"]:
            for label in pair:
                if label not in labels:
                    raise RotastackError(
                        f"{where}: evaluation.pairs: {label!r} is not a method{nearest(label, labels)}"
                    )
        for label in self.content["evaluation"]["shown"]:
            if label not in labels:
                raise RotastackError(
                    f"{where}: evaluation.shown: {label!r} is not a method{nearest(label, labels)}"
                )
        for claim in self.content["evaluation"]["claims"]:
            for key in ("of", "than"):
                if claim[key] not in labels:
                    raise RotastackError(
                        f"{where}: evaluation.claims.{key}: {claim[key]!r} is not a method{nearest(claim[key], labels)}"
                    )
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
            if value in self.optimistic:
                raise RotastackError(f"{where}: {key}: {value!r} chooses members by the test rows")

    def _check_pool(self, pool: dict[str, Any], where: str) -> None:
        """Check what only fails when it is trained, after hours perhaps."""
        learner = pool["learner"]
        kind, trees = learner["kind"], learner.get("n_trees")
        if not self.is_holdout and (pool["diversity"] or pool["repeats"] or any(pool["noise"].values())):
            raise RotastackError(f"{where}: diversity, repeats and noise go with random splits only")
        if pool["diversity"] and kind not in _VOTING_TREES:
            raise RotastackError(
                f"{where}.diversity: {kind} has no trees that vote; {', '.join(_VOTING_TREES)} have"
            )
        if kind == "regularized_rotation_forest":
            trees, R, U = trees or 500, learner.get("n_rotations", 25), learner.get("micro_forest_size", 10)
            if trees < R * U:
                raise RotastackError(
                    f"{where}.learner: micro_forest_size times n_rotations ({U} x {R}) is more than n_trees ({trees})"
                )
        if kind == "random_rotation_forest":
            each = learner.get("n_trees_per_rotation", 1)
            if (trees or 100) % each:
                raise RotastackError(
                    f"{where}.learner: n_trees ({trees or 100}) must be a multiple of n_trees_per_rotation ({each})"
                )
            if learner.get("drop_worst") and learner.get("tree") == "extra":
                raise RotastackError(
                    f"{where}.learner: drop_worst needs trees of kind forest, with out-of-bag rows"
                )

    def _check_combiner(self, method: dict[str, Any], where: str) -> None:
        combiner = method["combiner"]
        kind = combiner["kind"]
        for key in combiner:
            if key != "kind" and key not in _OF_COMBINER[kind]:
                raise RotastackError(f"{where}: {key!r} does not go with kind {kind!r}")
        if kind == "member":
            if not self.is_holdout:
                raise RotastackError(f"{where}: member needs random splits (protocol.kind: holdout)")
            known = self.pools[method["pool"]]["learner"].get("weightings", [])
            if combiner.get("member") not in known:
                raise RotastackError(
                    f"{where}.member: {combiner.get('member')!r} is not a member of its pool; "
                    f"there are {', '.join(known) or 'none with a name'}"
                )
        elif kind == "weights":
            if self.is_holdout or self.pools[method["pool"]]["view"] != "rotation":
                raise RotastackError(
                    f"{where}: weights need a pool on rotations in nested cross-validation; with random splits "
                    "use learner regularized_rotation_forest and combiner member"
                )
            combiner.setdefault("weighting", "exp")
            combiner.setdefault("h", None)
            learner = self.pools[method["pool"]]["learner"]["kind"]
            if learner not in ("forest", "sklearn_forest"):
                raise RotastackError(
                    f"{where}: weights need the learner forest, which knows its out-of-bag error"
                )
            h, top = combiner["h"], self.content["protocol"]["rotations"]
            least = {"cut": 1, "exp": 0.1}.get(combiner["weighting"])
            if h is not None and (least is None or not least <= h <= top or (least == 1 and h != int(h))):
                allowed = (
                    "null"
                    if least is None
                    else f"{'a whole number ' if least == 1 else ''}from {least} to {top}, or null"
                )
                raise RotastackError(
                    f"{where}.h: {h} does not go with {combiner['weighting']}; it must be {allowed}"
                )
        elif kind == "prune":
            self._check_pruner(method, where)
        elif kind == "stacking":
            if self.is_holdout:
                raise RotastackError(f"{where}: stacking needs nested cross-validation, not random splits")
            learner = combiner.setdefault("learner", {"kind": "forest"})
            check_learner(learner, f"{where}.learner")
        else:
            combiner.setdefault("voting", "soft")

    def _check_pruner(self, method: dict[str, Any], where: str) -> None:
        combiner, pool = method["combiner"], self.pools[method["pool"]]
        learner = pool["learner"]
        if not self.is_holdout:
            raise RotastackError(f"{where}: prune needs splits (protocol.kind: holdout or crossval)")
        if learner["kind"] not in _VOTING_TREES:
            raise RotastackError(
                f"{where}: {learner['kind']} has no members that vote; {', '.join(_VOTING_TREES)} have"
            )
        name = combiner.setdefault("pruner", "margin")
        known = ("vote",) if name == "none" else PRUNERS[name][3]
        for key in combiner:
            if key not in ("kind", "pruner", "selection", "first", *known):
                raise RotastackError(
                    f"{where}: {key!r} does not go with pruner {name!r}; it takes {', '.join(known) or 'nothing'}"
                )
        bagged = learner["kind"] in ("forest", "bagging") or learner.get("bootstrap", False)
        bagged |= learner["kind"] == "random_rotation_forest" and learner.get("tree", "forest") == "forest"
        combiner.setdefault("selection", "oob" if bagged else "train")
        if combiner["selection"] == "oob" and not bagged:
            raise RotastackError(
                f"{where}.selection: the members of {learner['kind']} have no out-of-bag rows here"
            )
        size, first = combiner.get("n_select"), combiner.get("first") or learner.get("n_trees", 100)
        if isinstance(size, int) and size > first:
            raise RotastackError(f"{where}.n_select: {size} members are wanted of {first}")
        if combiner.get("first", 0) > learner.get("n_trees", 100):
            raise RotastackError(
                f"{where}.first: the pool has {learner.get('n_trees', 100)} members, not {combiner['first']}"
            )

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
        return any(m["pool"] == pool and m["combiner"]["kind"] == "stacking" for m in self.methods.values())

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
        spec = {k: v for k, v in self.pools[pool].items() if k not in ("repeats", "diversity", "noise")}
        if self.is_holdout:
            spec |= {k: self.pools[pool][k] for k in ("diversity", "noise")}
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
