"""The answer of a finished study: the verdict, the scores, and the paths of the report and the models."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rotastack.cli.screen import headed, table_text
from rotastack.errors import unreadable
from rotastack.files import read_json
from rotastack.stats.metrics import NAMES, higher_is_better

if TYPE_CHECKING:
    from rotastack.workflow.run.plan import Plan

__all__ = ["Answer"]


class Answer:
    """The results that a run prints at its end."""

    def __init__(self, plan: "Plan", about: dict[str, Any] | None = None):
        self.study, self.score, self.report = plan.study.name, plan.study.score, plan.files.report
        self.sentences = read_json(plan.files.verdict)["sentences"]
        self.comparison: dict[str, Any] = read_json(plan.files.comparison)[self.score]
        self.scores = _scores(Path(plan.files.scores))
        self.baseline = _table(Path(plan.files.table("baseline")))
        self.models = {d: model for d in plan.datasets if (model := _model(plan, d)) is not None}
        self.without_model = {d: why for d in plan.datasets if (why := _no_model(plan, d)) is not None}
        self.about = about or {}

    def as_text(self, seconds: float | None) -> str:
        """Return the answer as text."""
        from rotastack.workflow.run.progress import duration

        took = f" (in {duration(seconds)})" if seconds else ""
        lines = [("report", f"{self.report}{took}")]
        for dataset, model in list(self.models.items())[:3]:
            text = f"{model['method']}, trained on all rows of {dataset}"
            if "threshold" in model:
                text += f", predicts {model['decides_for']} from probability {model['threshold']:g}"
            lines.append(
                ("model", f"{text}: {model['file']}{', MLflow ' * bool(model['address'])}{model['address'] or ''}")
            )
        lines += [("no model", f"of {dataset}: {why}") for dataset, why in list(self.without_model.items())[:3]]
        if len(self.models) > 3:
            lines.append(("", f"and {len(self.models) - 3} more models, one per data set"))
        if self.models:
            option = "" if len(self.models) == 1 else f" --dataset {next(iter(self.models))}"
            lines.append(("predict", f"rotastack predict --study {self.study}{option} NEW_ROWS.csv"))
        return "\n".join([*self.sentences, "", *self._table(), "", headed(lines)])

    def _table(self) -> list[str]:
        """Return lines with the methods and their scores, best first; for several data sets average ranks and means."""
        ranks = self.comparison.get("average_ranks") if len(self.datasets) > 1 else None
        rows = {row["method"]: row for row in self.scores}
        if ranks is not None:
            against = self.comparison.get("against_control", [])
            wins = {row["method"]: f"{row['better']}/{row['equal']}/{row['worse']}" for row in against}
            mean, shown = self._means(list(ranks))
            order = sorted(ranks, key=lambda m: ranks[m])
            cells = {m: [f"{ranks[m]:.2f}", shown[m], wins.get(m, "-")] for m in order}
            return _aligned(["method", "rank", mean, "better/equal/worse"], cells)
        if len(self.datasets) > 1:
            return []
        from rotastack.workflow.judge.words import printer

        higher, names = higher_is_better(self.score), [self.score, *(n for n in self._scores if n != self.score)]
        worst = float("inf")
        order = sorted(rows, key=lambda m: worst if (v := rows[m][self.score]) is None else -v if higher else v)
        shown = [n for n in names if any(rows[m][n] is not None for m in rows)]
        printed = {n: printer(n, [v for m in rows if (v := rows[m][n]) is not None]) for n in shown}
        cells = {m: ["-" if rows[m][n] is None else printed[n](rows[m][n]) for n in shown] for m in order}
        return _aligned(["method", *(SHORT.get(n, NAMES[n]) for n in shown)], cells)

    def _means(self, methods: list[str]) -> tuple[str, dict[str, str]]:
        """Return the head and cells of a column: mean scores over the data sets that all ranked methods have."""
        import pandas as pd

        from rotastack.workflow.judge.results import compared, complete, in_units
        from rotastack.workflow.judge.words import printer

        means = pd.DataFrame.from_dict(self.comparison["means"], orient="index").reindex(columns=methods).astype(float)
        units = in_units(self.score, pd.DataFrame(self.baseline).set_index("dataset"))
        found = complete(compared(means, units)).mean()
        score = SHORT.get(self.score, NAMES[self.score])
        shown = printer("r2" if units is not None else self.score, list(found))
        return f"mean {score}{'' if units is None else ' / baseline'}", {m: shown(found[m]) for m in methods}

    @property
    def datasets(self) -> list[str]:
        """The data sets, in the study's order."""
        return list(dict.fromkeys(row["dataset"] for row in self.scores))

    @property
    def _scores(self) -> list[str]:
        known = [n for n in self.scores[0] if n in NAMES] if self.scores else []
        return [n for n in known if higher_is_better(n) is not None]

    def as_json(self, seconds: float | None) -> str:
        """Return the answer as JSON."""
        content = {
            "study": self.study, "verdict": self.sentences, "score": self.score, "scores": self.scores, "baseline": self.baseline,
            "report": self.report, "models": self.models, "seconds": None if seconds is None else round(seconds, 1),
            **({"table": self.about} if self.about else {}),
        }  # fmt: skip
        return json.dumps(content, indent=1, default=str)


SHORT = {
    "balanced_accuracy": "bal. acc.", "average_precision": "av. prec.", "brier": "Brier", "pinball": "pinball",
}  # fmt: skip
"""Score -> its short name, for the head of a narrow column."""


def _aligned(head: list[str], rows: dict[str, list[str]]) -> list[str]:
    """Return the lines of a table without its empty columns."""
    filled = [k for k in range(len(head) - 1) if any(row[k] != "-" for row in rows.values())]
    shown = {name: [row[k] for k in filled] for name, row in rows.items()}
    return table_text([head[0], *(head[k + 1] for k in filled)], shown).split("\n")


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


def _no_model(plan: "Plan", dataset: str) -> str | None:
    """Return why a data set's model could not be trained; None if it was trained or not requested."""
    record = Path(plan.files.model.format(dataset=dataset)).with_name("refit.run.json")
    content = read_json(record) if record.is_file() else {"status": "ok"}
    return None if content["status"] == "ok" else str(content["message"])


def _model(plan: "Plan", dataset: str) -> dict[str, Any] | None:
    """Return the method, file and MLflow address of a data set's model; None without a model."""
    file = Path(plan.files.model.format(dataset=dataset))
    record = file.with_name("refit.run.json")
    if not file.is_file() or not file.stat().st_size or not record.is_file():
        return None
    receipt = Path(plan.root) / "tracking.json"
    runs = read_json(receipt)["datasets"].get(dataset, {}) if receipt.is_file() else {}
    metrics = read_json(record)["metrics"]
    decides = {key: metrics[key] for key in ("threshold", "decides_for") if key in metrics}
    return {"method": metrics["method"], **decides, "file": str(file), "address": runs.get("model_uri")}
