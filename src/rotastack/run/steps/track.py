"""track: log the runs of a study and of its data sets to MLflow."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from rotastack.data.artifacts import read_frame
from rotastack.files import read_json, write_text
from rotastack.run.job import Job
from rotastack.run.tracked.datasets import TrackedDataset, track_dataset
from rotastack.run.tracked.notes import study_note
from rotastack.stats.metrics import METRICS, NAMES, PRIMARY, higher_is_better
from rotastack.study.names import slug
from rotastack.tracking.address import is_own, shown
from rotastack.tracking.writer import Writer

MOST_PARAMS = 6
"""The most columns of params that differ between pools."""

PREFIX = "mlflow.sharedViewState."
"""Prefix of the tags; the view's id, which is also in its address, follows."""

LONGEST = 5000
"""The longest value of an experiment's tag that all versions of MLflow accept."""


@dataclass(frozen=True)
class SavedView:
    """A view of runs.

    Parameters
    ----------
    id, name : str
        Id in the address, name in the list.
    query : str
        Query in MLflow's search syntax for runs.
    order : str
        Metric, param or tag in the search syntax; it puts runs of all levels into one list.
    columns : sequence of str
        Columns of the table, in the search syntax.
    charts : sequence of mapping
        Type and metrics of each chart, from :meth:`bars`, :meth:`lines` and :meth:`scatter`.
    group : str
        A tag: runs with the same value become one row and one bar, their mean.
    rising : bool
        Whether the smallest value of `order` comes first.

    Examples
    --------
    >>> view = SavedView("models", "Models", "tags.`rotastack.kind` = 'model'", "metrics.`test/error`", ["tags.`method`"])
    >>> view.address("3", "TABLE")
    '#/experiments/3/runs?viewStateShareKey=models&compareRunsMode=TABLE&workflowType=machine_learning'
    >>> view.key
    'mlflow.sharedViewState.models'
    """

    id: str
    name: str
    query: str
    order: str
    columns: Sequence[str]
    charts: Sequence[Mapping[str, Any]] = ()
    group: str | None = None
    rising: bool = True

    @property
    def key(self) -> str:
        """Key of the experiment's tag."""
        return f"{PREFIX}{self.id}"

    def value(self, created: int) -> str | None:
        """Return the tag's value, with columns left out from the end until it is short enough; None if it never is."""
        columns = list(self.columns)
        while True:
            content = {"name": self.name, "createdAt": created, "updatedAt": created, "state": self._state(columns)}
            text = json.dumps(content, separators=(",", ":"))
            if len(text) <= LONGEST or not columns:
                return text if len(text) <= LONGEST else None
            columns.pop()

    def address(self, experiment_id: str, mode: str) -> str:
        """Return the view's address in MLflow's UI; `mode` is "TABLE" or "CHART"."""
        return (
            f"#/experiments/{experiment_id}/runs?viewStateShareKey={self.id}&compareRunsMode={mode}"
            "&workflowType=machine_learning"
        )

    def _state(self, columns: list[str]) -> str:
        state: dict[str, Any] = {
            "searchFilter": self.query, "orderByKey": self.order, "orderByAsc": self.rising,
            "startTime": "ALL", "lifecycleFilter": "Active", "datasetsFilter": [], "modelVersionFilter": "All Runs",
            "selectedColumns": columns, "columnOrder": columns, "runsHiddenMode": "SHOW_ALL", "isAccordionReordered": True,  # else our charts come last
            "viewMaximized": False, "runListHidden": False, "hideEmptyCharts": True, "useGroupedValuesInCharts": True,
            "groupBy": None,
        }  # fmt: skip
        if self.group is not None:
            state["groupBy"] = {"aggregateFunction": "average",
                                "groupByKeys": [{"mode": "tag", "groupByData": self.group}]}  # fmt: skip
        if self.charts:
            section = f"{self.id}-charts"
            state["compareRunSections"] = [{"uuid": section, "name": self.name, "display": True, "isReordered": False,
                                            "deleted": False, "isGenerated": False}]  # fmt: skip
            state["compareRunCharts"] = [
                {"uuid": f"{self.id}-{k}", "metricSectionId": section, "deleted": False, "isGenerated": False, **chart}
                for k, chart in enumerate(self.charts)
            ]
        return json.dumps(state, separators=(",", ":"))

    @staticmethod
    def bars(metric: str, title: str) -> dict[str, Any]:
        """Return a chart with a bar for each run."""
        return {"type": "BAR", "metricKey": metric, "runsCountToCompare": 50, "displayName": title}

    @staticmethod
    def lines(metric: str, title: str) -> dict[str, Any]:
        """Return a chart with a line over steps for each run."""
        return {"type": "LINE", "metricKey": metric, "selectedMetricKeys": [metric], "xAxisKey": "step",
                "xAxisScaleType": "linear", "scaleType": "linear", "lineSmoothness": 0, "runsCountToCompare": 50,
                "displayName": title}  # fmt: skip

    @staticmethod
    def scatter(horizontal: str, vertical: str, title: str) -> dict[str, Any]:
        """Return a chart with a point for each run: two metrics against each other."""
        return {"type": "SCATTER", "runsCountToCompare": 50, "displayName": title,
                "xaxis": {"key": horizontal, "type": "METRIC"}, "yaxis": {"key": vertical, "type": "METRIC"}}  # fmt: skip


def study_views(spec: Mapping[str, Any], primary: str) -> list[tuple[SavedView, str]]:
    """Return the views of a study, each with its mode, "TABLE" or "CHART".

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
        group="method", rising=not higher_is_better(primary),
    )  # fmt: skip
    methods = SavedView(
        "methods", "Methods on each data set", _of("method"), "tags.`dataset`",
        [*marks, "metrics.`test/rank`", *scores, *times, "tags.`rotated`", *params], [*charts, *lines],
    )  # fmt: skip
    of_task = PRIMARY[spec["task"]]
    oob = [f"metrics.`oob/{of_task}`", f"metrics.`oob/{of_task}_of_members`"]
    models = SavedView(
        "models", "Models", _of("model"), "tags.`dataset`",
        [*marks, f"metrics.`{main}`", f"metrics.`train/{PRIMARY[spec['task']]}`", *oob, "metrics.`model/bytes`", *params],
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
    """Return the params of estimators that differ between pools."""
    given = [pool.get("parameters") or {} for pool in spec["pools"].values()]
    names = dict.fromkeys(name for parameters in given for name in parameters)
    differ = [n for n in names if len({repr(parameters.get(n)) for parameters in given}) > 1]
    return [f"estimator.{name}" for name in differ[:MOST_PARAMS]]


def run(job: Job) -> None:
    """Upsert all runs, and write output ``receipt``: a hash of the inputs, and the ids of the runs.

    For each data set it reads ``raw``, ``table``, ``scores``, the record ``scored``, the ``records`` of earlier steps,
    and the ``model`` with its record ``refit`` if there is one. For the study it reads ``comparison``, ``verdict``, the
    statistics' ``record``, ``tables``, ``figures`` and ``report``.
    """
    study = job.about["study"]
    runs: dict[str, Any] = {}
    for data in _datasets(job):
        with Writer(study, data.dataset) as writer:
            runs[data.dataset] = track_dataset(data, writer)
    with Writer(study) as writer:
        runs = {"study": track_study(job, writer), "datasets": runs}
    digest = hashlib.sha256()
    for paths in job.inputs.values():
        for path in paths:
            digest.update(path.read_bytes())
    receipt = {"experiment": study, "content": digest.hexdigest(), **runs}
    if not is_own(writer.uri):
        receipt["address"] = shown(writer.uri)
    write_text(job.output("receipt"), json.dumps(receipt, indent=1, sort_keys=True) + "\n")


def _datasets(job: Job) -> Iterator[TrackedDataset]:
    """Yield the data sets, whose files have the same order in all inputs."""
    of_each = (job.inputs[name] for name in ("raw", "table", "scores", "scored", "records"))
    models = {}
    for model, record in zip(job.inputs.get("model", []), job.inputs.get("refit", []), strict=True):
        models[model.parent.parent.name] = model, read_json(record)
    for raw, table, scores, scored, records in zip(*of_each, strict=True):
        gathered, prepared = read_json(records), read_frame(table)
        dataset = gathered["prepare"]["dataset"]
        model, refit = models.get(dataset, (None, None))
        yield TrackedDataset(
            study=job.about["study"], dataset=dataset, task=prepared[1]["task"], score=job.slice["score"], table=prepared[0],
            scores=read_frame(scores)[0], records=gathered, baseline=read_json(scored)["metrics"]["baseline"],
            raw=raw, prepared_file=table, model=model, refit=refit, figures=[f for f in job.inputs["figures"] if f.parent.name == dataset],
            rotated=job.slice["rotated"], optimistic=job.slice["optimistic"],
        )  # fmt: skip


def _best(spec: Mapping[str, Any], comparison: Mapping[str, Any]) -> str | None:
    """Return the method with the best average rank, in a tie the control; None without ranks."""
    ranks = comparison.get("average_ranks") or {}
    control = spec["evaluation"]["control"] or next(iter(spec["methods"]))
    return min(ranks, key=lambda method: (ranks[method], method != control), default=None)


MOST_RANKS = 30
"""The most methods whose average ranks are metrics, each with a chart; ranks of more are only in tables."""


def track_study(job: Job, writer: Writer) -> str:
    """Upsert the study's run; return its id."""
    study = job.about["study"]
    run = writer.container("study", {"study": study}, name=study)
    primary = job.slice["score"]
    comparison = read_json(job.input("comparison"))[primary]
    verdict = read_json(job.input("verdict"))
    record = read_json(job.input("record"))

    ranks = comparison.get("average_ranks", {})
    metrics = {"study/data_sets": len(job.slice["datasets"]), "study/methods": len(job.slice["methods"])}
    if len(ranks) <= MOST_RANKS:
        metrics |= {f"rank/{slug(method)}": rank for method, rank in ranks.items()}
    best = _best(job.slice, comparison)
    for path in job.inputs["tables"]:
        if best is not None and path.stem in METRICS[job.slice["task"]]:
            metrics[f"best/{path.stem}"] = pd.read_csv(path)[best].mean()
    for name in ("p_value", "friedman_chi2", "critical_difference"):
        if comparison.get(name) is not None:
            metrics[f"friedman/{name.removeprefix('friedman_')}"] = comparison[name]
    writer.log_metrics(run, metrics, record["started"])
    named = {} if best is None else {"best": best}
    writer.set_tags(run, {"version": record["version"], "seed": str(job.slice["seed"]), **named})

    views = study_views(job.slice, primary)
    home = f"#/experiments/{writer.experiment_id}/runs/{run}"
    links = {view.name: view.address(writer.experiment_id, mode) for view, mode in views}
    links |= {"Report": f"{home}/artifacts/report/report.html", "Figures": f"{home}/artifacts/figures"}
    note = study_note(job.slice, verdict["sentences"], comparison, links, str(job.input("report")))
    writer.about.describe(note)
    writer.describe(run, note)
    for number, (view, _) in enumerate(reversed(views)):
        writer.about.save_view(view, number)

    writer.log_artifacts(run, [f for f in job.inputs["figures"] if f.parent.name == "study"], "figures")
    writer.log_artifacts(run, job.inputs["tables"], "tables")
    writer.log_artifacts(run, job.inputs["report"], "report")
    writer.log_text(run, json.dumps(job.slice, indent=1), "study.json")
    writer.finish(run)
    return run
