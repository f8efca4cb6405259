"""published: compare a study's results with the published ones, cell by cell."""

from collections.abc import Mapping, Sequence
from typing import Any

import pandas as pd

from rotastack.base.documents import load_yaml
from rotastack.data.artifacts import read_frame
from rotastack.files import replacing, write_text
from rotastack.project import report_texts
from rotastack.workflow.judge.boards import board
from rotastack.workflow.judge.pages import page_environment
from rotastack.workflow.judge.published_columns import CHANCE, compare_with_published
from rotastack.workflow.judge.results import by_method, complete, group_table
from rotastack.workflow.run.job import Job
from rotastack.workflow.study.specs import PublishedSpec


def run(job: Job) -> None:
    """Read inputs ``scores`` and ``published``, write outputs ``table`` and ``page``.

    A published cell agrees if it differs from our mean, or median, by at most twice the standard error of the
    difference plus the printed rounding. If the source prints no standard deviation (metric
    ``error_sd``), ours is used for both, scaled to the source's number of repeats. Published results of
    ``groups`` have no standard error: they are in separate tables, without a verdict.
    """
    spec, (scores, _) = job.spec(PublishedSpec), read_frame(job.input("scores"))
    paths = {p.suffix: p for p in job.inputs["published"]}
    cells = pd.read_csv(paths[".csv"], dtype={"table": str, "note": str, "value": str})
    about = load_yaml(paths[".yaml"]) if ".yaml" in paths else {}
    with job.recorded() as record:
        groups = spec.groups
        rest, printed = split_cells(cells, groups)
        means = by_method(scores, "error", spec.average)
        reasons, whole = about.get("reasons", []), about.get("datasets", ())
        frame, absent = compare_with_published(scores, rest, reasons, whole, spec.average)
        with replacing(job.output("table")) as temporary:
            frame.to_csv(temporary, index=False)
        judged = frame[frame["agrees"].notna()]
        summary = judged.groupby(["table", "metric"], sort=False)["agrees"].agg(["size", "sum"]).reset_index()
        page = (
            page_environment()
            .get_template("published.html.j2")
            .render(
                title=spec.title,
                source=about.get("source", ""),
                remarks=about.get("remarks", []),
                rows=frame.astype(object).where(frame.notna(), None).to_dict("records"),
                summary=summary.to_dict("records"),
                ranks=[] if groups else _average_ranks(frame),
                groups=beside_published(means, cells, printed, groups, spec.alpha) if groups else [],
                absent=absent,
                skipped=spec.skipped,
                times=CHANCE,
            )
        )
        job.check_contents([*paths.values(), *report_texts()])
        write_text(job.output("page"), page)
        record.metrics = {"cells": len(judged), "agree": int(judged["agrees"].sum())}


def _average_ranks(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Return average ranks of the methods, published and ours, over the data sets that have all methods."""
    errors = frame[frame["metric"] == "error"]
    means = errors.pivot_table(index="dataset", columns="method", values=["published", "ours"], sort=False).dropna()
    if len(means) < 2:
        return []
    ranks = {name: means[name].round(4).rank(axis=1).mean() for name in ("published", "ours")}
    return [
        {"method": m, **{name: rank[m] for name, rank in ranks.items()}, "datasets": len(means)} for m in means["ours"]
    ]


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

    `means` are the study's errors (data set, method); results are computed from the `cells` of metric "error" on the rows
    that the study also has; `printed` is of :func:`split_cells`.
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
        n_shared = len(shared) if columns["source"] else 0
        tables.append({"name": group["name"], "n_shared": n_shared, "n_rows": len(ours), "rows": rows})
    return tables


def _statistics(errors: pd.DataFrame, control: str, alpha: float) -> dict[tuple[str, str], str]:
    """Return (label, metric) -> text; empty without rows, or for fewer than two methods."""
    found = board(1 - errors, True, control, alpha)
    of_labels = {"rank": found.get("ranks", {}).get("mean", {})}
    of_labels["better"] = {m: test["wins"] for m, test in found.get("tests", {}).items()}
    of_labels["improvement"] = {m: found["improvement"][m] / 100 for m in of_labels["better"]}
    tests = {
        "F": found.get("iman_davenport_f"),
        "p": found.get("p_value"),
        "critical_difference": found.get("critical_difference"),
    }
    of_labels |= {
        metric: {"": value} for metric, value in tests.items() if value is not None
    }  # a single row allows no test
    return {(m, metric): _text(metric, v) for metric, part in of_labels.items() for m, v in part.items()}


def _text(metric: str, value: float) -> str:
    return _SHOWN[metric][1].format(value)
