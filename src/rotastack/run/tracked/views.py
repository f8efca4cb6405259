"""The views of a study's runs that MLflow's UI offers: methods, models and pools, with the columns that tell them apart."""

from collections.abc import Mapping
from typing import Any

from rotastack.stats.metrics import METRICS, NAMES
from rotastack.tracking.saved_views import SavedView

__all__ = ["study_views"]

MOST_PARAMS = 6
"""Columns of params that differ."""


def study_views(spec: Mapping[str, Any], primary: str) -> list[tuple[SavedView, str]]:
    """Return the views of a study, each with how it opens: as "TABLE" or "CHART".

    Parameters
    ----------
    spec : mapping
        The study.
    primary : str
        The score that methods are ranked by.
    """
    names = [primary, *(metric for metric in METRICS[spec["task"]] if metric != primary)]
    scores = [f"metrics.`test/{metric}`" for metric in names]
    title = f"{NAMES[primary][0].upper()}{NAMES[primary][1:]}"
    main, times = f"test/{primary}", ["metrics.`time/fit_seconds`", "metrics.`time/predict_seconds`"]
    params = [f"params.`{name}`" for name in ("estimator", "view", "combiner", *_differing(spec))]
    marks = ["tags.`dataset`", "tags.`method`"]
    charts = [
        SavedView.bars(main, title),
        SavedView.bars("test/rank", "Rank on the data set"),
        SavedView.scatter("time/fit_seconds", main, f"{title} against seconds of training"),
        SavedView.bars("time/fit_seconds", "Seconds of training"),
    ]
    lines = [SavedView.lines(f"cells/{primary}", f"{title} by cell")]
    overall = SavedView(
        "overall", "Methods over all data sets", _of("method"), f"metrics.`{main}`", [*scores, *times], charts,
        group="method",
    )  # fmt: skip
    methods = SavedView(
        "methods", "Methods on each data set", _of("method"), "tags.`dataset`",
        [*marks, "metrics.`test/rank`", *scores, *times, "tags.`rotated`", *params], [*charts, *lines],
    )  # fmt: skip
    oob = [f"metrics.`oob/{primary}`", f"metrics.`oob/{primary}_of_members`"]
    models = SavedView(
        "models", "Models", _of("model"), "tags.`dataset`",
        [*marks, f"metrics.`{main}`", f"metrics.`train/{primary}`", *oob, "metrics.`model/bytes`", *params],
        [SavedView.bars(main, title), SavedView.bars("model/bytes", "Bytes of the file")],
    )  # fmt: skip
    members = ("fit_seconds", "depth", "n_nodes", "oob_error")
    pools = SavedView(
        "pools", "Pools", _of("pool"), "metrics.`time/fit_seconds`", [*times, *params],
        [SavedView.bars("time/fit_seconds", "Seconds of training"),
         *(SavedView.lines(f"members/{name}", f"{name.replace('_', ' ')} by member") for name in members)],
    )  # fmt: skip
    return [(overall, "CHART"), (methods, "TABLE"), (models, "TABLE"), (pools, "CHART")]


def _of(kind: str) -> str:
    return f"tags.`rotastack.kind` = '{kind}' and tags.`rotastack.superseded` = 'no'"


def _differing(spec: Mapping[str, Any]) -> list[str]:
    """Return the params of estimators that are not the same in all pools."""
    given = [pool.get("parameters") or {} for pool in spec["pools"].values()]
    names = dict.fromkeys(name for parameters in given for name in parameters)
    differ = [n for n in names if len({repr(parameters.get(n)) for parameters in given}) > 1]
    return [f"estimator.{name}" for name in differ[:MOST_PARAMS]]
