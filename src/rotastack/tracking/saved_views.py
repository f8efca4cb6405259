"""Views of an experiment's runs that MLflow's UI offers under "Views": which runs, columns, order and charts.

The UI keeps them as tags of the experiment, so they are there for everybody, and are made here as it makes them.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["PREFIX", "SavedView"]

PREFIX = "mlflow.sharedViewState."
"""Of the tags; what follows is the view's id, which is in its address, too."""

LONGEST = 5000
"""Value of an experiment's tag that all versions of MLflow take."""


@dataclass(frozen=True)
class SavedView:
    """A view of runs.

    Parameters
    ----------
    id, name : str
        Id in the address, name in the list.
    query : str
        As MLflow searches for runs.
    order : str
        A metric, param or tag in its search syntax; runs of any level stand in one list then.
    columns : sequence of str
        Of the table, in the same syntax.
    charts : sequence of mapping
        Type and metrics of each chart, as :meth:`bars`, :meth:`lines` and :meth:`scatter` give them.
    group : str
        A tag: the runs that share its value become one row, and one bar, their mean.

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
    descending: bool = field(default=False)

    @property
    def key(self) -> str:
        """Of the experiment's tag."""
        return f"{PREFIX}{self.id}"

    def value(self, created: int) -> str | None:
        """Return the tag's value; columns from the end are left out until it is short enough."""
        columns = list(self.columns)
        while True:
            content = {"name": self.name, "createdAt": created, "updatedAt": created, "state": self._state(columns)}
            text = json.dumps(content, separators=(",", ":"))
            if len(text) <= LONGEST or not columns:
                return text if len(text) <= LONGEST else None
            columns.pop()

    def address(self, experiment_id: str, mode: str) -> str:
        """Return where the view is in MLflow's UI, as a table or a chart: mode "TABLE" or "CHART"."""
        return (
            f"#/experiments/{experiment_id}/runs?viewStateShareKey={self.id}&compareRunsMode={mode}"
            "&workflowType=machine_learning"
        )

    def _state(self, columns: list[str]) -> str:
        state: dict[str, Any] = {
            "searchFilter": self.query, "orderByKey": self.order, "orderByAsc": not self.descending,
            "startTime": "ALL", "lifecycleFilter": "Active", "datasetsFilter": [], "modelVersionFilter": "All Runs",
            "selectedColumns": columns, "columnOrder": columns, "runsHiddenMode": "SHOW_ALL", "isAccordionReordered": True,  # else ours come last
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
