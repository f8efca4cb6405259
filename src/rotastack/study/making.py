"""From a study's slices to unfitted objects, and to the modules behind them.

Steps import what a slice names, and the plan adds the same modules to the step's fingerprint: an edit to one
estimator, view or combiner reruns what uses it and nothing else.
"""

import importlib
from collections.abc import Mapping
from typing import Any

from rotastack.study.building import build, modules_of

__all__ = [
    "REFITTED",
    "combiner_modules",
    "draws_bags",
    "load",
    "make_combiner",
    "make_estimator",
    "make_view",
    "pool_modules",
]

REFITTED = {
    "member": "rotastack.ensembles.forests.regularized",
    "prune": "rotastack.ensembles.pruned",
}
"""Kind of combiner -> module of the estimator that a model is, where this is not the pool's."""


def load(name: str) -> Any:
    """Import a module by name."""
    return importlib.import_module(name)


def make_estimator(spec: Mapping[str, Any], n_jobs: int | None = None) -> Any:
    """Return the unfitted estimator of a pool or stacker."""
    return build(spec["estimator"], spec["parameters"], n_jobs=n_jobs)


def draws_bags(estimator: Any) -> bool:
    """Tell whether the members of an ensemble are trained on bags of its own, as far as its parameters tell."""
    parameters = estimator.get_params(deep=False)
    return bool(parameters.get("bootstrap", parameters.get("tree") == "forest"))


def make_view(spec: Mapping[str, Any] | None) -> Any:
    """Return the unfitted view of a pool, None for the identity."""
    return None if spec is None else build(spec["class"], spec["parameters"])


def make_combiner(spec: Mapping[str, Any]) -> Any:
    """Return an unfitted combiner; of kind prune, the pruner."""
    return build(spec["class"], spec["parameters"])


def pool_modules(pool: Mapping[str, Any]) -> list[str]:
    """Return the modules of a pool's estimator and view."""
    view = pool["view"]
    return [
        *modules_of(pool["estimator"], pool["parameters"]),
        *([] if view is None else modules_of(view["class"], view["parameters"])),
    ]


def combiner_modules(combiner: Mapping[str, Any]) -> list[str]:
    """Return the modules of a combiner, and of its level-1 estimator; of kind member there are none."""
    if combiner["kind"] == "member":
        return []
    found = modules_of(combiner["class"], combiner["parameters"])
    return ["rotastack.study.pruned_cells", *found] if combiner["kind"] == "prune" else found
