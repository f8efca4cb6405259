"""From a study's slices to unfitted objects, and to the modules behind them.

Steps import what a slice names, and the plan adds the same modules to the step's fingerprint: an edit to one
estimator, view or combiner reruns what uses it and nothing else.
"""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from rotastack.study.building import build, modules_of

__all__ = [
    "REFITTED",
    "Rows",
    "combiner_modules",
    "load",
    "make_combiner",
    "make_estimator",
    "make_view",
    "pool_modules",
    "rows_for",
    "takes_tables",
]

_COMBINERS = {
    "vote": ("rotastack.combine.voting", "Voting"),
    "stacking": ("rotastack.combine.stacking", "Stacking"),
    "log_linear": ("rotastack.combine.log_linear", "LogLinearWeights"),
    "weights": ("rotastack.combine.rotation_weights", "RotationWeights"),
}

REFITTED = {
    "member": "rotastack.ensembles.forests.regularized",
    "prune": "rotastack.ensembles.pruned",
}
"""Combiner -> module of the estimator that a model is, where this is not the pool's."""


def load(name: str) -> Any:
    """Import a module by name."""
    return importlib.import_module(name)


def make_estimator(spec: Mapping[str, Any], n_jobs: int | None = None) -> Any:
    """Return the unfitted estimator of a pool or stacker."""
    return build(spec["estimator"], spec["parameters"], n_jobs=n_jobs)


def takes_tables(estimator: Any) -> bool:
    """Tell whether an estimator takes categories and missing values as they are, by its scikit-learn tags."""
    from sklearn.utils import get_tags

    tags = get_tags(estimator).input_tags
    return tags.categorical and tags.allow_nan


class Rows(NamedTuple):
    """A data set as an estimator wants it.

    Attributes
    ----------
    X : ndarray of float64 of shape (n_rows, n_features)
        Numbers and dummies; or, for an estimator of tables, numbers with missing values, and category numbers.
    estimator : estimator
        Told which columns hold categories, if it takes them.
    options : dict
        Arguments ``scaler``, ``categorical`` and ``as_is`` of :func:`rotastack.ensembles.pooled.pool.fit_pool`.
    """

    X: Any
    estimator: Any
    options: dict[str, Any]


def rows_for(estimator: Any, data: Any, scaling: str | None) -> Rows:
    """Return the columns of a prepared data set as an estimator wants them.

    Parameters
    ----------
    estimator : unfitted estimator
    data : rotastack.study.artifacts.Prepared
    scaling : str or None
        Of the pool; estimators of tables scale by themselves.
    """
    from rotastack.views.scaling import SCALERS

    if takes_tables(estimator):
        told = estimator.set_params(categorical_features=data.is_category.nonzero()[0].tolist() or None)
        return Rows(data.table, told, {"scaler": None, "categorical": None, "as_is": True})
    scaler = SCALERS[scaling]() if scaling else None
    return Rows(data.X, estimator, {"scaler": scaler, "categorical": data.is_dummy, "as_is": False})


def make_view(spec: Mapping[str, Any] | None) -> Any:
    """Return the unfitted view of a pool, None for the identity."""
    return None if spec is None else build(spec["class"], spec["parameters"])


def make_combiner(spec: Mapping[str, Any]) -> Any:
    """Return an unfitted combiner; of kind prune, the pruner."""
    if spec["kind"] == "prune":
        return build(spec["pruner"], spec["parameters"])
    module, name = _COMBINERS[spec["kind"]]
    cls = getattr(load(module), name)
    if spec["kind"] == "stacking":
        return cls(make_estimator(spec))
    return cls(**{k: v for k, v in spec.items() if k != "kind"})


def pool_modules(pool: Mapping[str, Any]) -> list[str]:
    """Return the modules of a pool's estimator and view."""
    view = pool["view"]
    return [
        *modules_of(pool["estimator"], pool["parameters"]),
        *([] if view is None else modules_of(view["class"], view["parameters"])),
    ]


def combiner_modules(combiner: Mapping[str, Any]) -> list[str]:
    """Return the modules of a combiner, and of its level-1 estimator or pruner."""
    kind = combiner["kind"]
    found = [_COMBINERS[kind][0]] if kind in _COMBINERS else []
    if kind == "prune":
        found += ["rotastack.study.pruned_cells", *modules_of(combiner["pruner"], combiner["parameters"])]
    if kind == "stacking":
        found += modules_of(combiner["estimator"], combiner["parameters"])
    return found
