"""From a study's slices to unfitted objects, and to the modules behind them.

Steps import what a slice names, and the plan adds the same modules to the step's fingerprint: an edit to one
estimator, view or combiner reruns what uses it and nothing else.
"""

import importlib
from collections.abc import Mapping
from typing import Any, NamedTuple

from rotastack.study.building import build, modules_of

__all__ = [
    "Rows",
    "combiner_modules",
    "draws_bags",
    "load",
    "make_combiner",
    "make_estimator",
    "make_view",
    "pool_modules",
    "rows_for",
    "takes_tables",
]


def load(name: str) -> Any:
    """Import a module by name."""
    return importlib.import_module(name)


def make_estimator(spec: Mapping[str, Any], n_jobs: int | None = None) -> Any:
    """Return the unfitted estimator of a pool or stacker."""
    return build(spec["estimator"], spec["parameters"], n_jobs=n_jobs)


def takes_tables(estimator: Any) -> bool:
    """Tell whether an estimator takes missing values and columns of category numbers, and can be told which these are.

    Its scikit-learn tags say the first, a parameter ``categorical_features`` the second; any other gets dummies.
    """
    from sklearn.utils import get_tags

    if not hasattr(estimator, "__sklearn_tags__") or "categorical_features" not in estimator.get_params(
        deep=False
    ):
        return False
    tags = get_tags(estimator).input_tags
    return tags.categorical and tags.allow_nan


def draws_bags(estimator: Any) -> bool:
    """Tell whether the members of an ensemble are trained on bags of its own, as far as its parameters tell."""
    parameters = estimator.get_params(deep=False)
    return bool(parameters.get("bootstrap", parameters.get("tree") == "forest"))


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


def rows_for(estimator: Any, data: Any, pool: Mapping[str, Any]) -> Rows:
    """Return the columns of a prepared data set as an estimator wants them.

    Parameters
    ----------
    estimator : unfitted estimator
    data : rotastack.study.artifacts.Prepared
    pool : mapping
        Its ``scaling``, which estimators of tables do by themselves; and its ``view``, which is of numbers.
    """
    from rotastack.views.scaling import SCALERS

    if pool["view"] is None and takes_tables(estimator):
        told = estimator.set_params(categorical_features=data.is_category.nonzero()[0].tolist() or None)
        return Rows(data.table, told, {"scaler": None, "categorical": None, "as_is": True})
    scaler = SCALERS[pool["scaling"]]() if pool["scaling"] else None
    return Rows(data.X, estimator, {"scaler": scaler, "categorical": data.is_dummy, "as_is": False})


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
