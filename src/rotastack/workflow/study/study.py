"""A checked study: its document, its data sets, and the properties that the workflow uses."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from rotastack.data.registry import OwnDataset, make_sources, registry
from rotastack.errors import RotastackError, nearest
from rotastack.stats.metrics import PRIMARY, score_named
from rotastack.workflow.study.building import is_trained
from rotastack.workflow.study.components import ViewComponent
from rotastack.workflow.study.costs import USUAL_COST
from rotastack.workflow.study.model import AnyProtocol, PoolDocument, StudyDocument
from rotastack.workflow.study.names import inner, name_of, slug
from rotastack.workflow.study.published_tables import check_published
from rotastack.workflow.study.resolving import resolved_combiner, resolved_pool
from rotastack.workflow.study.rotation_pairs import rotates, rotation_pairs
from rotastack.workflow.study.specs import AnyCombinerSpec, MethodSpec, PrunerSpec
from rotastack.workflow.study.task import TASKS, Task

BLOCK_SECONDS, MOST_CELLS, USUAL_BLOCKS = 10, 10, 500
"""Seconds for which a job trains forests of 100 trees on its cells, most cells of a job, and most blocks of a pool with such jobs."""


def size_in(entry: Mapping[str, Any], key: str) -> Any:
    """Return the rows, columns or classes that an entry of a data set states, exactly or roughly; None if it does not."""
    return entry.get(key) or entry.get("roughly", {}).get(key)


def size_of(entry: Mapping[str, Any]) -> tuple[int, int]:
    """Return the rows and columns that an entry of a data set states; else 1000 and 50."""
    rows, columns = size_in(entry, "rows"), size_in(entry, "columns")
    return int(rows or 1000), columns if isinstance(columns, int) else len(columns or range(50))


def classes_of(entry: Mapping[str, Any], usual: int) -> int:
    """Return the number of classes that an entry of a data set states; else `usual`."""
    classes = size_in(entry, "classes")
    return classes if isinstance(classes, int) else len(classes or range(usual))


class Method(NamedTuple):
    """A method: the name of its pool, and its combiner."""

    pool: str
    combiner: AnyCombinerSpec


@dataclass(frozen=True)
class Study:
    """A checked study: its document as it was written, and its data sets, pools and methods with full paths of classes."""

    document: StudyDocument
    datasets: dict[str, dict[str, Any]]
    pools: dict[str, PoolDocument]
    methods: dict[str, Method]
    name: str
    """Name of the results folder and of the MLflow experiment."""
    task: Task
    protocol: AnyProtocol
    control: str
    """The method that the others are compared with."""
    score: str
    """The score by which methods are ranked and tested."""
    optimistic: list[str]
    """Methods that choose members by the test rows: they are shown, but not ranked and never the best."""

    @classmethod
    def from_mapping(cls, data: Mapping[str, Any], where: str) -> "Study":
        """Return the checked study in `data`, read from `where`; only ``check_classes`` imports its classes."""
        document = StudyDocument.read(dict(data), where)
        task, datasets = TASKS[document.task], _resolve_datasets(document.datasets, TASKS[document.task], where)
        pools = {name: resolved_pool(pool, task, f"{where}: pools.{name}") for name, pool in document.pools.items()}
        methods = {
            label: Method(m.pool, resolved_combiner(m.combiner, task, f"{where}: methods.{label}.combiner"))
            for label, m in document.methods.items()
        }
        control, score = document.evaluation.control or next(iter(methods)), document.evaluation.score
        score = PRIMARY[task.name] if score is None else score_named(score, task.name)
        study = cls(
            document,
            datasets,
            pools,
            methods,
            document.name,
            task,
            document.protocol,
            control,
            score,
            document.optimistic,
        )
        study._check(where)
        return study

    def _check(self, where: str) -> None:
        named = [("evaluation.left_out", dataset) for dataset in self.document.evaluation.left_out]
        named += [(f"pools.{name}.repeats", dataset) for name, pool in self.pools.items() for dataset in pool.repeats]
        for key, dataset in named:
            if dataset not in self.datasets:
                raise RotastackError(
                    f"{where}: {key}: {dataset!r} is not a data set of this study{nearest(dataset, list(self.datasets))}"
                )
        try:
            for label, method in self.methods.items():
                place = f"methods.{label}.combiner"
                self.protocol.check_combiner(method.combiner, self.pools[method.pool], place)
                self.task.check_combiner(method.combiner, place)
            self.protocol.check_rows({name: entry.get("rows") for name, entry in self.datasets.items()})
            columns = [column.dump() for column in self.document.evaluation.published_columns]
            check_published(self.document.published, columns, self.score)
        except ValueError as error:
            raise RotastackError(f"{where}: {error}") from None

    @property
    def rotated(self) -> list[str]:
        """Methods whose members see rotated columns, by the traits of their views and estimators."""
        turned = {name for name, pool in self.pools.items() if rotates(pool)}
        return [m for m, method in self.methods.items() if turned & {method.pool, *self.pools[method.pool].of}]

    @property
    def rotation_pairs(self) -> list[list[str]]:
        """Pairs of methods that differ by rotations alone: first the method with rotations, then the method without."""
        fair = {label: method for label, method in self.method_specs.items() if label not in self.optimistic}
        return rotation_pairs(fair, self.protocol.rotations)

    @property
    def method_specs(self) -> dict[str, MethodSpec]:
        """Methods with the keys of their pools."""
        return {m: MethodSpec(pool=self.pools[pool], combiner=combiner) for m, (pool, combiner) in self.methods.items()}

    @property
    def refittable(self) -> list[str]:
        """Methods that may be refitted as the model: the one that the study names, or all that can be the best."""
        named = self.document.model.refit
        fair = [m for m, method in self.methods.items() if m not in self.optimistic and not self.pools[method.pool].of]
        return [m for m in self.methods if m == named or (named == "best" and m in fair)]

    @property
    def prunes(self) -> bool:
        """Whether any method has a pruner."""
        return any(isinstance(m.combiner, PrunerSpec) for m in self.methods.values())

    @property
    def used_pools(self) -> list[str]:
        """Pools that at least one method uses, also as part of a mixed pool; the others are not trained."""
        used = {part for method in self.methods.values() for part in (method.pool, *self.pools[method.pool].of)}
        return [name for name in self.pools if name in used]

    @property
    def groups_of_methods(self) -> list[dict[str, Any]]:
        """Groups of methods that are compared: name, parts, and label -> its method in each part.

        A group has one part, itself. If all groups have the same labels and the same first label, a last group
        "all" has the groups as its parts.
        """
        groups = {name: group.methods for name, group in self.document.evaluation.groups.items()}
        found = [_group(name, {name: methods}) for name, methods in groups.items()]
        if len(groups) > 1 and len({(next(iter(m)), frozenset(m)) for m in groups.values()}) == 1:
            found.append(_group("all", groups))
        return found

    def method_of(self, file_name: str) -> str:
        """Return the label whose slug is `file_name`."""
        return self._labels[file_name]

    @cached_property
    def _labels(self) -> dict[str, str]:
        return {slug(label): label for label in reversed(self.methods)}

    def blocks_for(self, entry: Mapping[str, Any]) -> dict[str, dict[str, list[int]]]:
        """Return block name (the name of its file below a pool) -> numbers of its groups or splits, for a data set.

        Blocks depend on the size that the entry states and on the protocol alone: an edit of a pool, or another data set,
        leaves the names of files as they are.
        """
        forest = USUAL_COST.training_seconds(100, *size_of(entry), classes_of(entry, 0))
        seconds = forest * self.protocol.trainings({key: [0] for key in self.protocol.own_blocks})
        cells = max(min(int(BLOCK_SECONDS / seconds), MOST_CELLS), 1, self.protocol.n_cells // USUAL_BLOCKS)
        return self.protocol.blocks(self.document.blocks.filled(cells))

    @cached_property
    def blocks_of(self) -> dict[str, dict[str, dict[str, list[int]]]]:
        """Data set -> its blocks."""
        return {name: self.blocks_for(entry) for name, entry in self.datasets.items()}

    @cached_property
    def blocks(self) -> dict[str, dict[str, list[int]]]:
        """Block name -> numbers of its groups or splits, for the blocks of all data sets."""
        return {name: block for blocks in self.blocks_of.values() for name, block in blocks.items()}

    def blocks_of_pool(self, dataset: str, pool: str) -> list[str]:
        """Return the names of a pool's blocks on a data set: outer blocks, and inner blocks if any combiner is trained."""
        names = list(self.blocks_of[dataset])
        return names + [inner(name) for name in names if self.has_second_level(pool)]

    def blocks_of_method(self, dataset: str, label: str) -> list[str]:
        """Return the names of the blocks that a method combines: inner blocks if its combiner is trained, else outer blocks."""
        names = list(self.blocks_of[dataset])
        return [inner(name) for name in names] if self._is_trained(label) else names

    def _is_trained(self, label: str) -> bool:
        return self.protocol.name == "nested" and is_trained(self.methods[label].combiner)

    def has_second_level(self, pool: str) -> bool:
        """Return whether any method on this pool has a combiner that is trained on inner folds."""
        return any(map(self._is_trained, self._methods_on(pool)))

    def selections_of(self, pool: str) -> list[str]:
        """Return the kinds of rows by which pruners choose among the pool's members; empty without pruners."""
        chosen = [self.methods[label].combiner for label in self._methods_on(pool)]
        return sorted({c.selection or "auto" for c in chosen if isinstance(c, PrunerSpec)})

    def _methods_on(self, pool: str) -> list[str]:
        """Return the methods on a pool, or on a mixed pool of which it is a part."""
        return [label for label, m in self.methods.items() if pool in (m.pool, *self.pools[m.pool].of)]

    @property
    def pools_with_votes(self) -> list[str]:
        """Pools whose files show how each member votes: pools with several rotations, and ensembles with a pruner."""
        if self.task.name == "regression":
            return []
        rotated = self.protocol.rotations > 1
        return [p for p in self.used_pools if (self.pools[p].view and rotated) or self.selections_of(p)]

    @cached_property
    def voted(self) -> list[str]:
        """Methods that only vote: one job, of rule vote, combines all of them, because this takes hardly any time."""
        return [label for label, method in self.methods.items() if method.combiner.kind in ("vote", "member")]

    @property
    def voted_pools(self) -> list[str]:
        """Pools of the methods that only vote."""
        return [name for name in self.pools if name in {self.methods[label].pool for label in self.voted}]

    @cached_property
    def rotation_groups(self) -> dict[str, list[str]]:
        """First part of a block's name -> its rotation groups, if views are drawn before any training."""
        if not self.drawn_views:
            return {}
        return {
            name.partition("/")[0]: [name_of("RG", g) for g in block["rotation_groups"]]
            for name, block in self.blocks.items()
        }

    @cached_property
    def drawn_views(self) -> list[ViewComponent]:
        """Views that are drawn before any training; splits draw theirs in training."""
        views = [self.pools[pool].view for pool in self.used_pools if self.protocol.name == "nested"]
        return list({view.key: view for view in views if view is not None and view.is_drawn}.values())


def _group(name: str, parts: Mapping[str, Mapping[str, str]]) -> dict[str, Any]:
    labels = next(iter(parts.values()))
    methods = {label: [part[label] for part in parts.values()] for label in labels}
    return {"name": name, "parts": list(parts), "methods": methods}


def _resolve_datasets(items: list[str | OwnDataset], task: Task, where: str) -> dict[str, dict[str, Any]]:
    known = registry()
    resolved: dict[str, dict[str, Any]] = {}
    for item in items:
        name = item if isinstance(item, str) else item.name
        if name in resolved:
            raise RotastackError(f"{where}: datasets: {name!r} occurs twice; drop one")
        if isinstance(item, str):
            if item not in known:
                raise RotastackError(
                    f"{where}: datasets: {item!r} is unknown{nearest(item, list(known))}; "
                    "`rotastack datasets` lists the names"
                )
            resolved[name] = known[item]
        else:
            own = item.model_dump(exclude_unset=True, exclude={"name", "like"})
            if name in known:
                raise RotastackError(
                    f"{where}: datasets: {name!r} is a registered data set; give the name without keys, or choose another name"
                )
            if item.like is not None and item.like not in known:
                raise RotastackError(
                    f"{where}: datasets: {name}.like: {item.like!r} is unknown{nearest(item.like, list(known))}"
                )
            shared = {"sources": []} if item.like is None else {"mirror": item.like, **known[item.like]}
            resolved[name] = {**shared, **own}
        make_sources(name, resolved[name])
        task.check_dataset(name, resolved[name], where)
    return resolved


def resized(content: Mapping[str, Any], size: str, where: str) -> dict[str, Any]:
    """Return a study's content at one of its sizes; every size but ``full`` is added to the study's name."""
    full = {k: v for k, v in content.items() if k != "sizes"}
    sizes = content.get("sizes") or {}
    if not isinstance(sizes, Mapping) or not all(
        isinstance(name, str) and isinstance(change, Mapping) for name, change in sizes.items()
    ):
        raise RotastackError(
            f"{where}: sizes must be a mapping from a size to a mapping of changed keys, found {sizes}"
        )
    if size == "full":
        return full
    if size not in sizes:
        raise RotastackError(
            f"{where}: size {size!r} is unknown{nearest(size, list(sizes))}; sizes: {', '.join(['full', *sizes])}"
        )
    return {**_merged(full, sizes[size]), "name": f"{content.get('name')}-{size}"}


def _merged(base: Any, change: Any) -> Any:
    """Merge `change` into `base`: null removes a key, and "*" changes keys that the entries of `base` have."""
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    merged = dict(base)
    if "*" in change:
        merged = {key: _changed(value, change["*"]) for key, value in merged.items()}
    for key, value in change.items():
        if key == "*":
            continue
        if value is None:
            merged.pop(key, None)
        else:
            merged[key] = _merged(merged[key], value) if key in merged else value
    return merged


def _changed(base: Any, change: Any) -> Any:
    if not isinstance(base, Mapping) or not isinstance(change, Mapping):
        return change
    return {key: _changed(value, change[key]) if key in change else value for key, value in base.items()}
