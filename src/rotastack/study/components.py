"""The modules that steps find by name: what a study says, and the code behind it.

Steps import these with :func:`load`; the workflow adds them to the step's fingerprint. So an
edit to one learner, view or combiner reruns what uses it and nothing else.
"""

import importlib
from collections.abc import Mapping
from typing import Any

__all__ = [
    "PRUNERS",
    "TRAINED",
    "combine_modules",
    "load",
    "make_combiner",
    "make_pruner",
    "refit_modules",
    "step_module",
    "train_modules",
]

_VIEWS = {"identity": [], "rotation": ["rotastack.views.rotation"]}
_COMBINERS = {
    "vote": ["rotastack.combine.voting"],
    "stacking": ["rotastack.combine.stacking"],
    "log_linear": ["rotastack.combine.log_linear"],
    "weights": ["rotastack.combine.rotation_weights"],
    "member": [],
    "prune": ["rotastack.study.pruned_cells"],
}
TRAINED = ("stacking", "log_linear")
"""Combiners that learn, from outputs for rows that members have not seen."""
PRUNERS: dict[str, tuple[str, str, dict[str, Any], tuple[str, ...]]] = {
    "margin": ("margin", "MarginPruner", {}, ("lambda", "positive", "vote")),
    "lasso": ("margin", "MarginPruner", {"size": "nonzero"}, ("lambda", "positive", "vote")),
    "qmm": ("qmm", "QMMPruner", {}, ("v", "reduce", "polish")),
    "drep": ("drep", "DREPPruner", {}, ("rho", "patience")),
    "kappa": ("kappa", "KappaPruner", {}, ("n_select", "vote")),
    "mdm": ("mdm", "MDMPruner", {}, ("n_select", "p", "vote")),
    "meandm": ("meandm", "MeanDMPruner", {}, ("n_select", "vote")),
    "lp": ("lp", "LPPruner", {}, ()),
    "reduced_error": ("reduced_error", "ReducedErrorPruner", {}, ("n_select", "vote")),
    "orientation": ("orientation", "OrientationPruner", {}, ("n_select", "vote")),
}
"""Name in a study -> module, class, what is fixed, and which keys it takes."""


def step_module(step: str) -> str:
    """Return the module of a step."""
    return f"rotastack.study.steps.{step}"


def train_modules(pool: Mapping[str, Any]) -> list[str]:
    """Return what training a pool finds by name: its learner and view."""
    return [f"rotastack.learners.{pool['learner']['kind']}", *_VIEWS[pool["view"]]]


def combine_modules(combiner: Mapping[str, Any]) -> list[str]:
    """Return what combining finds by name: the combiner and its level-1 learner."""
    modules = list(_COMBINERS[combiner["kind"]])
    if combiner.get("pruner") in PRUNERS:
        modules.append(f"rotastack.combine.pruning.{PRUNERS[combiner['pruner']][0]}")
    if "learner" in combiner:
        modules.append(f"rotastack.learners.{combiner['learner']['kind']}")
    return modules


def refit_modules(methods: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """Return what refitting any of the methods finds by name."""
    found: set[str] = set()
    for method in methods.values():
        found.update(train_modules(method["pool"]), combine_modules(method["combiner"]))
    return sorted(found)


def load(name: str) -> Any:
    """Import a module by name."""
    return importlib.import_module(name)


def make_combiner(spec: Mapping[str, Any]) -> Any:
    """Return an unfitted combiner as a study describes it."""
    module = load(_COMBINERS[spec["kind"]][0])
    if spec["kind"] == "vote":
        return module.Voting(spec["voting"])
    if spec["kind"] == "weights":
        return module.RotationWeights(spec["weighting"], spec["h"])
    if spec["kind"] == "log_linear":
        return module.LogLinearWeights(**{k: v for k, v in spec.items() if k == "ridge"})
    return module.Stacking(load("rotastack.learners.registry").make_learner(spec["learner"]))


def make_pruner(spec: Mapping[str, Any]) -> Any:
    """Return an unfitted pruner as a study describes it."""
    module, name, fixed, keys = PRUNERS[spec["pruner"]]
    given = {"lambda_" if k == "lambda" else k: spec[k] for k in keys if k in spec}
    return getattr(load(f"rotastack.combine.pruning.{module}"), name)(**fixed, **given)
