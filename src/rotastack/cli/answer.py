"""What a finished study came to: the verdict, and where report and models are."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.errors import unreadable
from rotastack.files import read_json

if TYPE_CHECKING:
    from rotastack.run.plan import Plan

__all__ = ["Answer"]


@dataclass(frozen=True)
class Answer:
    """What is said after a run.

    Attributes
    ----------
    study : str
    sentences : list of str
        The verdict.
    scores : list of dict
        A data set and method each, with the means of its scores.
    baseline : list of dict
        A data set each: the scores of always giving the same answer.
    report : Path
    models : dict of str to dict
        Data set -> its model: method, file, and MLflow address; the data sets that have none are left out.
    about : dict
        What was said of one's own table before the run.
    """

    study: str
    sentences: list[str]
    scores: list[dict[str, Any]]
    baseline: list[dict[str, Any]]
    report: Path
    models: dict[str, dict[str, Any]]
    about: dict[str, Any]

    @classmethod
    def read(cls, plan: "Plan", about: dict[str, Any] | None = None) -> "Answer":
        """Read the results of a study that has been run in the working directory."""
        models = {d: model for d in plan.datasets if (model := _model(plan, d)) is not None}
        return cls(
            plan.study.name, read_json(plan.files.verdict)["sentences"], _scores(Path(plan.files.scores)),
            _table(Path(plan.files.table("baseline"))), Path(plan.files.report), models, about or {},
        )  # fmt: skip

    def as_text(self, seconds: float | None) -> str:
        """Return the answer for people."""
        from rotastack.run.progress import duration

        lines = [*self.sentences, ""]
        took = f" (in {duration(seconds)})" if seconds else ""
        lines.append(f"{'report':10s}{self.report}{took}")
        for dataset, model in list(self.models.items())[:3]:
            known = f", in MLflow {model['address']}" if model["address"] else ""
            lines.append(f"{'model':10s}{model['method']}, trained on all rows of {dataset}: {model['file']}{known}")
        if len(self.models) > 3:
            lines.append(f"{'':10s}and {len(self.models) - 3} more, a data set each")
        if self.models:
            which = "" if len(self.models) == 1 else f" --dataset {next(iter(self.models))}"
            lines.append(f"{'predict':10s}rotastack predict --study {self.study}{which} NEW_ROWS.csv")
        return "\n".join(lines)

    def as_json(self, seconds: float | None) -> str:
        """Return the answer for programs."""
        content = {
            "study": self.study, "verdict": self.sentences, "scores": self.scores, "baseline": self.baseline,
            "report": self.report, "models": self.models, "seconds": None if seconds is None else round(seconds, 1),
            **({"table": self.about} if self.about else {}),
        }  # fmt: skip
        return json.dumps(content, indent=1, default=str)


def _table(path: Path) -> list[dict[str, Any]]:
    import pandas as pd

    if not path.is_file() or not path.read_text(encoding="utf-8").strip():
        return []
    try:
        return json.loads(pd.read_csv(path).to_json(orient="records"))
    except ValueError as error:
        raise unreadable(path, error) from None


def _scores(path: Path) -> list[dict[str, Any]]:
    """Return the means of all scores by data set and method."""
    import pandas as pd

    from rotastack.stats.metrics import METRICS

    try:
        scores = pd.read_parquet(path)
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from None
    names = [n for n in dict.fromkeys(n for task in METRICS.values() for n in task) if n in scores]
    means = scores.groupby(["dataset", "method"], sort=False)[names].mean().reset_index()
    return json.loads(means.to_json(orient="records"))


def _model(plan: "Plan", dataset: str) -> dict[str, Any] | None:
    """Return the method, file and address of a data set's model; None if there is none."""
    file = Path(plan.files.model.format(dataset=dataset))
    record = file.with_name("refit.run.json")
    if not file.is_file() or not file.stat().st_size or not record.is_file():
        return None
    receipt = Path(plan.root) / plan.receipt
    runs = read_json(receipt)["datasets"].get(dataset, {}) if receipt.is_file() else {}
    return {"method": read_json(record)["metrics"]["method"], "file": str(file), "address": runs.get("model_uri")}
