"""Published ranks, improvements and tests of groups of methods beside those of a study."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rotastack.errors import RotastackError
from rotastack.judge.results import complete, group_table
from rotastack.stats.comparison import compare

__all__ = ["beside_published", "split_cells"]

_SHOWN = {
    "rank": ("average rank", "{:.2f}"),
    "improvement": ("improvement of accuracy", "{:+.1%}"),
    "better": ("rows better than {control}", "{:.0f}"),
    "F": ("F", "{:.2f}"),
    "p": ("p of F", "{:.2g}"),
    "critical_difference": ("critical difference", "{:.2f}"),
}
_BOUNDS = {"p_below": ("p", "< "), "p_above": ("p", "> ")}
_OF_TESTS = ("F", "p", "critical_difference")


def split_cells(
    cells: pd.DataFrame, groups: Sequence[Mapping[str, Any]]
) -> tuple[pd.DataFrame, dict[tuple[str, str, str], str]]:
    """Separate the published results of groups from the other cells.

    Results of groups are cells of data set "all". A cell of a group's method belongs to this group. Cells of a label,
    or of a test without a group's name at its end (``Friedman/NN`` has one), belong to the group "all" or the only one.

    Returns
    -------
    rest : DataFrame
        All other cells.
    printed : dict
        (group, label, metric) -> the printed value; the label is empty for tests.
    """
    places: dict[str, tuple[str, str]] = {}
    for group in groups:
        for label, methods in group["methods"].items():
            if len(methods) == 1:
                places.setdefault(methods[0], (group["name"], label))
    overall = [group for group in groups[-1:] if len(groups) == 1 or group["name"] == "all"]
    for group in overall:
        for label in group["methods"]:
            places.setdefault(label, (group["name"], label))
    rest, printed = [], {}
    for number, cell in enumerate(cells.itertuples()):
        metric, prefix = _BOUNDS.get(cell.metric, (cell.metric.partition("_than_")[0], ""))
        place = places.get(cell.method)
        if metric.removesuffix("_critical") in _OF_TESTS:
            named = [group for group in groups if cell.method.endswith(f"/{group['name']}")] or overall
            place = (named[0]["name"], "") if named else None
        if cell.dataset != "all" or place is None:
            rest.append(number)
        elif metric in _SHOWN:
            value = float(cell.value)
            printed[*place, metric] = f"{prefix}{value:g}" if prefix else _text(metric, value)
    return cells.iloc[rest], printed


def beside_published(
    means: pd.DataFrame,
    cells: pd.DataFrame,
    printed: Mapping[tuple[str, str, str], str],
    groups: Sequence[Mapping[str, Any]],
    alpha: float,
) -> list[dict[str, Any]]:
    """Return a table for each group: printed results, results computed from printed errors, and the study's results.

    Parameters
    ----------
    means : DataFrame of shape (n_datasets, n_methods)
        The study's errors.
    cells : DataFrame
        Published cells; results are computed from those of metric "error", on the rows that the study also has.
    printed : mapping
        From :func:`split_cells`.
    groups : sequence of mapping
        A study's ``groups_of_methods``.
    alpha : float
    """
    errors = cells[cells["metric"] == "error"].astype({"value": float})
    theirs = errors.pivot_table(index="dataset", columns="method", values="value", sort=False)
    tables = []
    for group in groups:
        control = next(iter(group["methods"]))
        ours, source = (complete(group_table(table.round(12), group)) for table in (means, theirs))
        labels = [label for label in ours if label in source]
        shared = ours.index.intersection(source.index, sort=False)
        columns = {
            "source": _statistics(source.loc[shared, labels], control, alpha),
            "shared": _statistics(ours.loc[shared, labels], control, alpha),
            "ours": _statistics(ours, control, alpha),
        }
        rows = []
        for metric, (what, _) in _SHOWN.items():
            for label in [""] if metric in _OF_TESTS else group["methods"]:
                row = {name: column.get((label, metric)) for name, column in columns.items()}
                row["printed"] = printed.get((group["name"], label, metric))
                if any(row.values()):
                    rows.append({"label": label, "what": what.format(control=control), **row})
        tables.append(
            {
                "name": group["name"],
                "n_shared": len(shared) if columns["source"] else 0,
                "n_rows": len(ours),
                "rows": rows,
            }
        )
    return tables


def _statistics(errors: pd.DataFrame, control: str, alpha: float) -> dict[tuple[str, str], str]:
    """Return (label, metric) -> text; empty without rows, or for fewer than two methods."""
    if not len(errors) or errors.shape[1] < 2:
        return {}
    comparison = compare(1 - errors, higher_is_better=True)
    of_labels = {"rank": comparison.average_ranks}
    if control in errors:
        of_labels["improvement"] = comparison.improvement(control).drop(control) / 100
        of_labels["better"] = comparison.better(control).drop(control)
    found = {(m, metric): _text(metric, v) for metric, part in of_labels.items() for m, v in part.items()}
    try:
        tests = (comparison.iman_davenport_f, comparison.p_value, comparison.critical_difference(alpha))
    except RotastackError:  # a single row allows no test
        return found
    return found | {("", metric): _text(metric, v) for metric, v in zip(_OF_TESTS, tests, strict=True)}


def _text(metric: str, value: float) -> str:
    return _SHOWN[metric][1].format(value)
